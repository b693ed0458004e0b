import { expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { Watch } from '../core/exchange.ts';
import { Answer, Notification, Request } from '../core/message.ts';
import { RequestExchange } from './request-exchange.ts';
import { judgeRound, screenAnswer, screenAnswers } from './screen-questions.ts';

const form = (name: string) => ({
  method: 'elicitation/create',
  params: { message: 'Go on', requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } },
});

const SECRET = new FaultError('denied', 'The form asks for a secret.', {
  data: { 'dev.sallyport/verdict': { guard: 'elicitation' } },
});

/** Judges as the guard of elicitation does: what asks for a colour is no secret. */
function asks(response: Watch['response'] = async (_, answer) => ({ kind: 'pass', answer })): Watch {
  return {
    notification: (said) => said,
    async request(_method, params) {
      if (JSON.stringify(params).includes('apiKey')) throw SECRET;
    },
    response,
  };
}

test('a round without secrets is put to the client', async () => {
  expect(await judgeRound(asks(), { a: form('colour'), b: { method: 'roots/list' } })).toBeUndefined();
  expect(await judgeRound(asks(), {})).toBeUndefined();
});

test('a round with a secret is declined as a whole, with the reason', async () => {
  const declined = { action: 'decline', _meta: { 'dev.sallyport/refused': SECRET.message } };
  expect(await judgeRound(asks(), { a: form('colour'), b: form('apiKey') })).toEqual({ a: declined, b: declined });
});

test('what cannot be declined fails the round', async () => {
  const round = { a: form('apiKey'), b: { method: 'sampling/createMessage' } };
  await expect(judgeRound(asks(), round)).rejects.toThrow('asks for a secret');
});

const stops = asks(async () => ({ kind: 'stop', told: 'stays here', fault: new FaultError('denied', 'why') }));
const passes = asks();
const masks = asks(async () => ({ kind: 'pass', answer: { message: 'masked' } }));
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
  const sees = asks(async (_, answer) => {
    seen = answer;
    return { kind: 'pass', answer };
  });
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
  exchange.watch = stops;
  const asked = exchange.ask(Request.of('1', 'roots/list'));
  exchange.watch = undefined;
  await new Promise(setImmediate);
  answerNow(GIVEN);
  await expect(asked).rejects.toMatchObject({ message: 'stays here' });
});

test('what Sallyport itself asks is answered to nobody else', async () => {
  const exchange = new RequestExchange({} as never, {} as never, { exclusive: false, ask: async () => GIVEN });
  exchange.watch = stops;
  expect(await exchange.ask(Request.of('1', 'elicitation/create', {}), { own: true })).toBe(GIVEN);
});

test('without anybody who judges nothing of a server is put to the client', async () => {
  const said: string[] = [];
  const reply = { message: (text: string) => said.push(text), answer() {} };
  const exchange = new RequestExchange({} as never, reply as never, { exclusive: false, ask: async () => GIVEN });
  await expect(exchange.ask(Request.of('1', 'roots/list'))).rejects.toMatchObject({ code: 'denied' });
  exchange.notify(Notification.of('notifications/message', { level: 'info', data: 'x' }));
  expect(said).toEqual([]);
});

test('notifications stay in their order, although some are judged for a while', async () => {
  const said: string[] = [];
  const reply = { message: (text: string) => said.push(JSON.parse(text).params.data), answer() {} };
  const exchange = new RequestExchange({} as never, reply as never, { exclusive: false, ask: async () => GIVEN });
  const held: (() => void)[] = [];
  exchange.watch = {
    ...asks(),
    notification: (one) =>
      one.params['data'] === 'slow' ? new Promise((resolve) => held.push(() => resolve(one))) : one,
  };
  for (const data of ['first', 'slow', 'last']) exchange.notify(Notification.of('notifications/message', { data }));
  expect(said).toEqual(['first']);
  const { told } = exchange;
  held[0]?.();
  await told;
  expect(said).toEqual(['first', 'slow', 'last']);
  expect(exchange.told).toBeUndefined();
});
