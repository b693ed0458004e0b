import { Worker } from 'node:worker_threads';
import { addTo } from '../../core/add-to.ts';
import type { WorkerReply, WorkerRequest } from './schema-worker.ts';

/** One thing for the worker to do. Jobs of a lane run in order, lanes take turns: no caller and no upstream holds the others up. */
export interface WorkerJob {
  readonly lane: string;
  /** `known`: keys whose schema this worker has already, with its size in bytes; the job adds its own. */
  prepare(known: Map<string, number>): Prepared;
}

export interface Prepared {
  readonly request: WorkerRequest;
  /** Processor time of the worker's thread, from the moment it gets the request. */
  readonly deadlineMs: number;
  /** The same from the moment at which the schema is compiled, where that comes first. */
  readonly compiledMs?: number;
}

export type WorkerOutcome =
  | Exclude<WorkerReply, { readonly kind: 'ready' | 'compiled' }>
  /** Too slow: the schema, or the value after its schema was compiled. */
  | { readonly kind: 'late'; readonly isCompiled: boolean }
  /** Too many jobs wait already. */
  | { readonly kind: 'busy' }
  /** There is no worker to be had, or the runner is closed. */
  | { readonly kind: 'unavailable' };

/** Runs jobs in one worker thread that is started when needed and ended when idle, late or out of memory. */
export interface WorkerRunner {
  run(job: WorkerJob): Promise<WorkerOutcome>;
  /** Idempotent. Waiting jobs end as `unavailable`. */
  close(): Promise<void>;
}

export interface WorkerRunnerOptions {
  readonly idleMs: number;
  /** Default: what the whole process used, which is more. */
  readonly timeThread?: TimeThread | undefined;
}

/** Starts one thread, and returns a clock of the processor time that it used. Milliseconds. */
export type TimeThread = (start: () => void) => () => number;

/** How soon it is looked again. */
const SHORTEST_WAIT_MS = 5;
const MAX_WAITING = 2_000;
const START_MS = 5_000;
/** On a machine whose processors others use, a job may take so many times its deadline. */
const PATIENCE = 20;
/** A worker that ended by itself had no memory left, and the schemas of other tools in it: a fresh one has more. */
const ATTEMPTS = 2;

const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

/** Node 20 runs no TypeScript: where the sources run (Vitest), the worker is the built file. */
function workerUrl(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith('.ts') ? '../../../dist/guard/schema/schema-worker.js' : './schema-worker.js', here);
}

export function createWorkerRunner(options: WorkerRunnerOptions): WorkerRunner {
  return new SchemaWorkerRunner(options);
}

interface Waiting {
  readonly job: WorkerJob;
  readonly settle: (outcome: WorkerOutcome) => void;
  attempts: number;
}

class SchemaWorkerRunner implements WorkerRunner {
  readonly #idleMs: number;
  readonly #timeThread: TimeThread;
  #usedMs = readProcessMs;
  readonly #lanes = new Map<string, Waiting[]>();
  #waiting = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #current: Waiting | undefined;
  #known = new Map<string, number>();
  /** What the job in the worker may take once its schema is compiled; `undefined`: it is, or nothing follows. */
  #compiledMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #ending = new Set<Promise<unknown>>();

  constructor({ idleMs, timeThread = timeProcess }: WorkerRunnerOptions) {
    this.#idleMs = idleMs;
    this.#timeThread = timeThread;
  }

  run(job: WorkerJob): Promise<WorkerOutcome> {
    if (this.#closed) return Promise.resolve({ kind: 'unavailable' });
    if (this.#waiting >= MAX_WAITING) return Promise.resolve({ kind: 'busy' });
    return new Promise((settle) => {
      this.#enqueue({ job, settle, attempts: 0 });
      if (this.#current === undefined) this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#end();
    const left = [this.#current, ...[...this.#lanes.values()].flat()];
    this.#current = undefined;
    this.#lanes.clear();
    this.#waiting = 0;
    for (const waiting of left) waiting?.settle({ kind: 'unavailable' });
    await Promise.all(this.#ending);
  }

  #enqueue(waiting: Waiting): void {
    addTo(this.#lanes, waiting.job.lane, waiting);
    this.#waiting++;
  }

  /** The first of the lane that waited longest; the lane goes to the end of the line. */
  #dequeue(): Waiting | undefined {
    for (const [name, lane] of this.#lanes) {
      const waiting = lane.shift();
      this.#lanes.delete(name);
      if (lane.length > 0) this.#lanes.set(name, lane);
      if (waiting !== undefined) this.#waiting--;
      return waiting;
    }
    return undefined;
  }

  #next(): void {
    this.#current ??= this.#dequeue();
    if (this.#current === undefined) {
      this.#rest();
      return;
    }
    if (this.#worker === undefined) this.#start();
    else if (this.#isReady) this.#post(this.#worker, this.#current);
  }

  #start(): void {
    this.#isReady = false;
    this.#known = new Map();
    this.#usedMs = this.#timeThread(() => {
      const worker = new Worker(workerUrl(), {
        // Strangers' schemas become code there: it gets no environment, no arguments and nothing on our stdout.
        env: {},
        argv: [],
        execArgv: [],
        stdout: true,
        stderr: true,
        resourceLimits: LIMITS,
      });
      this.#worker = worker;
      worker.on('message', (reply: WorkerReply) => this.#onReply(worker, reply));
      worker.on('error', () => this.#onGone(worker));
      worker.on('exit', () => this.#onGone(worker));
    });
    this.#watch(START_MS);
  }

  #post(worker: Worker, { job }: Waiting): void {
    worker.ref();
    const { request, deadlineMs, compiledMs } = job.prepare(this.#known);
    this.#compiledMs = compiledMs;
    this.#watch(deadlineMs);
    worker.postMessage(request);
  }

  /**
   * One clock, for whatever the worker is doing: starting or working. Time in which it got no processor is not the job's: a
   * schema that holds the worker uses all there is.
   */
  #watch(ms: number): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    const usedBefore = this.#usedMs();
    const end = performance.now() + ms * PATIENCE;
    const wait = (left: number): void => {
      const timer = setTimeout(() => {
        // After a pause of our own thread the answer may be here already, behind this timer: it is read first.
        setImmediate(() => {
          if (worker === undefined || timer !== this.#timer) return;
          const missing = ms - (this.#usedMs() - usedBefore);
          if (missing > 0 && performance.now() < end) wait(Math.max(missing, SHORTEST_WAIT_MS));
          else this.#onLate(worker);
        });
      }, left);
      this.#timer = timer;
    };
    wait(ms);
  }

  #onReply(worker: Worker, reply: WorkerReply): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (reply.kind === 'ready') {
      this.#isReady = true;
      this.#next();
      return;
    }
    if (reply.kind === 'compiled') {
      if (this.#compiledMs !== undefined) this.#watch(this.#compiledMs);
      this.#compiledMs = undefined;
      return;
    }
    const done = this.#current;
    this.#current = undefined;
    done?.settle(reply);
    this.#next();
  }

  #onLate(worker: Worker): void {
    if (!this.#isReady) {
      this.#onGone(worker);
      return;
    }
    this.#end();
    const late = this.#current;
    this.#current = undefined;
    late?.settle({ kind: 'late', isCompiled: this.#compiledMs === undefined });
    this.#next();
  }

  /** The worker ended by itself, or never came up. What it was doing is tried once more, alone, in a fresh one. */
  #onGone(worker: Worker): void {
    if (worker !== this.#worker) return;
    const wasReady = this.#isReady;
    this.#end();
    const waiting = this.#current;
    if (waiting !== undefined && ++waiting.attempts >= ATTEMPTS) {
      this.#current = undefined;
      waiting.settle(wasReady ? { kind: 'failed', reason: 'needs too much memory' } : { kind: 'unavailable' });
    }
    this.#next();
  }

  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    // An idle worker is no reason for the process to stay.
    worker.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), this.#idleMs).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    if (worker === undefined) return;
    // The worker may still speak or fail while it ends: nobody listens, and nothing is thrown for it.
    worker.removeAllListeners();
    worker.on('error', () => {});
    const ending = worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function timeProcess(start: () => void): () => number {
  start();
  return readProcessMs;
}
