// Runs the built product with the sample of real servers. State stays inside the clone; arguments go to `sallyport up`.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const state = process.env.SALLYPORT_STATE ?? join(root, '.sallyport');
mkdirSync(state, { recursive: true, mode: 0o700 });
const child = spawn(
  process.execPath,
  [
    join(root, 'packages/sallyport/bin/sallyport.js'),
    'up',
    '--config',
    join(root, 'sallyport.sample.json'),
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SALLYPORT_STATE: state } },
);
// A terminal sends Ctrl+C to both; a supervisor may signal only this one.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {});
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
