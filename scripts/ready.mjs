// Brings a clone to the state every other script expects: dependencies from the lock file, then the build.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old: Sallyport needs 20.19 or newer (https://nodejs.org).`);
}

const installed = join(root, 'node_modules', '.package-lock.json');
const lock = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  run(
    'npm',
    ['ci', '--no-fund', '--no-audit', '--loglevel=error'],
    'Installing the dependencies from package-lock.json',
  );
}
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], 'Building');
run(process.execPath, [join(root, 'scripts', 'bundle.mjs')], 'Putting it together');

function run(command, args, what) {
  process.stderr.write(`${what} …\n`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(`${what} failed: the lines above say why.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
