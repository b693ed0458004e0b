import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const BUNDLE = join(DIST, 'bundle/cli/main.js');
const MAKE = fileURLToPath(new URL('../../../scripts/bundle.mjs', import.meta.url));

/** These tests start the program as it is put together: after `tsc -b` alone that would be the one of yesterday. */
export function setup(): void {
  const made = statSync(BUNDLE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isStale = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).some(
    (name) => name.endsWith('.js') && !name.startsWith('bundle') && statSync(join(DIST, name)).mtimeMs > made,
  );
  if (isStale && spawnSync(process.execPath, [MAKE], { stdio: 'inherit' }).status !== 0)
    throw new Error('The program could not be put together: see above.');
}
