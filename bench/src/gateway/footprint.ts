import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load/latency.ts';
import type { LoadProcess } from '../load/load-process.ts';
import { programProcesses, usageOf } from '../process/process-tree.ts';
import { type Instance, labelOf, type Program, startInstance, type Via } from '../programs/program.ts';
import { UPSTREAM_MARK } from '../programs/programs.ts';
import { launchSallyport, STDIO_ENTRY } from '../programs/sallyport.ts';

/** Memory and start of one program, measured on processes that carry no load. Values are NaN where not measured. */
export interface Footprint {
  readonly program: string;
  readonly via: Via;
  /** Resident after one session, one list and one call of each tool. MB = 10^6 bytes. */
  readonly idleMb: number;
  /** KiB = 2^10 bytes. */
  readonly sessionKib: number;
  readonly sessions: number;
  readonly firstListMs: number;
  readonly problem: string | undefined;
}

export interface TenUpstreams {
  readonly idleMb: number;
  readonly firstListMs: number;
  readonly problem: string | undefined;
}

export interface FootprintOptions {
  readonly load: LoadProcess;
  readonly upstreamUrl: string;
  readonly directory: string;
  readonly sessions: number;
  readonly starts: number;
  readonly say: (text: string) => void;
}

/**
 * Before idle memory is read. V8 returns what starting took when a program has been idle for ten to twenty-five
 * seconds, and workers with nothing to do end about then.
 */
const REST_MS = 28_000;
/** After opening sessions: their garbage is part of what an operator sees. */
const SHORT_REST_MS = 6_000;
/** Opened before the baseline is read, so that what the first ones warm up is not counted as theirs. */
const WARM_SESSIONS = 100;
/** Twice: the first collection runs finalizers whose memory only the second one gets. */
const COLLECTIONS = 2;
const COLLECTION_MS = 1_500;
const COLLECT_FLAGS = ['--expose-gc', `--import=${new URL('../process/collect-on-signal.js', import.meta.url).href}`];

interface Subject {
  readonly program: Program;
  readonly via: Via;
  readonly label: string;
  readonly starts: number[];
  instance: Instance | undefined;
  idleBytes: number;
  beforeBytes: number;
  afterBytes: number;
  sessions: number;
  problem: string | undefined;
}

/** Step by step for all programs together: idle processes do not disturb each other's memory. */
export async function measureFootprints(
  programs: readonly { readonly program: Program; readonly via: Via }[],
  options: FootprintOptions,
): Promise<{ footprints: Footprint[]; ten: TenUpstreams | undefined }> {
  const { load, say, starts, sessions } = options;
  const subjects = programs.map(
    ({ program, via }): Subject => ({
      program,
      via,
      label: labelOf({ program, via }),
      starts: [],
      instance: undefined,
      idleBytes: Number.NaN,
      beforeBytes: Number.NaN,
      afterBytes: Number.NaN,
      sessions: 0,
      problem: undefined,
    }),
  );
  const forEach = async (action: (subject: Subject) => Promise<void>): Promise<void> => {
    for (const subject of subjects) {
      if (subject.problem !== undefined) continue;
      await action(subject).catch((error: unknown) => {
        subject.problem = error instanceof Error ? error.message : String(error);
      });
    }
  };

  say(`${starts} starts of each program`);
  for (let round = 0; round < starts; round += 1) {
    await forEach(async (subject) => {
      subject.starts.push((await restart(subject, [], options)).firstListMs);
    });
  }
  say('idle memory');
  await forEach(async (subject) => {
    const { target } = await restart(subject, COLLECT_FLAGS, options);
    await callOnce(load, subject.label, target, subject.program.eras.includes('legacy') ? 'legacy' : 'modern');
  });
  const sallyport = programs.find(({ program }) => program.kind === 'sallyport')?.program;
  const ten = sallyport && (await startTenUpstreams(sallyport, options));
  await sleep(REST_MS);
  for (const subject of subjects) subject.idleBytes = rssOf(subject.instance);
  const tenBytes = rssOf(ten?.instance);
  await ten?.instance?.child?.stop();

  say(`${sessions} idle sessions in each program`);
  await forEach(async ({ instance, label, program }) => {
    if (instance === undefined || program.mostSessions === 0) return;
    const count = Math.min(WARM_SESSIONS, program.mostSessions);
    await load.run({ do: 'sessions', key: `${label} first`, target: instance.target, count });
  });
  // Else the growth would be set against garbage of the start, which V8 returns whenever it likes.
  await collectGarbage(subjects);
  for (const subject of subjects) subject.beforeBytes = rssOf(subject.instance);
  await forEach(async (subject) => {
    const { instance, label, program } = subject;
    const count = Math.min(sessions, program.mostSessions);
    if (instance === undefined || count === 0) return;
    await load.run({ do: 'sessions', key: `${label} more`, target: instance.target, count });
    subject.sessions = count;
  });
  await sleep(SHORT_REST_MS);
  for (const subject of subjects) subject.afterBytes = rssOf(subject.instance);

  for (const { label, instance } of subjects) {
    await instance?.child?.stop();
    for (const part of ['first', 'more']) await load.run({ do: 'close', key: `${label} ${part}` });
  }
  const footprints = subjects.map((subject) => ({
    program: subject.program.name,
    via: subject.via,
    idleMb: subject.idleBytes / 1e6,
    sessionKib: (subject.afterBytes - subject.beforeBytes) / subject.sessions / 1024,
    sessions: subject.sessions,
    // The first start finds an empty state folder and cold file caches.
    firstListMs: median(subject.starts.slice(subject.starts.length > 1 ? 1 : 0)),
    problem: subject.problem,
  }));
  if (ten === undefined) return { footprints, ten };
  const { problem } = ten;
  return { footprints, ten: { idleMb: tenBytes / 1e6, firstListMs: median(ten.starts), problem } };
}

async function restart(subject: Subject, nodeFlags: readonly string[], options: FootprintOptions): Promise<Instance> {
  await subject.instance?.child?.stop();
  const directory = join(options.directory, subject.label.replace(' ', '-'));
  const { upstreamUrl } = options;
  subject.instance = await startInstance(subject.program, { via: subject.via, upstreamUrl, directory, nodeFlags });
  return subject.instance;
}

async function collectGarbage(subjects: readonly Subject[]): Promise<void> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    for (const { instance, problem } of subjects) {
      const child = instance?.child;
      if (child !== undefined && problem === undefined && child.ended() === undefined)
        process.kill(child.pid, 'SIGUSR2');
    }
    await sleep(COLLECTION_MS);
  }
}

interface StartedTen {
  readonly instance: Instance | undefined;
  readonly starts: readonly number[];
  readonly problem: string | undefined;
}

/** Sallyport with five HTTP and five stdio upstreams; the first start is there to fill the catalogue. */
async function startTenUpstreams(sallyport: Program, options: FootprintOptions): Promise<StartedTen> {
  const { load, upstreamUrl } = options;
  const servers: Record<string, object> = {};
  for (let i = 1; i <= 5; i += 1) {
    servers[`web${i}`] = { url: upstreamUrl.replace('/mcp', `/mcp${i}`) };
    servers[`local${i}`] = STDIO_ENTRY;
  }
  const program: Program = { ...sallyport, launch: (launch) => launchSallyport(servers, launch) };
  const launch = {
    via: 'http',
    upstreamUrl,
    directory: join(options.directory, 'ten-upstreams'),
    nodeFlags: [],
  } as const;
  const starts: number[] = [];
  let instance: Instance | undefined;
  try {
    for (let start = 0; start <= options.starts; start += 1) {
      await instance?.child?.stop();
      instance = await startInstance(program, launch, 20);
      if (start > 0) starts.push(instance.firstListMs);
      // In the first run for what the next starts may know from it, in the last so that all are connected.
      if (start === 0 || start === options.starts) await callEach(load, instance, Object.keys(servers));
    }
    return { instance, starts, problem: undefined };
  } catch (error) {
    await instance?.child?.stop();
    return { instance: undefined, starts, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function callEach(load: LoadProcess, instance: Instance, servers: readonly string[]): Promise<void> {
  for (const server of servers) {
    await callOnce(load, `ten ${server}`, { ...instance.target, toolPrefix: `${server}_` }, 'modern');
  }
}

/** Opening callers makes one checked call of each tool. */
async function callOnce(
  load: LoadProcess,
  key: string,
  target: Instance['target'],
  era: 'legacy' | 'modern',
): Promise<void> {
  await load.run({ do: 'open', key, target, era, callers: 1 });
  await load.run({ do: 'close', key });
}

function rssOf(instance: Instance | undefined): number {
  const child = instance?.child;
  return child === undefined ? Number.NaN : usageOf(programProcesses(child.pid, UPSTREAM_MARK)).rssBytes;
}
