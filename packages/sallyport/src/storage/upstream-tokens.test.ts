import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenSlot } from '../core/upstream-tokens.ts';
import { type Database, openDatabase } from './database.ts';
import { createTokenVault } from './upstream-tokens.ts';

let database: Database;
let now = 1000;
beforeEach(async () => {
  database = await openDatabase(':memory:');
});
afterEach(() => database.destroy());

const SLOT: TokenSlot = { kind: 'tokens', upstream: 'files', place: 'https://x.test/mcp', owner: 'local' };
const KEY = 'a key that is long enough to be one';
const open = (key = KEY) =>
  createTokenVault({ database: async () => database, readKey: async () => key, clock: { now: () => now } });

test('what is kept can be read with the key alone, and not in the file', async () => {
  expect(await open().put(SLOT, { accessToken: 'very-secret' }, 0)).toBe(true);
  expect(await open().get(SLOT)).toEqual({ value: { accessToken: 'very-secret' }, version: 1 });
  const [row] = await database.selectFrom('upstream_tokens').selectAll().execute();
  expect(JSON.stringify(row)).not.toContain('very-secret');
  await expect(open(`${KEY} and more`).get(SLOT)).rejects.toMatchObject({
    message: expect.stringContaining('another key'),
  });
  await expect(open('short').put(SLOT, {}, undefined)).rejects.toMatchObject({ code: 'config' });
});

test.each(['upstream', 'place', 'owner', 'kind'] as const)('a row moved to another %s is refused', async (column) => {
  await open().put(SLOT, { accessToken: 'x' }, 0);
  const other = { ...SLOT, [column]: column === 'kind' ? 'client' : 'other' } as TokenSlot;
  await database
    .updateTable('upstream_tokens')
    .set({ [column]: other[column] })
    .execute();
  await expect(open().get(other)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('damaged'),
  });
});

test('of two who replace the same version one wins; a claim is one holder’s until it ends', async () => {
  const vault = open();
  await vault.put(SLOT, { n: 1 }, 0);
  expect(await vault.put(SLOT, { n: 2 }, 0)).toBe(false);
  expect(await Promise.all([vault.put(SLOT, { n: 3 }, 1), vault.put(SLOT, { n: 4 }, 1)])).toEqual([true, false]);
  expect(await vault.claim(SLOT, 1, 100)).toBe(false);
  expect(await vault.claim(SLOT, 2, 100)).toBe(true);
  expect(await vault.claim(SLOT, 2, 100)).toBe(false);
  now += 101;
  expect(await vault.claim(SLOT, 2, 100)).toBe(true);
  await vault.release(SLOT, 2);
  expect(await vault.claim(SLOT, 2, 100)).toBe(true);
  expect(await vault.remove({ ...SLOT, place: undefined })).toBe(1);
  expect(await vault.get(SLOT)).toBeUndefined();
});

test('what an identity provider said is named by the provider, not by a server', async () => {
  const slot: TokenSlot = { kind: 'identity', upstream: '', place: '["https://idp.test","sso"]', owner: 'local' };
  await open().put(slot, { idToken: 'x' }, 0);
  await expect(open(`${KEY} and more`).get(slot)).rejects.toMatchObject({
    forPeople: expect.stringMatching(/identity provider .*idp\.test.* another key.*"sallyport login"/),
  });
});
