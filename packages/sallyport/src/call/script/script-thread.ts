import { Worker } from 'node:worker_threads';
import { toWorkerFile } from '../../guard/threads/worker-runner.ts';
import type { CallAnswer, FromThread, SandboxStart, ToThread, Turn } from './sandbox-messages.ts';

const WORKER = toWorkerFile(import.meta.url, 'call/script/script-worker.js');
/** To start a thread and compile the interpreter, on a machine whose processors others use. Milliseconds. */
const START_MS = 20_000;
/**
 * The script measures its own time, and some of what it calls cannot be stopped from within: then the thread is ended. What a
 * loaded machine takes from it is not the script's fault.
 */
const PATIENCE = 2;
const GRACE_MS = 2_000;
/** Beside the memory of the interpreter: messages on their way, and Node itself. */
const HEAP_MB = 128;

const GONE: Extract<Turn, { kind: 'failed' }> = {
  kind: 'failed',
  reason: 'The sandbox ended it, for example because it ran out of memory.',
  calls: [],
  console: '',
};

/** The thread of one script: it is told what calls gave and says where the script stands then. Ended, it says nothing more. */
export class ScriptThread {
  readonly #worker: Worker;
  readonly #onTurn: (turn: Turn) => void;
  readonly #computeMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isBusy = true;
  #waiting: CallAnswer[] = [];
  #ended: Promise<unknown> | undefined;

  constructor(start: SandboxStart, onTurn: (turn: Turn) => void) {
    this.#onTurn = onTurn;
    this.#computeMs = start.limits.computeMs;
    this.#worker = new Worker(WORKER, {
      // A script of a model is at work there: it gets no environment, no arguments and no standard streams.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    });
    this.#worker.on('message', (message: FromThread) => this.#onMessage(message, start));
    this.#worker.on('error', () => this.#fail(GONE));
    this.#worker.on('exit', () => this.#fail(GONE));
    this.#watch(START_MS);
  }

  /** It computes, or was told something and has not begun yet. */
  get isBusy(): boolean {
    return this.#isBusy || this.#waiting.length > 0;
  }

  /** What a call gave. Several that come while the script computes are told together. */
  answer(answer: CallAnswer): void {
    if (this.#ended !== undefined) return;
    this.#waiting.push(answer);
    if (!this.#isBusy) this.#tell();
  }

  /** Fulfilled when nothing of the script runs any more. Idempotent. */
  end(): Promise<unknown> {
    if (this.#ended === undefined) {
      clearTimeout(this.#timer);
      this.#worker.removeAllListeners();
      this.#worker.on('error', () => {});
      this.#ended = this.#worker.terminate();
    }
    return this.#ended;
  }

  #onMessage(message: FromThread, start: SandboxStart): void {
    clearTimeout(this.#timer);
    if (message.kind === 'ready') {
      this.#post({ kind: 'start', ...start });
      return;
    }
    this.#isBusy = false;
    this.#onTurn(message.turn);
    if (!this.#isBusy && this.#waiting.length > 0 && this.#ended === undefined) this.#tell();
  }

  #tell(): void {
    const answers = this.#waiting;
    this.#waiting = [];
    this.#isBusy = true;
    this.#post({ kind: 'answers', answers });
  }

  #post(message: ToThread): void {
    this.#watch(this.#computeMs * PATIENCE + GRACE_MS);
    this.#worker.postMessage(message);
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // After a pause of our own thread the turn may be here already, behind this timer: it is read first.
      const timer = this.#timer;
      setImmediate(() => {
        if (timer === this.#timer && this.#isBusy)
          this.#fail({ ...GONE, reason: `It computed for longer than ${this.#computeMs} ms and was ended.` });
      });
    }, ms);
  }

  #fail(turn: Turn): void {
    if (this.#ended !== undefined) return;
    void this.end();
    this.#onTurn(turn);
  }
}
