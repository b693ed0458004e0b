import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readHead, writeHead } from './head-file.ts';
import { GENESIS, toLine } from './record-line.ts';
import { createSealer, makeSealKey, readPublicKey } from './sealer.ts';

const KEY = makeSealKey();
const sealer = createSealer(KEY);
const HEAD = { seq: 7, hash: GENESIS };

function newChain() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-head-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const read = (chain: string, key = KEY) => readHead({ folder, chain }, readPublicKey(key));
  return { folder, read };
}

test('a head vouches for its own chain only', async () => {
  const { folder, read } = newChain();
  expect(await read('0')).toBeUndefined();
  await writeHead({ folder, chain: '0' }, sealer, HEAD);
  expect(await read('0')).toEqual(HEAD);
  expect(await read('1')).toBe('forged');
  expect(await read('0', makeSealKey())).toBe('forged');
});

test.each([
  ['a seal of the same chain', sealer.seal(toLine(7, GENESIS, '"time":"","kind":"seal","chain":"0"}'))],
  ['a head that names no chain', sealer.seal(JSON.stringify(HEAD))],
  ['no signature', JSON.stringify({ chain: '0', ...HEAD })],
  ['nothing', ''],
])('%s is none', async (_, text) => {
  const { folder, read } = newChain();
  writeFileSync(join(folder, 'head.json'), text);
  expect(await read('0')).toBe('forged');
});
