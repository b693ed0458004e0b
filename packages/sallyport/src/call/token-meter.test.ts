import { expect, test } from 'vitest';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../storage/database.ts';
import { createTokenUse } from '../storage/token-use.ts';
import type { CallRecord } from '../telemetry/call-log.ts';
import { createTokenMeter } from './token-meter.ts';

const NOON = Date.UTC(2026, 10, 25, 12);

async function bench() {
  const database = await openDatabase(':memory:');
  const clock = { at: NOON, now: () => clock.at };
  const store = createTokenUse(database, clock);
  return { clock, store, meter: createTokenMeter({ store: async () => store, clock, log: silentLog }) };
}

function call(tool: string, more: Partial<CallRecord> = {}): CallRecord {
  return {
    ...{ callId: 'c', principal: 'p', client: 'agent', upstream: 'notes', tool, outcome: 'ok' },
    ...{ guard: undefined, reason: undefined, ms: 1, requestBytes: 40, resultBytes: 400, ...more },
  };
}

test('calls add up by tool and day, also those of earlier writes', async () => {
  const { clock, store, meter } = await bench();
  meter.used(call('read'), 'tools/call');
  meter.used(call('read', { outcome: 'tool_error', resultBytes: 100 }), 'tools/call');
  await meter.close();
  meter.used(call('read'), 'tools/call');
  meter.used(call('notes://a'), 'resources/read');
  await meter.close();
  clock.at += 86_400_000;
  meter.used(call('read'), 'tools/call');
  await meter.close();
  expect(await store.read('2026-11-25')).toEqual([
    { day: '2026-11-25', upstream: 'notes', target: 'read', calls: 3, request_bytes: 120, result_bytes: 900 },
    { day: '2026-11-25', upstream: 'notes', target: 'resources/read', calls: 1, request_bytes: 40, result_bytes: 400 },
    { day: '2026-11-26', upstream: 'notes', target: 'read', calls: 1, request_bytes: 40, result_bytes: 400 },
  ]);
  expect(await store.read('2026-11-26')).toHaveLength(1);
});

test('names that callers invent take no rows of their own', async () => {
  const { store, meter } = await bench();
  for (let i = 0; i < 100; i++) meter.used(call(`invented-${i}`, { outcome: 'error' }), 'tools/call');
  meter.used(call('gone', { upstream: undefined, outcome: 'denied' }), 'tools/call');
  await meter.close();
  expect((await store.read('2026-11-25')).map(({ target, calls }) => [target, calls])).toEqual([['other', 100]]);
});

test('days of more than a year ago are forgotten', async () => {
  const { clock, store, meter } = await bench();
  meter.used(call('read'), 'tools/call');
  await meter.close();
  clock.at += 401 * 86_400_000;
  meter.used(call('read'), 'tools/call');
  await meter.close();
  expect((await store.read('2000-01-01')).map(({ day }) => day)).toEqual(['2027-12-31']);
});

test('a database that fails stops no call', async () => {
  const warnings: string[] = [];
  const meter = createTokenMeter({
    store: () => Promise.reject(new Error('locked')),
    clock: { now: () => NOON },
    log: { ...silentLog, warn: (_about: object, text: string) => void warnings.push(text) },
  });
  meter.used(call('read'), 'tools/call');
  await meter.close();
  expect(warnings).toEqual(['token use could not be stored']);
});
