import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../storage/database.ts';
import { openKeptResults } from './open-kept-results.ts';

const ANNA = { principal: 'key:anna', upstream: 'web', tool: 'fetch', argumentsDigest: 'd1' };
const SAID = { content: [{ type: 'text', text: 'ghp_said-in-the-result' }] };
const FINDING = { id: 'overrides', evidence: 'said-in-the-text' } as never;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('what a server said stands nowhere in the clear, and is gone where the key is another one', async () => {
  const folder = newFolder();
  const database = await openDatabase(join(folder, 'sallyport.db'));
  onTestFinished(() => database.destroy());
  const ports = { database: async () => database, clock: { now: () => 1_000_000 } };
  const store = await openKeptResults(folder, ports)();
  const id = (await store.keep(ANNA, { result: SAID, findings: [FINDING], keepMs: 1_000 })) ?? '';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.join()).toContain(id);
  expect(files.join()).not.toContain('said-in-the');
  expect(await (await openKeptResults(folder, ports)()).get(id)).toMatchObject({ result: SAID, findings: [FINDING] });

  const other = await openKeptResults(newFolder(), ports)();
  expect(await other.get(id)).toMatchObject({ result: undefined, findings: [] });
  await other.decide(id, { state: 'released', by: 'os:someone', reason: 'a page about attacks' });
  expect(await other.take(ANNA)).toBeUndefined();
});
