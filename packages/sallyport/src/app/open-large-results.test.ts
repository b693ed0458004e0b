import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type ArtifactLimits, BLOCK, type NewArtifact } from '../core/artifact.ts';
import { toSource } from '../core/byte-source.ts';
import { createRowKeys } from '../state/row-keys.ts';
import { createArtifactStore } from '../storage/artifacts.ts';
import { type Database, openDatabase } from '../storage/database.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open() {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-artifacts-'));
  const database: Database = await openDatabase(':memory:');
  ends.push(
    () => rm(directory, { recursive: true }),
    () => database.destroy(),
  );
  const clock = { time: Date.now(), now: () => clock.time };
  const keys = createRowKeys(Buffer.alloc(32, 7));
  const store = createArtifactStore({ database: async () => database, directory, clock, seal: async () => keys });
  return { store, directory, database, clock };
}

const LIMITS: ArtifactLimits = { keepMs: 1_000, maxBytes: 100 * BLOCK, store: 'files', isSealed: true };
const BYTES = Buffer.from(Array.from({ length: 2 * BLOCK + 100 }, (_, i) => (i * 31 + (i >> 8)) & 255));

function about(principal = 'key:1'): NewArtifact {
  return {
    owner: { principal, agent: '', run: 'r' },
    ...{ endpoint: 'all', upstream: 'web', tool: 'get', publicName: 'web_get', callId: 'c', labels: 4 },
    ...{ form: 'binary', mimeType: 'a/b', characters: 0, lines: 0, blocks: [] },
  };
}

const PLACES = (['files', 'database'] as const).flatMap((store) =>
  [true, false].map((isSealed) => ({ ...LIMITS, store, isSealed })),
);

describe.each(PLACES)('in $store, sealed: $isSealed', (limits) => {
  test('what was saved is read in any part, and found with its owner and labels', async () => {
    const { store } = await open();
    const { id } = await store.save(about(), toSource(BYTES), limits);
    const found = await store.find(id);
    expect(found).toMatchObject({ ...about(), bytes: BYTES.length });
    if (found === undefined) return;
    const source = await store.open(found);
    for (const [from, to] of [
      [0, 10],
      [BLOCK - 5, BLOCK + 5],
      [100, BYTES.length],
      [BYTES.length - 1, BYTES.length],
    ] as const)
      expect((await source.read(from, to)).equals(BYTES.subarray(from, to))).toBe(true);
    await source.close();
  });

  test('it is gone when its time is over, and its bytes with the next sweep', async () => {
    const { store, clock, directory, database } = await open();
    const { id } = await store.save(about(), toSource(BYTES), limits);
    expect(await store.holders(5)).toEqual(['key:1']);
    clock.time += 1_000;
    expect(await store.find(id)).toBeUndefined();
    expect(await store.holders(5)).toEqual([]);
    await store.sweep();
    expect(readdirSync(directory)).toEqual([]);
    expect(await database.selectFrom('artifact_block').selectAll().execute()).toEqual([]);
  });
});

test('changed bytes are an error and not another text', async () => {
  const { store, directory } = await open();
  const saved = await store.save(about(), toSource(BYTES), LIMITS);
  const file = join(directory, saved.id);
  const whole = readFileSync(file);
  const size = BLOCK + 28;
  const swapped = Buffer.concat([whole.subarray(size, 2 * size), whole.subarray(0, size), whole.subarray(2 * size)]);
  for (const changed of [swapped, whole.subarray(0, size), Buffer.alloc(0)]) {
    writeFileSync(file, changed);
    const source = await store.open(saved);
    await expect(source.read(0, BYTES.length)).rejects.toMatchObject({ code: 'not_found' });
    await source.close();
  }
});

test('a caller makes room with its own artifacts only, and leaves some for others', async () => {
  const { store } = await open();
  const limits = { ...LIMITS, maxBytes: 8 * BYTES.length };
  const other = await store.save(about('key:2'), toSource(BYTES), limits);
  const saved: string[] = [];
  for (let i = 0; i < 12; i++) saved.push((await store.save(about(), toSource(BYTES), limits)).id);
  expect(await store.find(other.id)).toBeDefined();
  expect(await store.find(saved[0] ?? '')).toBeUndefined();
  expect(await store.find(saved.at(-1) ?? '')).toBeDefined();
  expect(await store.save(about('key:3'), toSource(BYTES), limits)).toBeDefined();
  const large = { ...LIMITS, maxBytes: BYTES.length - 1 };
  await expect(store.save(about('key:4'), toSource(BYTES), large)).rejects.toMatchObject({ code: 'too_large' });
});

test('a store that cannot be written says so', async () => {
  const { database, clock } = await open();
  const keys = createRowKeys(Buffer.alloc(32, 7));
  const store = createArtifactStore({
    ...{ database: async () => database, directory: '/dev/null/artifacts', clock },
    seal: async () => keys,
  });
  await expect(store.save(about(), toSource(BYTES), LIMITS)).rejects.toMatchObject({
    code: 'overloaded',
    message: 'The whole result is not stored: it could not be written to disk.',
  });
});

test('what a killed process left half done is nobody’s, and is deleted an hour later', async () => {
  const { store, directory, clock, database } = await open();
  const saved = await store.save(about(), toSource(BYTES), LIMITS);
  const lost = `ar_${'0'.repeat(32)}`;
  for (const name of [lost, `${lost}.1234abcd.part`]) {
    writeFileSync(join(directory, name), 'half');
    utimesSync(join(directory, name), clock.time / 1000 - 4_000, clock.time / 1000 - 4_000);
  }
  writeFileSync(join(directory, `ar_${'1'.repeat(32)}.1234abcd.part`), 'being written');
  const row = { artifact: lost, seq: 0, body: 'half', written_at: clock.time - 4_000_000 };
  await database.insertInto('artifact_block').values(row).execute();
  expect(await store.find(lost)).toBeUndefined();
  await store.sweep();
  expect(readdirSync(directory).sort()).toEqual([`ar_${'1'.repeat(32)}.1234abcd.part`, saved.id].sort());
  expect(await database.selectFrom('artifact_block').selectAll().execute()).toEqual([]);
});
