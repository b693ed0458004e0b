import { setTimeout } from 'node:timers/promises';
import type { ServerSettings } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { Child, PATIENCE, type Patience } from './child.ts';
import { toChildEnvironment } from './child-environment.ts';
import { type ChildExit, type ChildReport, describeExit, describeStderr } from './child-report.ts';
import { readGroupMemory } from './group-memory.ts';
import type { Isolate } from './isolation.ts';
import { LineRing } from './line-ring.ts';
import { createPlainText } from './plain-text.ts';
import { type Deaths, NO_DEATHS, nextStart, RESTART_RULES, type RestartRules, recordDeath } from './restart-gate.ts';
import { isStdio, type StdioSettings } from './spawn-fault.ts';
import { openStdioWire, STDIO_LIMITS, type StdioLimits } from './stdio-wire.ts';
import { Watchdog } from './watchdog.ts';
import type { Wire, WireSink } from './wire.ts';

export interface SupervisorOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly rules?: RestartRules;
  readonly patience?: Patience;
  readonly limits?: StdioLimits;
  readonly memoryPollMs?: number;
  /** Sallyport's own environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Asked before each start; throws when what would run is not approved. Left out: everything may be started. */
  readonly admitProgram?: AdmitProgram;
  /** How children are kept from the state directory. Left out: they are started as they are. */
  readonly isolate?: Isolate;
}

/** @param environment of the child. @throws FaultError `denied`. */
export type AdmitProgram = (settings: ServerSettings, environment: Readonly<Record<string, string>>) => Promise<void>;

/** Starts and ends all stdio children. */
export interface Supervisor {
  /**
   * Starts a child for an upstream of transport `stdio`, after the back-off its quick deaths ask for. Resolves once it
   * is spawned; after that, trouble goes to `sink.lost`, except when the wire is closed by its owner.
   * @throws FaultError `unreachable` (cannot be started, crash loop), `cancelled` (signal), `draining` (closed).
   */
  openWire(settings: ServerSettings, sink: WireSink, signal?: AbortSignal): Promise<Wire>;
  /** `undefined`: nothing was ever started for it. */
  report(upstream: string): ChildReport | undefined;
  /** Of running children. */
  pids(upstream: string): number[];
  /** Forgives an upstream its deaths: a person asked for a restart. */
  forgive(upstream: string): void;
  /** Counts a line that looked like a message and was none. */
  noteNoise(upstream: string, line: Buffer): void;
  /** Ends all children within five seconds. Idempotent. */
  close(): Promise<void>;
}

const STDERR = { lines: 200, lineLength: 2000, total: 200_000 };
const NOISE = { lines: 20, lineLength: 500, total: 10_000 };
const MEMORY_POLL_MS = 5000;
const MIB = 1024 * 1024;
/** Upstreams that were removed from the configuration keep their record until there are this many. */
const MAX_RECORDS = 1000;

/** What is known of one upstream's children, dead and alive. */
interface Family {
  readonly name: string;
  /** Identifies the program: another one starts with a clean slate. */
  program: string;
  toPlain: (line: string) => string;
  readonly living: Map<Child, StdioSettings>;
  latest: Child | undefined;
  exit: ChildExit | undefined;
  lastDead: Child | undefined;
  startFailure: string | undefined;
  deaths: Deaths;
  readonly stderr: LineRing;
  readonly noise: { count: number; readonly ring: LineRing };
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  return new ChildSupervisor(options);
}

class ChildSupervisor implements Supervisor {
  readonly #options: SupervisorOptions;
  readonly #rules: RestartRules;
  readonly #families = new Map<string, Family>();
  readonly #watchdog: Watchdog;
  readonly #closing = new AbortController();
  #memoryTimer: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#rules = options.rules ?? RESTART_RULES;
    this.#watchdog = new Watchdog(options.log);
  }

  async openWire(settings: ServerSettings, sink: WireSink, signal?: AbortSignal): Promise<Wire> {
    if (!isStdio(settings)) {
      throw new FaultError('internal', `The server "${settings.name}" is not started by Sallyport.`);
    }
    const family = this.#familyOf(settings);
    await this.#admit(family, signal);
    const child = await this.#start(family, settings, sink);
    return openStdioWire({
      upstream: settings.name,
      child,
      sink,
      onNoise: (count, last) =>
        noteNoise(
          family,
          count,
          last.map((line) => family.toPlain(line.toString('utf8', 0, 2000))),
        ),
      limits: this.#options.limits ?? STDIO_LIMITS,
    });
  }

  report(upstream: string): ChildReport | undefined {
    const family = this.#families.get(upstream);
    if (family === undefined) return undefined;
    const next = nextStart(family.deaths, this.#options.clock.now(), this.#rules);
    return {
      upstream,
      pid: family.latest?.pid,
      startedAt: family.latest?.startedAt,
      exit: family.exit,
      startFailure: family.startFailure,
      quickDeaths: family.deaths.inRow,
      retryAt: next.kind === 'now' ? undefined : next.until,
      stderr: family.stderr.last(),
      noise: { count: family.noise.count, last: family.noise.ring.last() },
    };
  }

  pids(upstream: string): number[] {
    return [...(this.#families.get(upstream)?.living.keys() ?? [])].map((child) => child.pid);
  }

  forgive(upstream: string): void {
    const family = this.#families.get(upstream);
    if (family !== undefined) family.deaths = NO_DEATHS;
  }

  noteNoise(upstream: string, line: Buffer): void {
    const family = this.#families.get(upstream);
    if (family !== undefined) noteNoise(family, 1, [family.toPlain(line.toString('utf8', 0, 2000))]);
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#memoryTimer);
    const living = [...this.#families.values()].flatMap((family) => [...family.living.keys()]);
    await Promise.all(living.map((child) => child.close()));
    await this.#watchdog.close();
  }

  #familyOf(settings: StdioSettings): Family {
    const { command, args, env, cwd } = settings.transport;
    const program = JSON.stringify([command, args, env, cwd]);
    const known = this.#families.get(settings.name);
    if (known !== undefined) {
      if (known.program !== program) {
        known.program = program;
        known.toPlain = createPlainText(env);
        known.deaths = NO_DEATHS;
      }
      return known;
    }
    this.#makeRoom();
    const family: Family = {
      name: settings.name,
      program,
      toPlain: createPlainText(env),
      living: new Map(),
      latest: undefined,
      exit: undefined,
      lastDead: undefined,
      startFailure: undefined,
      deaths: NO_DEATHS,
      stderr: new LineRing(STDERR),
      noise: { count: 0, ring: new LineRing(NOISE) },
    };
    this.#families.set(settings.name, family);
    return family;
  }

  #makeRoom(): void {
    if (this.#families.size < MAX_RECORDS) return;
    for (const [name, family] of this.#families) {
      if (family.living.size === 0) {
        this.#families.delete(name);
        return;
      }
    }
  }

  /** Waits until a start is allowed. */
  async #admit(family: Family, signal: AbortSignal | undefined): Promise<void> {
    const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      if (this.#closing.signal.aborted) throw new FaultError('draining', 'Sallyport is stopping.');
      if (signal?.aborted) throw new FaultError('cancelled', `The start of the server "${family.name}" was cancelled.`);
      const now = this.#options.clock.now();
      const next = nextStart(family.deaths, now, this.#rules);
      if (next.kind === 'now') return;
      if (next.kind === 'refused') throw toLoopFault(family, next.until, now);
      // An abort ends the wait; the loop says which one it was.
      await setTimeout(next.until - now, undefined, { signal: stop }).catch(() => {});
    }
  }

  async #start(family: Family, settings: StdioSettings, sink: WireSink): Promise<Child> {
    let child: Child;
    const environment = toChildEnvironment(this.#options.environment ?? process.env, settings.transport.env);
    try {
      await this.#options.admitProgram?.(settings, environment);
      const launch = await (this.#options.isolate ?? startAsIs)(settings, environment);
      child = await Child.start({
        settings,
        launch,
        clock: this.#options.clock,
        patience: this.#options.patience ?? PATIENCE,
        toPlain: family.toPlain,
        onStderr: (line) => family.stderr.push(line),
        onExit: (ended, exit) => this.#noteExit(family, { child: ended, exit, isOpen: sink.isOpen !== false }),
      });
    } catch (error) {
      family.startFailure = error instanceof Error ? error.message : 'unknown';
      throw error;
    }
    this.#watchdog.watch(child.pid);
    if (this.#closing.signal.aborted) {
      void child.close();
      throw new FaultError('draining', 'Sallyport is stopping.');
    }
    family.startFailure = undefined;
    family.latest = child;
    family.living.set(child, settings);
    if (settings.memoryMb > 0) this.#memoryTimer ??= this.#pollMemory();
    this.#options.log.info({ upstream: family.name, pid: child.pid }, 'Child started');
    return child;
  }

  #noteExit(family: Family, ended: { child: Child; exit: ChildExit; isOpen: boolean }): void {
    const { child, exit, isOpen } = ended;
    this.#watchdog.forget(child.pid);
    family.living.delete(child);
    family.exit = exit;
    if (exit.planned) {
      if (exit.livedMs >= this.#rules.provenMs) family.deaths = NO_DEATHS;
      this.#options.log.info({ upstream: family.name, pid: child.pid }, 'Child ended');
      return;
    }
    family.lastDead = child;
    family.deaths = recordDeath(family.deaths, { bornAt: child.startedAt, diedAt: exit.at }, this.#rules);
    // A start that fails is reported by who asked for it, with the exit in its reason.
    this.#options.log[isOpen ? 'warn' : 'debug']({ upstream: family.name, pid: child.pid, exit }, 'Child died');
  }

  #pollMemory(): NodeJS.Timeout {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void this.#checkMemory().finally(() => {
        busy = false;
      });
    }, this.#options.memoryPollMs ?? MEMORY_POLL_MS);
    return timer.unref();
  }

  async #checkMemory(): Promise<void> {
    const limited = [...this.#families.values()].flatMap((family) =>
      [...family.living].filter(([, settings]) => settings.memoryMb > 0),
    );
    const used = await readGroupMemory(new Set(limited.map(([child]) => child.pid))).catch((error: unknown) => {
      this.#options.log.warn({ error }, 'The memory of children cannot be measured');
      return new Map<number, number>();
    });
    for (const [child, { memoryMb }] of limited) {
      const bytes = used.get(child.pid) ?? 0;
      if (bytes <= memoryMb * MIB) continue;
      const reason = `used ${Math.round(bytes / MIB)} MiB of memory, more than the ${memoryMb} MiB its settings allow`;
      void child.end(reason, 'term');
    }
  }
}

const startAsIs: Isolate = ({ transport: { command, args } }, environment) =>
  Promise.resolve({ command, args, environment, isBoxed: false });

function noteNoise(family: Family, count: number, last: readonly string[]): void {
  family.noise.count += count;
  for (const line of last) family.noise.ring.push(line);
}

function toLoopFault(family: Family, until: number, now: number): FaultError {
  const last = family.exit === undefined ? '' : ` The last one ${describeExit(family.exit)}.`;
  const seconds = Math.ceil((until - now) / 1000);
  return new FaultError(
    'unreachable',
    `The server "${family.name}" keeps ending right after its start: ${family.deaths.inRow} times in a row.${last} ` +
      `The next try is allowed in ${seconds} s. ${describeStderr(family.lastDead?.stderrTail ?? [])}`,
    { data: { retryAfterMs: until - now }, isQuoting: (family.lastDead?.stderrTail.length ?? 0) > 0 },
  );
}
