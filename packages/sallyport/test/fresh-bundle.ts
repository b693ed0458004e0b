import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAKE = fileURLToPath(new URL('../../../scripts/bundle.mjs', import.meta.url));

/** These tests start the bundle: after `tsc -b` alone it would be that of an older build. */
export function setup(): void {
  if (spawnSync(process.execPath, [MAKE], { stdio: 'inherit' }).status !== 0)
    throw new Error('The bundle could not be made: see above.');
}
