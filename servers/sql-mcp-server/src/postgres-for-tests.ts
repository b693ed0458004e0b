import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);
const ROOT = '/usr/lib/postgresql';
const programs = existsSync(ROOT)
  ? readdirSync(ROOT)
      .map((version) => join(ROOT, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

export const hasPostgres = programs !== undefined;

/** A PostgreSQL server with a database, on a socket in a folder that is removed. PostgreSQL refuses to run as root. */
export async function startPostgres(statements: string) {
  const bin = (name: string) => join(programs ?? '', name);
  // It takes the place of the program that starts PostgreSQL, so that a signal reaches it.
  const [program = '', ...before] =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env'];
  const { stdout } = await run(program, [...before, 'mktemp', '-d', join(tmpdir(), 'sql-postgres-XXXXXX')]);
  const folder = stdout.trim();
  const data = join(folder, 'data');
  await run(program, [...before, bin('initdb'), '-A', 'trust', '-U', 'owner', '-N', '-D', data]);
  const flags = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const child = spawn(program, [...before, bin('postgres'), ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)));
  });
  const urlOf = (role: string) => `postgresql://${role}@/postgres?host=${encodeURIComponent(folder)}`;
  const client = new Client(urlOf('owner'));
  await client.connect();
  await client.query(statements);
  await client.end();
  return {
    urlOf,
    async stop() {
      child.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
