import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../load/latency.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { type Instance, type Program, startInstance } from '../programs/program.ts';
import { launchSallyport, UNREAD, upstreamEntry } from '../programs/sallyport.ts';
import { AUDIT_MODES, type AuditMode, startWitness } from './audited-gateway.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';

const SLOW_MS = 10;
const CALLERS = 16;
const ROUNDS = 5;
const WINDOW_MS = 1_000;

/** For LD_PRELOAD: each sync takes longer, be it a call of its own or part of a write. */
const SLOW_SYNCS = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
static int later(const char *name, int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  usleep(${SLOW_MS * 1_000});
  return real(fd);
}
int fsync(int fd) { return later("fsync", fd); }
int fdatasync(int fd) { return later("fdatasync", fd); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  if (fcntl(fd, F_GETFL) & O_DSYNC) usleep(${SLOW_MS * 1_000});
  return real(fd, bytes, count, at);
}
`;

const SALLYPORT_ALONE: Omit<Program, 'name' | 'launch'> = {
  kind: 'sallyport',
  vias: ['http'],
  eras: ['modern'],
  mostSessions: 0,
};

interface SlowRow {
  readonly table: 'slow-disk';
  readonly mode: AuditMode;
  /** What the slow disk adds. */
  readonly p50Ms: number;
  readonly loopP99Ms: number;
}

/** What a disk adds to a call, and to the event loop of the gateway, when each sync takes 10 ms longer. */
export async function measureSlowDisk({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const source = join(folder, 'slow-syncs.c');
  const library = join(folder, 'slow-syncs.so');
  writeFileSync(source, SLOW_SYNCS);
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  const witness = await startWitness(folder);
  const load = startLoadProcess();
  const rows: SlowRow[] = [];
  try {
    for (const mode of AUDIT_MODES) {
      const place = { folder: join(folder, mode), library, load, url: witness.url };
      const row = await measureMode(mode, place);
      progress(JSON.stringify(row));
      rows.push(row);
    }
  } finally {
    load.close();
    await witness.stop();
  }
  const worst = (of: (row: SlowRow) => number): number => Math.max(...rows.map(of));
  return {
    figures: [
      atMost(
        'faults.slow_disk_p50_ms',
        worst((row) => row.p50Ms),
        { goal: 15, unit: 'ms' },
      ),
      atMost(
        'faults.slow_disk_loop_ms',
        worst((row) => row.loopP99Ms),
        { goal: 10, unit: 'ms' },
      ),
    ],
    rows,
  };
}

interface SlowPlace {
  readonly folder: string;
  readonly library: string;
  readonly load: LoadProcess;
  readonly url: string;
}

async function measureMode(mode: AuditMode, { folder, library, load, url }: SlowPlace): Promise<SlowRow> {
  const start = async (name: string, env: Readonly<Record<string, string>>): Promise<Instance> => {
    const directory = join(folder, name);
    mkdirSync(directory, { recursive: true });
    const sections = { audit: { mode }, telemetry: { metrics: true }, ...UNREAD };
    const program: Program = {
      ...SALLYPORT_ALONE,
      name,
      launch: (options) => launchSallyport({ echo: upstreamEntry(options) }, options, { sections, env }),
    };
    const instance = await startInstance(program, { via: 'http', upstreamUrl: url, directory, nodeFlags: [] });
    const key = `${mode}-${name}`;
    await load.run({ do: 'open', key, target: instance.target, era: 'modern', callers: CALLERS });
    await load.run({ do: 'run', key, tool: 'echo', callers: CALLERS, ms: WINDOW_MS });
    return instance;
  };
  const plain = await start('plain', {});
  // Otherwise syncs would pass by the C library.
  const slow = await start('slow', { LD_PRELOAD: library, UV_USE_IO_URING: '0' });
  const added: { readonly p50: number; readonly loop: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await takeWindow(plain, load, `${mode}-plain`);
    const after = await takeWindow(slow, load, `${mode}-slow`);
    added.push({ p50: after.p50 - before.p50, loop: after.loop - before.loop });
  }
  await load.run({ do: 'close', key: `${mode}-plain` });
  await load.run({ do: 'close', key: `${mode}-slow` });
  await Promise.all([plain, slow].map(({ child }) => child?.stop(20_000)));
  return {
    ...{ table: 'slow-disk', mode },
    p50Ms: median(added.map(({ p50 }) => p50)),
    loopP99Ms: median(added.map(({ loop }) => loop)),
  };
}

async function takeWindow({ target }: Instance, load: LoadProcess, key: string) {
  await readLoopDelay(target);
  const result = await load.run({ do: 'run', key, tool: 'echo', callers: CALLERS, ms: WINDOW_MS });
  if (result === undefined || result.calls === 0 || result.errors > 0)
    throw new Error(`${key}: ${result?.firstError ?? 'no answer'}`);
  return { p50: result.p50, loop: await readLoopDelay(target) };
}

/** 99th percentile since the last look. Milliseconds. */
async function readLoopDelay({ port, headers }: Instance['target']): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { ...headers } });
  const found = /^nodejs_eventloop_delay_p99\S* (\S+)$/m.exec(await response.text())?.[1];
  if (found === undefined) throw new Error('the metrics have no delay of the event loop');
  return Number(found) * 1_000;
}
