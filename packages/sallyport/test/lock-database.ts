import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { atTheEnd } from './at-the-end.ts';

const LIBRARY = createRequire(import.meta.url).resolve('@photostructure/sqlite');

/** Another process that holds the write lock of a database until it is told to let go. */
export async function lockDatabase(file: string): Promise<{ release(): Promise<void> }> {
  const script = `
    const { DatabaseSync } = require(${JSON.stringify(LIBRARY)});
    const database = new DatabaseSync(${JSON.stringify(file)});
    database.exec('PRAGMA busy_timeout=5000; begin immediate');
    process.stdout.write('locked');
    const end = () => { database.exec('commit'); database.close(); process.exit(0); };
    process.stdin.on('end', end).resume();`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  atTheEnd(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    async release() {
      child.stdin.end();
      await exited;
    },
  };
}
