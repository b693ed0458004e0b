import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { type CallRecord, createCallLog } from './call-log.ts';
import { createDestination } from './destination.ts';

const RECORD: CallRecord = {
  callId: 'c1',
  principal: 'local',
  client: 'claude',
  upstream: 'files',
  tool: 'read',
  outcome: 'ok',
  guard: undefined,
  reason: undefined,
  ms: 1.23456,
  requestBytes: 10,
  resultBytes: 20,
};

async function written(records: readonly CallRecord[]): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const destination = createDestination({ stream });
  let now = 0;
  const log = createCallLog(destination, { now: () => 1000 * Math.floor(now++ / 2) });
  for (const record of records) log.write(record);
  await destination.close();
  return text;
}

test('writes one JSON line per call, with what is known', async () => {
  const denied: CallRecord = {
    ...RECORD,
    outcome: 'denied',
    guard: 'visibility',
    reason: 'set aside',
    revision: '2026-07-28',
  };
  const lines = (await written([RECORD, { ...RECORD, upstream: undefined, tool: undefined }, denied]))
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      ...{
        level: 'info',
        time: '1970-01-01T00:00:00.000Z',
        msg: 'call',
        callId: 'c1',
        principal: 'local',
        client: 'claude',
      },
      ...{ upstream: 'files', tool: 'read', outcome: 'ok', ms: 1.235, requestBytes: 10, resultBytes: 20 },
    },
    {
      ...{
        level: 'info',
        time: '1970-01-01T00:00:00.000Z',
        msg: 'call',
        callId: 'c1',
        principal: 'local',
        client: 'claude',
      },
      ...{ outcome: 'ok', ms: 1.235, requestBytes: 10, resultBytes: 20 },
    },
    {
      ...{
        level: 'info',
        time: '1970-01-01T00:00:01.000Z',
        msg: 'call',
        callId: 'c1',
        principal: 'local',
        client: 'claude',
      },
      ...{ upstream: 'files', tool: 'read', outcome: 'denied', guard: 'visibility', reason: 'set aside' },
      ...{ ms: 1.235, requestBytes: 10, resultBytes: 20, revision: '2026-07-28' },
    },
  ]);
});

test.each([
  ['a quote', 'a"b'],
  ['a backslash', 'a\\'],
  ['a line feed and a forged line', 'a\n{"level":"info"}'],
  ['an escape sequence', '\u001b[2J'],
  ['C1 and direction marks', '\u009b2J\u202etxt\u200b'],
  ['Chinese', '天气'],
  ['half a surrogate pair', '\ud800'],
])('a client name with %s stays one valid line', async (_, client) => {
  const text = await written([{ ...RECORD, client }]);
  expect(text.split('\n')).toHaveLength(2);
  expect(JSON.parse(text)).toHaveProperty('client', client);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  expect(text.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]/);
});

test('cuts what a stranger made long', async () => {
  const text = await written([{ ...RECORD, client: 'x'.repeat(1_000_000), tool: '名'.repeat(1_000_000) }]);
  expect(text.length).toBeLessThan(1000);
  expect(JSON.parse(text)).toHaveProperty('client', `${'x'.repeat(256)}…`);
});
