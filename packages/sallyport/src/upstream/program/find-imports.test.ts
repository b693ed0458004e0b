import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Language } from '../../config/read-command.ts';
import { findImports } from './find-imports.ts';

function find(source: string, language: Language, maxLooks?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'imports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'main');
  writeFileSync(file, source);
  return findImports([file], language, maxLooks);
}

const MANY = 500_000;

// Each of these took the event loop for minutes.
test.each<[string, string, Language]>([
  ['blanks after import', `import${' '.repeat(MANY)}x`, 'javascript'],
  ['dots after from', `from ${'.'.repeat(MANY)}!`, 'python'],
  ['blanks after from', `from${' '.repeat(MANY)}!`, 'python'],
])('%s are read once', async (_, source, language) => {
  expect((await find(source, language)).files).toHaveLength(1);
});

test('a script with paths beyond all scripts cannot be told', async () => {
  const paths = Array.from({ length: 100 }, (_, i) => `"./p${i}"`).join();
  await expect(find(paths, 'javascript', 1000)).rejects.toThrow(RangeError);
  expect((await find(paths, 'javascript', 1100)).files).toHaveLength(1);
});
