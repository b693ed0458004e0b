import { expect, test } from 'vitest';
import { screenQuestion, screenRound } from './screen-questions.ts';

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
