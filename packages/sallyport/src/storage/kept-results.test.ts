import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TextSeal } from '../core/text-seal.ts';
import { type Database, openDatabase } from './database.ts';
import { createKeptResultStore } from './kept-results.ts';

let dir: string;
let database: Database;
let now: number;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  database = await openDatabase(join(dir, 'sallyport.db'));
  now = 1_000_000;
});
afterEach(async () => {
  await database.destroy();
  rmSync(dir, { recursive: true });
});

/** Tells what belongs where; that nobody reads it is tested with the real one (app/open-kept-results.test.ts). */
const TEXTS: TextSeal = {
  seal: (context, value) => JSON.stringify([context, value]),
  open(context, sealed) {
    const [own, value] = JSON.parse(sealed) as [readonly string[], string];
    expect(own).toEqual(context);
    return Buffer.from(value);
  },
};
const open = () => createKeptResultStore(database, { now: () => now }, TEXTS);
const ANNA = { principal: 'key:anna', upstream: 'web', tool: 'fetch', argumentsDigest: 'd1' };
const HELD = { result: { content: [{ type: 'text', text: 'x' }] }, findings: [], keepMs: 1_000 };
const RELEASE = { state: 'released', by: 'os:someone', reason: 'a page about attacks' } as const;

test('a released result is handed out once, to the same call of the same caller', async () => {
  const store = open();
  const id = (await store.keep(ANNA, HELD)) ?? '';
  expect(await store.take(ANNA)).toBeUndefined();
  await store.decide(id, RELEASE);
  expect(await store.take({ ...ANNA, principal: 'key:ben' })).toBeUndefined();
  expect(await store.take({ ...ANNA, argumentsDigest: 'd2' })).toBeUndefined();
  const both = await Promise.all([store.take(ANNA), open().take(ANNA)]);
  expect(both.filter((one) => one !== undefined)).toEqual([{ id, result: HELD.result }]);
  expect(await store.get(id)).toMatchObject({ state: 'delivered', result: undefined, reason: RELEASE.reason });
});

test('a dropped result is gone, and nothing is decided twice', async () => {
  const store = open();
  const id = (await store.keep(ANNA, HELD)) ?? '';
  await store.decide(id, { ...RELEASE, state: 'dropped' });
  expect((await store.get(id)).result).toBeUndefined();
  await expect(store.decide(id, RELEASE)).rejects.toMatchObject({ code: 'conflict' });
  expect(await store.take(ANNA)).toBeUndefined();
});

test('what nobody looked at in time is gone', async () => {
  const store = open();
  const id = (await store.keep(ANNA, HELD)) ?? '';
  await store.decide(id, { state: 'released', by: 'os:someone', reason: 'a page about attacks' });
  now += 1_000;
  expect(await store.take(ANNA)).toBeUndefined();
  await expect(store.get(id)).rejects.toMatchObject({ code: 'not_found' });
});

test('there is room for so much', async () => {
  const large = { content: [{ type: 'text', text: 'x'.repeat(1_048_576) }] };
  expect(await open().keep(ANNA, { ...HELD, result: large })).toBeUndefined();
});

test('lists are cut into pages, the newest first', async () => {
  const store = open();
  const ids: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    now++;
    ids.unshift(await store.keep(ANNA, HELD));
  }
  const first = await store.list({ limit: 2 });
  const rest = await store.list({ limit: 2, after: first.at(-1) });
  expect([...first, ...rest].map(({ id }) => id)).toEqual(ids);
  expect(await store.list({ limit: 2, state: 'released' })).toEqual([]);
});

test('one caller leaves room for the results of others', async () => {
  const store = open();
  const megabyte = { ...HELD, result: { content: [{ type: 'text', text: 'x'.repeat(1_048_000) }] } };
  let kept = 0;
  while ((await store.keep(ANNA, megabyte)) !== undefined) kept++;
  expect(kept).toBeGreaterThan(50);
  expect(await store.keep({ ...ANNA, principal: 'key:ben' }, megabyte)).toBeDefined();
});
