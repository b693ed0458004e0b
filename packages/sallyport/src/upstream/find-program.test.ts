import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram } from './find-program.ts';

test('passes over folders of PATH that cannot be looked into', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-find-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
  mkdirSync(join(folder, 'closed'));
  chmodSync(join(folder, 'closed'), 0);
  // Root may open that folder; a name of 300 characters is refused to everyone.
  const path = [join(folder, 'closed'), join(folder, 'x'.repeat(300)), folder].join(delimiter);
  const found = findProgram({ command: 'program', cwd: folder, path, extensions: [] });
  expect(found).toEqual({ kind: 'found', path: join(folder, 'program') });
});
