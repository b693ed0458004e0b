import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '../../test/wait-for.ts';
import { silentLog } from '../core/log.ts';
import { type Database, openDatabase } from './database.ts';
import { createKey, listKeys, openKeyDirectory, revokeKey } from './keys.ts';

const NOW = 1_800_000_000_000;
const plain = { groups: [], attributes: {} };
const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
  database = await openDatabase(join(folder, 'sallyport.db'));
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true });
});

test('a key is kept by its digest only, with everything about its holder', async () => {
  const wanted = {
    name: 'ci',
    account: 'build',
    groups: ['a'],
    scopes: ['x'],
    attributes: { tenant: 'acme' },
    expiresAt: NOW + 1,
  };
  const { key, secret } = await createKey(database, wanted, NOW);
  expect(secret).toMatch(/^sp_[\w-]{43}$/);
  expect(await listKeys(database)).toEqual([key]);
  expect(key).toMatchObject({ ...wanted, createdAt: NOW, person: undefined });
  const rows = await database.selectFrom('api_key').selectAll().execute();
  expect(rows[0]?.digest).toBe(digestOf(secret));
  expect(JSON.stringify(rows)).not.toContain(secret.slice(3));
});

test('two keys have two names', async () => {
  await createKey(database, { name: 'ci', ...plain }, NOW);
  await expect(createKey(database, { name: 'ci', ...plain }, NOW)).rejects.toMatchObject({ code: 'usage' });
  expect(await listKeys(database)).toHaveLength(1);
});

test('a revoked key stays revoked, and one that does not exist is said to', async () => {
  const { key } = await createKey(database, { name: 'ci', ...plain }, NOW);
  expect((await revokeKey(database, key.id, NOW + 1)).revokedAt).toBe(NOW + 1);
  expect((await revokeKey(database, 'ci', NOW + 9)).revokedAt).toBe(NOW + 1);
  await expect(revokeKey(database, 'other', NOW)).rejects.toMatchObject({ code: 'not_found' });
});

test('what another process changes shows in a directory within a second; it writes down the last use', async () => {
  const directory = await openKeyDirectory(database, silentLog);
  const other = await openDatabase(join(folder, 'sallyport.db'));
  const { key, secret } = await createKey(other, { name: 'ci', ...plain }, NOW);
  await waitFor(() => expect(directory.find(digestOf(secret))).toEqual(key));
  const { version } = directory;
  directory.used(key.id, NOW + 5);
  await revokeKey(other, 'ci', NOW + 6);
  await waitFor(() => expect(directory.find(digestOf(secret))).toBeUndefined());
  expect(directory.version).toBeGreaterThan(version);
  await directory.close();
  await directory.close();
  expect((await listKeys(other))[0]).toMatchObject({ lastUsedAt: NOW + 5, revokedAt: NOW + 6 });
  await other.destroy();
});

test('a directory that cannot be read lets nobody in', async () => {
  const directory = await openKeyDirectory(database, silentLog);
  const clock = vi.spyOn(performance, 'now');
  try {
    await database.schema.dropTable('api_key').execute();
    clock.mockReturnValue(performance.now() + 6_000);
    expect(() => directory.find('x')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(directory.version).toBe(-1);
  } finally {
    clock.mockRestore();
    await directory.close();
  }
});
