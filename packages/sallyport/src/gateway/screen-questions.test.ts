import { expect, test } from 'vitest';
import { Notification } from '../core/message.ts';
import { mayTell, screenQuestion, screenRound } from './screen-questions.ts';

const form = (name: string) => ({
  method: 'elicitation/create',
  params: { message: 'Go on', requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } },
});

test('one question: a secret is refused with a reason, all else passes', () => {
  const secret = form('password');
  expect(() => screenQuestion(secret.method, secret.params)).toThrow(
    expect.objectContaining({ code: 'denied', message: expect.stringContaining('asks for a secret') }),
  );
  expect(screenQuestion('elicitation/create', form('colour').params)).toBeUndefined();
  expect(screenQuestion('roots/list', {})).toBeUndefined();
});

test('a round without secrets is put to the client', () => {
  expect(screenRound({ a: form('colour'), b: { method: 'roots/list' } })).toBeUndefined();
  expect(screenRound({})).toBeUndefined();
});

test('a round with a secret is declined as a whole, with the reason', () => {
  const declined = screenRound({ a: form('colour'), b: form('apiKey') });
  expect(declined).toEqual({
    a: { action: 'decline', _meta: { 'dev.sallyport/refused': expect.stringContaining('"apiKey"') } },
    b: { action: 'decline', _meta: { 'dev.sallyport/refused': expect.stringContaining('"apiKey"') } },
  });
});

test('what cannot be declined fails the round', () => {
  expect(() => screenRound({ a: form('pin'), b: { method: 'sampling/createMessage' } })).toThrow('asks for a secret');
});

test('the news of a task is told without questions that would be looked at', () => {
  const news = (inputRequests?: Record<string, unknown>) =>
    Notification.of('notifications/tasks', {
      taskId: '1',
      ...(inputRequests === undefined ? {} : { inputRequests }),
    } as never);
  expect(mayTell(news())).toBe(true);
  expect(mayTell(news({ a: form('colour'), b: { method: 'roots/list' } }))).toBe(true);
  expect(mayTell(news({ a: form('colour'), b: form('password') }))).toBe(false);
  expect(mayTell(news({ a: { method: 'sampling/createMessage', params: { messages: [] } } }))).toBe(false);
});
