import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import type { Guard } from '../guard/guard.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { readResource } from './read-resource.ts';

const TOKEN = `{{secret:key:${'a'.repeat(16)}}}`;
const URI = `note://${TOKEN}`;
const FOUND = Answer.result('1', { contents: [] });
const NOT_FOUND = (code = -32002) => Answer.error('1', code, 'Resource not found');

/** A read of a URI that these servers may own, each with its answer. */
async function read(
  uri: string,
  answers: Readonly<Record<string, Answer | Error>>,
  given: { guards?: readonly Guard[]; view?: object } = {},
) {
  const relayed = openRelay(given.guards ?? []);
  const asked: string[] = [];
  Object.assign(relayed.ports.upstreams, {
    async send(upstream: string) {
      asked.push(upstream);
      const answer = answers[upstream];
      if (!(answer instanceof Answer)) throw answer;
      return answer;
    },
  });
  const inbound = toInbound('resources/read', { uri });
  const resource = () => Object.keys(answers).map((upstream) => ({ upstream, uri, isListed: false }));
  const view = { ...inbound.view, resource, ...given.view };
  const reading = readResource(relayed.ports as CallPorts, { ...inbound, view } as Inbound);
  return { answer: await reading.catch((error: FaultError) => error), asked, ...relayed };
}

/** Refuses what the server named `owner` may not have. */
const refuses = (owner: string | undefined, name = 'secrets', reason?: string): Guard => ({
  ...{ name, kinds: ['read'] },
  judge: ({ upstream }) =>
    owner === undefined || owner.includes(upstream)
      ? { kind: 'deny', code: 'denied', reason: reason ?? `Not for ${upstream}.` }
      : { kind: 'allow' },
});

describe('a resource that several servers may own', () => {
  test.each([-32002, -32602])('is read where it is known, when others answer %d', async (code) => {
    const { answer, asked } = await read('note://1', { a: NOT_FOUND(code), b: FOUND, c: FOUND });
    expect((answer as Answer).result).toEqual({ contents: [] });
    expect(asked).toEqual(['a', 'b']);
  });

  test('is not looked for elsewhere when its server fails', async () => {
    const failed = await read('note://1', { a: NOT_FOUND(-32603), b: FOUND });
    expect([(failed.answer as Answer).errorCode, failed.asked]).toEqual([-32603, ['a']]);
    const down = await read('note://1', { a: new FaultError('unreachable', 'down'), b: FOUND });
    expect([(down.answer as FaultError).code, down.asked]).toEqual(['unreachable', ['a']]);
  });

  test('gets the answer of the best of them when none knows it', async () => {
    const { answer, asked } = await read('note://1', { a: NOT_FOUND(-32602), b: NOT_FOUND() });
    expect([(answer as Answer).errorCode, asked]).toEqual([-32602, ['a', 'b']]);
  });
});

describe('a URI with a masked value', () => {
  test('goes to the next server where the first may not have it', async () => {
    const { answer, asked } = await read(URI, { a: FOUND, b: FOUND }, { guards: [refuses('a')] });
    expect([(answer as Answer).isResult, asked]).toEqual([true, ['b']]);
  });

  test('is refused with the reason of the first, and with what became of the others', async () => {
    const answers = { a: FOUND, b: NOT_FOUND(), c: FOUND };
    const { answer, asked } = await read(URI, answers, { guards: [refuses('ac')] });
    expect(asked).toEqual(['b']);
    expect(answer).toMatchObject({
      code: 'denied',
      message:
        'Not for a. With what is masked in it the URI may not go to "c" either. Asked instead, without finding it: "b".',
    });
  });

  test('names a few of the others', async () => {
    const names = [...'abcdefgh'];
    const { answer } = await read(URI, Object.fromEntries(names.map((name) => [name, FOUND])), {
      guards: [refuses('abcdefgh')],
    });
    expect((answer as FaultError).message).toContain('may not go to "b", "c", "d", "e", "f" and 2 more either.');
    const six = Object.fromEntries(names.slice(0, 6).map((name) => [name, FOUND]));
    const { answer: exact } = await read(URI, six, { guards: [refuses('abcdefgh')] });
    expect((exact as FaultError).message).toContain('may not go to "b", "c", "d", "e", "f" either.');
  });

  test('that no server may have is refused once', async () => {
    const { answer, ended } = await read(
      URI,
      { a: FOUND, b: FOUND, c: FOUND },
      {
        guards: [refuses('abc', 'secrets', 'It is not kept any longer.')],
      },
    );
    expect((answer as FaultError).message).toBe('It is not kept any longer.');
    expect(ended).toHaveLength(2);
  });

  test.each([
    ['by another guard', URI, refuses('a', 'policy')],
    ['where nothing is masked', 'note://1', refuses('a')],
  ])('refused %s goes nowhere else', async (_, uri, guard) => {
    const { answer, asked } = await read(uri, { a: FOUND, b: FOUND }, { guards: [guard] });
    expect([(answer as FaultError).message, asked]).toEqual(['Not for a.', []]);
  });
});

describe('a resource that no server owns', () => {
  const none = (view: object, params: JsonObject = { uri: 'note://1' }) => {
    const inbound = toInbound('resources/read', params);
    const whole = { ...inbound.view, resource: () => [], ...view };
    const relayed = openRelay([]);
    const reading = Promise.resolve().then(() => readResource(relayed.ports, { ...inbound, view: whole } as Inbound));
    return { reading, ...relayed };
  };

  test('is recorded, and not found', async () => {
    const { reading, ended } = none({});
    await expect(reading).rejects.toMatchObject({ code: 'resource_not_found', data: { uri: 'note://1' } });
    expect(ended).toMatchObject([{ end: { outcome: 'failed' } }]);
  });

  test('may be in quarantine', async () => {
    await expect(none({ whyHeld: () => 'It waits for review.' }).reading).rejects.toMatchObject({
      ...{ code: 'denied', message: 'It waits for review.' },
    });
  });

  test('may be of a server that cannot be reached', async () => {
    const unavailable = [{ upstream: 'web', reason: 'it does not start' }];
    await expect(none({ unavailable }, { uri: 'web+note:1' }).reading).rejects.toMatchObject({
      ...{ code: 'unreachable', message: '"web" cannot be used now. It does not start.' },
    });
    await expect(none({ unavailable }).reading).rejects.toMatchObject({ code: 'resource_not_found' });
  });

  test('needs a URI', async () => {
    await expect(none({}, { uri: 7 }).reading).rejects.toMatchObject({
      ...{ code: 'invalid_params', message: 'resources/read needs "uri": a string.' },
    });
  });
});
