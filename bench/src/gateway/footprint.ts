import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load/latency.ts';
import type { LoadProcess } from '../load/load-process.ts';
import { programProcesses, usageOf } from '../process/process-tree.ts';
import { type Instance, labelOf, type Program, startInstance, type Via } from '../programs/program.ts';
import { launchSallyport, STDIO_ENTRY, UPSTREAM_MARK } from '../programs/programs.ts';

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
  readonly settleMs: number;
  readonly say: (text: string) => void;
}

/** Sessions opened before the baseline is read, so that what the first ones warm up is not counted as theirs. */
const WARM_SESSIONS = 100;

/** The programs one after the other; their settling times overlap, since idle processes do not disturb RSS. */
export async function measureFootprints(
  programs: readonly { readonly program: Program; readonly via: Via }[],
  options: FootprintOptions,
): Promise<Footprint[]> {
  const { load, say } = options;
  const measured = programs.map(({ program, via }) => ({
    program,
    via,
    label: labelOf({ program, via }),
    instance: undefined as Instance | undefined,
    starts: [] as number[],
    rss: [] as number[],
    sessions: 0,
    problem: undefined as string | undefined,
  }));
  const attempt = async (one: (typeof measured)[number], action: () => Promise<void>): Promise<void> => {
    if (one.problem !== undefined) return;
    await action().catch((error: unknown) => {
      one.problem = error instanceof Error ? error.message : String(error);
    });
  };
  const settle = async (): Promise<void> => {
    await sleep(options.settleMs);
    for (const one of measured) one.rss.push(one.instance === undefined ? Number.NaN : rssOf(one.instance));
  };

  say(`starts: ${options.starts} of each program`);
  for (let round = 0; round < options.starts; round += 1) {
    for (const one of measured) {
      await attempt(one, async () => {
        await one.instance?.child?.stop();
        const { upstreamUrl } = options;
        const directory = join(options.directory, one.label.replace(' ', '-'));
        one.instance = await startInstance(one.program, { via: one.via, upstreamUrl, directory, nodeFlags: [] });
        one.starts.push(one.instance.firstListMs);
      });
    }
  }
  say('idle memory');
  for (const one of measured) {
    const target = one.instance?.target;
    if (target === undefined) continue;
    await attempt(one, () =>
      callOnce(load, one.label, target, one.program.eras.includes('legacy') ? 'legacy' : 'modern'),
    );
  }
  await settle();
  for (const phase of [WARM_SESSIONS, options.sessions]) {
    say(`${phase} idle sessions in each program`);
    for (const one of measured) {
      const target = one.instance?.target;
      const warming = phase === WARM_SESSIONS;
      const count = Math.min(phase, warming ? one.program.mostSessions / 4 : one.program.mostSessions);
      if (target === undefined || count === 0) continue;
      await attempt(one, async () => {
        await load.run({ do: 'sessions', key: `${one.label} ${phase}`, target, count });
        if (!warming) one.sessions = count;
      });
    }
    await settle();
  }
  for (const one of measured) {
    await load.run({ do: 'close', key: `${one.label} ${WARM_SESSIONS}` });
    await load.run({ do: 'close', key: `${one.label} ${options.sessions}` });
    await one.instance?.child?.stop();
  }
  return measured.map(({ program, via, starts, rss: [idle, before, after], sessions, problem }) => ({
    program: program.name,
    via,
    idleMb: (idle ?? Number.NaN) / 1e6,
    sessionKib: sessions === 0 ? Number.NaN : ((after ?? Number.NaN) - (before ?? Number.NaN)) / sessions / 1024,
    sessions,
    firstListMs: median(starts.slice(starts.length > 1 ? 1 : 0)),
    problem,
  }));
}

/** Sallyport with five HTTP and five stdio upstreams; the first start is there to fill the catalogue. */
export async function measureTenUpstreams(sallyport: Program, options: FootprintOptions): Promise<TenUpstreams> {
  const { load, say, settleMs } = options;
  const servers: Record<string, object> = {};
  for (let i = 1; i <= 5; i += 1) {
    servers[`web${i}`] = { url: options.upstreamUrl.replace('/mcp', `/mcp${i}`) };
    servers[`local${i}`] = STDIO_ENTRY;
  }
  const program: Program = { ...sallyport, launch: (launch) => launchSallyport(servers, launch) };
  const directory = join(options.directory, 'ten-upstreams');
  const starts: number[] = [];
  let instance: Instance | undefined;
  try {
    say('sallyport with ten upstreams');
    for (let start = 0; start <= options.starts; start += 1) {
      await instance?.child?.stop();
      const launch = { via: 'http', upstreamUrl: options.upstreamUrl, directory, nodeFlags: [] } as const;
      instance = await startInstance(program, launch, 20);
      if (start > 0) starts.push(instance.firstListMs);
      // Every upstream is called in the first run: what is known from it is what the next start may use.
      if (start === 0 || start === options.starts) await callEach(load, instance, Object.keys(servers));
    }
    await sleep(settleMs);
    if (instance === undefined) throw new Error('not started');
    return { idleMb: rssOf(instance) / 1e6, firstListMs: median(starts), problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { idleMb: Number.NaN, firstListMs: median(starts), problem };
  } finally {
    await instance?.child?.stop();
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

function rssOf({ child }: Instance): number {
  return child === undefined ? Number.NaN : usageOf(programProcesses(child.pid, UPSTREAM_MARK)).rssBytes;
}
