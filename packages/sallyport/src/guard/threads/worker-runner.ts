import { Worker } from 'node:worker_threads';
import { addTo } from '../../core/add-to.ts';

/** What every worker says beside its replies. */
export type WorkerSign =
  | { readonly kind: 'ready' }
  /** What is compiled first is compiled, and the rest of the job begins. */
  | { readonly kind: 'compiled' }
  /** Something it needs to know before it can go on, of the main thread. */
  | { readonly kind: 'question'; readonly id: number; readonly about: unknown };

/** The main thread's answer to a question. */
export interface WorkerAnswer {
  readonly kind: 'answer';
  readonly id: number;
  /** `undefined` in both: there is none. */
  readonly value: unknown;
  readonly failed: string | undefined;
}

/** One thing for the worker to do. Jobs of a lane run in order, lanes take turns: no caller and no upstream holds the others up. */
export interface WorkerJob<Request> {
  readonly lane: string;
  /** `known`: keys of what this worker has been sent already, with its size in bytes; the job adds its own. */
  prepare(known: Map<string, number>): Prepared<Request>;
  /** Answers what the worker asks meanwhile. Left out: it asks nothing. */
  answer?(about: unknown): Promise<unknown>;
}

export interface Prepared<Request> {
  readonly request: Request;
  /** Processor time of the worker's thread, from the moment it gets the request. */
  readonly deadlineMs: number;
  /** The same from the moment at which the schema is compiled, where that comes first. */
  readonly compiledMs?: number;
}

export type WorkerOutcome<Reply> =
  | Reply
  /** It was not run to its end. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Too slow: what is compiled first, or what comes after. */
  | { readonly kind: 'late'; readonly isCompiled: boolean }
  /** Too many jobs wait already. */
  | { readonly kind: 'busy' }
  /** There is no worker to be had, or the runner is closed. */
  | { readonly kind: 'unavailable' };

/** Runs jobs in one worker thread that is started when needed and ended when idle, late or out of memory. */
export interface WorkerRunner<Request, Reply> {
  run(job: WorkerJob<Request>): Promise<WorkerOutcome<Reply>>;
  /** Starts the thread if there is none, for a job that may come soon. */
  start(): void;
  /** Jobs that wait or run. */
  readonly load: number;
  /** Idempotent. Waiting jobs end as `unavailable`. */
  close(): Promise<void>;
}

export interface WorkerRunnerOptions {
  /** The built file that the thread runs. */
  readonly file: URL;
  /** What the thread is given at its start. */
  readonly workerData?: unknown;
  readonly memoryMb: number;
  readonly idleMs: number;
  /** On a machine whose processors others use, a job may take so many times its deadline. Left out: 20. */
  readonly patience?: number | undefined;
  /** Default: what the whole process used, which is more. */
  readonly timeThread?: TimeThread | undefined;
}

/** Starts one thread, and returns a clock of the processor time that it used. Milliseconds. */
export type TimeThread = (start: () => void) => () => number;

/** How soon it is looked again. */
const SHORTEST_WAIT_MS = 5;
const MAX_WAITING = 2_000;
const START_MS = 5_000;
const PATIENCE = 20;
/** A worker that ended by itself had no memory left, and the schemas of other tools in it: a fresh one has more. */
const ATTEMPTS = 2;

/**
 * Node 20 runs no TypeScript: where the sources run (Vitest), the worker is the built file.
 * @param here `import.meta.url` of a file in a folder of `src`
 */
export function toWorkerFile(here: string, path: string): URL {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // In the bundle, workers lie beside what starts them.
  if (!here.endsWith('.ts')) return new URL(here.includes('/bundle/') ? `./${name}` : toRoot(here) + path, here);
  return new URL(`${toRoot(here)}../dist/${path}`, here);
}

/** From a file to the folder `src` or `dist` that it is in. */
function toRoot(here: string): string {
  const within = here.slice(Math.max(here.lastIndexOf('/src/'), here.lastIndexOf('/dist/')) + 1).split('/');
  return '../'.repeat(within.length - 2);
}

export function createWorkerRunner<Request, Reply extends { readonly kind: string }>(
  options: WorkerRunnerOptions,
): WorkerRunner<Request, Reply> {
  return new ThreadRunner(options);
}

interface Waiting<Request, Reply> {
  readonly job: WorkerJob<Request>;
  readonly settle: (outcome: WorkerOutcome<Reply>) => void;
  attempts: number;
}

class ThreadRunner<Request, Reply extends { readonly kind: string }> implements WorkerRunner<Request, Reply> {
  readonly #options: WorkerRunnerOptions;
  readonly #timeThread: TimeThread;
  #usedMs = readProcessMs;
  readonly #lanes = new Map<string, Waiting<Request, Reply>[]>();
  #waiting = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #current: Waiting<Request, Reply> | undefined;
  #known = new Map<string, number>();
  /** What the job in the worker may take once its schema is compiled; `undefined`: it is, or nothing follows. */
  #compiledMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: WorkerRunnerOptions) {
    this.#options = options;
    this.#timeThread = options.timeThread ?? timeProcess;
  }

  get load(): number {
    return this.#waiting + (this.#current === undefined ? 0 : 1);
  }

  run(job: WorkerJob<Request>): Promise<WorkerOutcome<Reply>> {
    if (this.#closed) return Promise.resolve({ kind: 'unavailable' });
    if (this.#waiting >= MAX_WAITING) return Promise.resolve({ kind: 'busy' });
    return new Promise((settle) => {
      this.#enqueue({ job, settle, attempts: 0 });
      if (this.#current === undefined) this.#next();
    });
  }

  start(): void {
    if (this.#worker === undefined && !this.#closed) this.#start();
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

  #enqueue(waiting: Waiting<Request, Reply>): void {
    addTo(this.#lanes, waiting.job.lane, waiting);
    this.#waiting++;
  }

  /** The first of the lane that waited longest; the lane goes to the end of the line. */
  #dequeue(): Waiting<Request, Reply> | undefined {
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
      const { file, workerData, memoryMb } = this.#options;
      const worker = new Worker(file, {
        workerData,
        // What servers and clients write is at work there: it gets no environment, no arguments and nothing on our stdout.
        env: {},
        argv: [],
        execArgv: [],
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      });
      this.#worker = worker;
      worker.on('message', (reply: Reply | WorkerSign) => this.#onReply(worker, reply));
      worker.on('error', () => this.#onGone(worker));
      worker.on('exit', () => this.#onGone(worker));
    });
    this.#watch(START_MS);
  }

  #post(worker: Worker, { job }: Waiting<Request, Reply>): void {
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
    const end = performance.now() + ms * (this.#options.patience ?? PATIENCE);
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

  #onReply(worker: Worker, reply: Reply | WorkerSign): void {
    if (worker !== this.#worker) return;
    if (isSign(reply, 'question')) {
      void this.#onQuestion(worker, reply);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isSign(reply, 'ready')) {
      this.#isReady = true;
      this.#next();
      return;
    }
    if (isSign(reply, 'compiled')) {
      if (this.#compiledMs !== undefined) this.#watch(this.#compiledMs);
      this.#compiledMs = undefined;
      return;
    }
    const done = this.#current;
    this.#current = undefined;
    done?.settle(reply as Reply); // True: it is no sign.
    this.#next();
  }

  async #onQuestion(worker: Worker, { id, about }: WorkerSign & { readonly kind: 'question' }): Promise<void> {
    const asking = this.#current;
    let answer: WorkerAnswer;
    try {
      answer = { kind: 'answer', id, value: await asking?.job.answer?.(about), failed: undefined };
    } catch (error) {
      answer = { kind: 'answer', id, value: undefined, failed: error instanceof Error ? error.message : 'it failed' };
    }
    if (worker === this.#worker && asking === this.#current) worker.postMessage(answer);
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
    this.#timer = setTimeout(() => this.#end(), this.#options.idleMs).unref();
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

function isSign<Kind extends WorkerSign['kind']>(
  reply: { readonly kind: string },
  kind: Kind,
): reply is WorkerSign & { readonly kind: Kind } {
  return reply.kind === kind;
}

function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function timeProcess(start: () => void): () => number {
  start();
  return readProcessMs;
}
