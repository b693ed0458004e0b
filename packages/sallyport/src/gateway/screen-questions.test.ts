import { expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { VetAnswer } from '../core/exchange.ts';
import { Answer, Notification, Request } from '../core/message.ts';
import { RequestExchange } from './request-exchange.ts';
import { mayTell, screenAnswer, screenAnswers, screenQuestion, screenRound } from './screen-questions.ts';

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

const stops: VetAnswer = async () => ({ kind: 'stop', told: 'stays here', fault: new FaultError('denied', 'why') });
const passes: VetAnswer = async (_, answer) => ({ kind: 'pass', answer });
const masks: VetAnswer = async () => ({ kind: 'pass', answer: { message: 'masked' } });
const DECLINED = { action: 'decline', _meta: { 'dev.sallyport/refused': 'stays here' } };
const GIVEN = Answer.result('"7"', { role: 'assistant' });

test('an answer as it may go to the server: as it came, changed, declined or refused', async () => {
  expect(await screenAnswer(passes, 'sampling/createMessage', GIVEN)).toBe(GIVEN);
  expect((await screenAnswer(masks, 'sampling/createMessage', GIVEN)).result).toEqual({ message: 'masked' });
  expect((await screenAnswer(stops, 'elicitation/create', GIVEN)).result).toEqual(DECLINED);
  for (const method of ['sampling/createMessage', 'roots/list', 'x/unknown'])
    await expect(screenAnswer(stops, method, GIVEN)).rejects.toMatchObject({ code: 'denied', message: 'stays here' });
});

test('an error of the client is an answer like any other', async () => {
  const error = Answer.error('"7"', -1, 'no, since it is 7719004412', { more: 1 });
  let seen: unknown;
  const sees: VetAnswer = async (_, answer) => {
    seen = answer;
    return { kind: 'pass', answer };
  };
  expect(await screenAnswer(sees, 'sampling/createMessage', error)).toBe(error);
  expect(seen).toEqual({ message: 'no, since it is 7719004412', data: { more: 1 } });
  const masked = await screenAnswer(masks, 'sampling/createMessage', error);
  expect(masked.outcome).toEqual({ kind: 'error', error: { code: -1, message: 'masked' } });
  await expect(screenAnswer(stops, 'sampling/createMessage', error)).rejects.toMatchObject({ message: 'stays here' });
});

test('a round of answers: a form is declined, of others the client hears why', async () => {
  const asked = { a: { method: 'elicitation/create' }, b: { method: 'roots/list' } };
  const given = { a: { action: 'accept' }, b: { roots: [] } };
  expect(await screenAnswers(passes, asked, given)).toEqual(given);
  expect(await screenAnswers(stops, asked, { a: given.a })).toEqual({ a: DECLINED });
  await expect(screenAnswers(stops, asked, given)).rejects.toMatchObject({ code: 'denied', message: 'why' });
  await expect(screenAnswers(stops, asked, { b: 'a text' })).rejects.toMatchObject({ message: 'why' });
});

test('an answer is looked at for the server that asked, also when the request has gone on to another', async () => {
  let answerNow = (_: Answer): void => {};
  const asking = {
    exclusive: false,
    ask: () =>
      new Promise<Answer>((resolve) => {
        answerNow = resolve;
      }),
  };
  const exchange = new RequestExchange({} as never, {} as never, asking);
  exchange.vetAnswer = stops;
  const asked = exchange.ask(Request.of('1', 'roots/list'));
  exchange.vetAnswer = undefined;
  await new Promise(setImmediate);
  answerNow(GIVEN);
  await expect(asked).rejects.toMatchObject({ message: 'stays here' });
});

test('what Sallyport itself asks is answered to nobody else', async () => {
  const exchange = new RequestExchange({} as never, {} as never, { exclusive: false, ask: async () => GIVEN });
  exchange.vetAnswer = stops;
  expect(await exchange.ask(Request.of('1', 'elicitation/create', {}), { own: true })).toBe(GIVEN);
});
