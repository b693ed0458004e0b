import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childSettings, isRunning } from '../../test/stdio-child.ts';
import { waitFor } from '../../test/wait-for.ts';
import { silentLog } from '../core/log.ts';
import { Watchdog } from './watchdog.ts';

const posix = describe.skipIf(process.platform === 'win32');

async function allGone(pids: readonly number[]): Promise<void> {
  await waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
}

function startSleeper(): ChildProcess & { readonly pid: number } {
  return spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }) as ChildProcess & { readonly pid: number };
}

posix('the watchdog', () => {
  it('kills what it was told of and not told to forget', async () => {
    const watchdog = new Watchdog(silentLog);
    const sleepers = Array.from({ length: 5 }, startSleeper);
    for (const { pid } of sleepers) watchdog.watch(pid);
    const [first, , third, , last] = sleepers.map(({ pid }) => pid) as [number, number, number, number, number];
    for (const pid of [first, third, last]) watchdog.forget(pid);
    await watchdog.close();
    await watchdog.close();
    expect(watchdog.pid !== undefined && isRunning(watchdog.pid)).toBe(false);
    await waitFor(() => expect(sleepers.map(({ pid }) => isRunning(pid))).toEqual([true, false, true, false, true]));
    for (const sleeper of sleepers) sleeper.kill('SIGKILL');
  });

  it.runIf(process.platform === 'linux')(
    'ignores signals, and is started again when it is killed, knowing all groups',
    async () => {
      const watchdog = new Watchdog(silentLog);
      const sleeper = startSleeper();
      watchdog.watch(sleeper.pid);
      const first = watchdog.pid ?? 0;
      await waitFor(() => expect(readFileSync(`/proc/${first}/status`, 'latin1')).toMatch(/SigIgn:\t0*[1-9a-f]/));
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(first, signal);
      process.kill(first, 'SIGKILL');
      await waitFor(() => expect(watchdog.pid).not.toBe(first));
      const exited = once(sleeper, 'exit');
      await watchdog.close();
      expect(await exited).toEqual([null, 'SIGKILL']);
    },
  );

  it('is small and in a session of its own', async () => {
    const watchdog = new Watchdog(silentLog);
    const sleeper = startSleeper();
    watchdog.watch(sleeper.pid);
    const row = execFileSync('ps', ['-o', 'sess=,rss=', '-p', String(watchdog.pid)], { encoding: 'utf8' });
    const [session, kib] = row.trim().split(/\s+/).map(Number);
    expect(session).toBe(watchdog.pid);
    expect(kib).toBeLessThan(4096);
    await watchdog.close();
  });
});

posix('after kill -9 of Sallyport itself', () => {
  let folder: string;

  // A node process of its own needs JavaScript; what lies in dist/ may be older than what is tested.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-'));
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const here = dirname(fileURLToPath(import.meta.url));
    const options = '--ignoreConfig --module nodenext --target es2023 --types node --skipLibCheck --noCheck';
    const emit = ['--rewriteRelativeImportExtensions', '--rootDir', dirname(here), '--outDir', folder];
    execFileSync(process.execPath, [tsc, ...options.split(' '), ...emit, join(here, 'supervisor.ts')], {
      cwd: dirname(dirname(here)),
    });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'parent.mjs'),
      `import { createSupervisor } from ${JSON.stringify(pathToFileURL(join(folder, 'upstream/supervisor.js')).href)};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const supervisor = createSupervisor({ log, clock: { now: Date.now } });
      for (const settings of JSON.parse(process.argv[2])) {
        const message = (bytes) => process.stdout.write(bytes + '\\n');
        await supervisor.openWire(settings, { message, failed() {}, lost() {} });
      }`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['SIGKILL', 'SIGABRT'] as const)('nothing is left running (%s)', async (signal) => {
    const settings = ['one', 'two', 'three'].map((name) => ({ ...childSettings('stubborn'), name }));
    const parent = spawn(process.execPath, [join(folder, 'parent.mjs'), JSON.stringify(settings)], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids: number[] = [];
    for await (const line of createInterface({ input: parent.stdout })) {
      pids.push(...(JSON.parse(line) as { pids: number[] }).pids);
      if (pids.length === 9) break;
    }
    const watchdogs = childrenOf(parent.pid ?? 0).filter((pid) => !pids.includes(pid));
    try {
      expect(pids.filter(isRunning)).toHaveLength(9);
      expect(watchdogs).toHaveLength(1);
      // The whole process group, as a terminal or a container's stop would.
      process.kill(-(parent.pid ?? 0), signal);
      await allGone([...pids, ...watchdogs]);
    } finally {
      for (const pid of [...pids, ...watchdogs].filter(isRunning)) process.kill(pid, 'SIGKILL');
    }
  });
});

function childrenOf(parent: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
}
