import { FaultError } from '../core/errors.ts';
import { type Child, settlesWithin } from './child.ts';
import { type ChildExit, describeExit, describeStderr } from './child-report.ts';
import { LineSplitter } from './line-splitter.ts';
import { toRest } from './rest.ts';
import type { OutgoingMessage, Wire, WireSink } from './wire.ts';

export interface StdioLimits {
  /** The longest line a child may write. */
  readonly lineBytes: number;
  /** What may wait for a child that does not read. */
  readonly queuedBytes: number;
}

const MIB = 1024 * 1024;
export const STDIO_LIMITS: StdioLimits = Object.freeze({ lineBytes: 16 * MIB, queuedBytes: 64 * MIB });

/** A child that closed one of its pipes mostly exits at once, and the exit tells more. */
const PIPE_GRACE_MS = 500;
/** Read from one child per turn of the event loop: a flood must leave turns to the others. */
const BYTES_PER_TURN = 512 * 1024;
/** A chunk of nothing but newlines and dots holds thousands of lines: only these are looked at. */
const NOISE_PER_CHUNK = 20;

export interface StdioWireOptions {
  readonly upstream: string;
  readonly child: Child;
  readonly sink: WireSink;
  /** Lines on stdout that were no messages: how many since the last call, and the last of them. */
  readonly onNoise: (count: number, last: readonly Buffer[]) => void;
  readonly limits?: StdioLimits;
}

/**
 * MCP's stdio transport on a running child: one JSON message per line, bytes as they are. Lines that cannot be messages
 * are told apart by their first and last characters and go to `onNoise`.
 */
export function openStdioWire(options: StdioWireOptions): Wire {
  return new StdioWire(options);
}

class StdioWire implements Wire {
  readonly relates = false;
  readonly #upstream: string;
  readonly #child: Child;
  readonly #sink: WireSink;
  readonly #onNoise: StdioWireOptions['onNoise'];
  readonly #limits: StdioLimits;
  readonly #lines: LineSplitter;
  #state: 'open' | 'ending' | 'closed' = 'open';
  #queue = '';
  #flushing = false;
  #blocked = false;
  #readThisTurn = 0;
  #noise: Buffer[] = [];
  #noiseCount = 0;

  constructor({ upstream, child, sink, onNoise, limits = STDIO_LIMITS }: StdioWireOptions) {
    this.#upstream = upstream;
    this.#child = child;
    this.#sink = sink;
    this.#onNoise = onNoise;
    this.#limits = limits;
    this.#lines = new LineSplitter(limits.lineBytes, (line) => this.#take(line));
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout.on('error', () => {});
    child.stdout.once('end', () => this.#pipeGone('closed its stdout'));
    child.stdin.on('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
    // EPIPE: the child closed its stdin or is about to be reaped.
    child.stdin.on('error', () => this.#pipeGone('closed its stdin'));
    void child.gone.then((exit) => this.#afterEnd(exit));
  }

  send(message: OutgoingMessage): void {
    const waiting = this.#queue.length + this.#child.stdin.writableLength;
    if (this.#state !== 'open') this.#fail(message, 'unreachable', 'has ended');
    else if (waiting + message.text.length <= this.#limits.queuedBytes) this.#enqueue(toLine(message.text));
    else this.#fail(message, 'overloaded', 'does not read what it is sent; try again later');
  }

  abandon(): void {}

  #enqueue(line: string): void {
    this.#queue += line;
    if (this.#flushing || this.#blocked) return;
    this.#flushing = true;
    // One write for what is sent in the same tick, one more for all that follows in this turn of the event loop: a lone
    // caller does not wait, and many cost fewer system calls.
    process.nextTick(() => this.#flush());
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  close(): Promise<void> {
    this.#flush();
    this.#state = 'closed';
    this.#stopReading();
    this.#queue = '';
    return this.#child.close();
  }

  #flush(): void {
    const text = this.#queue;
    if (text === '' || this.#blocked || this.#state !== 'open') return;
    this.#queue = '';
    this.#blocked = !this.#child.stdin.write(text, 'latin1');
  }

  #read(chunk: Buffer): void {
    this.#pace(chunk.length);
    if (this.#state !== 'open') return;
    const startedAt = performance.now();
    const understood = this.#lines.push(chunk);
    this.#tellNoise();
    if (this.#sink.flooded === true) this.#rest(toRest(startedAt));
    if (!understood) this.#end(`wrote a line of more than ${this.#limits.lineBytes / MIB} MiB to stdout`, 'kill');
  }

  #pace(bytes: number): void {
    this.#readThisTurn += bytes;
    if (this.#readThisTurn < BYTES_PER_TURN || this.#child.stdout.isPaused()) return;
    this.#child.stdout.pause();
    setImmediate(() => {
      this.#readThisTurn = 0;
      this.#child.stdout.resume();
    });
  }

  #rest(milliseconds: number): void {
    if (this.#child.stdout.isPaused()) return;
    this.#child.stdout.pause();
    setTimeout(() => this.#child.stdout.resume(), milliseconds);
  }

  #take(line: Buffer): void {
    if (isMessage(line)) this.#sink.message(line, undefined);
    else if (!isBlank(line)) this.#noteNoise(line);
  }

  #noteNoise(line: Buffer): void {
    this.#noiseCount++;
    if (this.#noise.push(line) > NOISE_PER_CHUNK) this.#noise.shift();
  }

  #tellNoise(): void {
    if (this.#noiseCount === 0) return;
    this.#onNoise(this.#noiseCount, this.#noise);
    this.#noise = [];
    this.#noiseCount = 0;
  }

  #pipeGone(reason: string): void {
    if (this.#state !== 'open') return;
    void settlesWithin(this.#child.gone, PIPE_GRACE_MS).then((gone) => {
      if (!gone && this.#state === 'open') this.#end(reason, 'term');
    });
  }

  #end(reason: string, how: 'term' | 'kill'): void {
    this.#state = 'ending';
    this.#stopReading();
    void this.#child.end(reason, how);
  }

  #stopReading(): void {
    this.#lines.stop();
    // What still comes is thrown away: a full pipe would keep the child from ending by itself.
    this.#child.stdout.resume();
  }

  #afterEnd(exit: ChildExit): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    const { unfinished } = this.#lines;
    if (unfinished.length > 0) this.#onNoise(1, [unfinished]);
    const half = unfinished.length > 0 ? ' in the middle of a line' : '';
    const stderr = exit.planned ? '' : ` ${describeStderr(this.#child.stderrTail)}`;
    this.#lines.stop();
    const what = `The server "${this.#upstream}" ${describeExit(exit)}${half}.${stderr}`;
    this.#sink.lost(new FaultError('unreachable', what, { isQuoting: this.#child.stderrTail.length > 0 }));
  }

  #fail({ id }: OutgoingMessage, code: 'unreachable' | 'overloaded', what: string): void {
    if (id === undefined) return;
    const fault = new FaultError(code, `The server "${this.#upstream}" ${what}.`);
    // Never from within `send`: the sender may not know the request as sent yet.
    queueMicrotask(() => this.#sink.failed(id, fault));
  }
}

/** JSON may hold line breaks between its tokens, and only there: a space means the same and does not end the message. */
function toLine(text: string): string {
  const line = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, ' ') : text;
  return `${line}\n`;
}

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * An object with a key, or an array of objects. Two characters from each end tell them from logging: `[INFO] …`,
 * `{ level: 'info' }`; whoever parses the message finds the rest.
 */
export function isMessage(line: Buffer): boolean {
  const start = skipSpace(line, 0);
  const first = line[start];
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return false;
  const second = line[skipSpace(line, start + 1)];
  let end = line.length - 1;
  while (end > start && isSpace(line[end])) end--;
  if (first === OPEN_BRACE) return second === QUOTE && line[end] === CLOSE_BRACE;
  return second === OPEN_BRACE && line[end] === CLOSE_BRACKET;
}

function isBlank(line: Buffer): boolean {
  return skipSpace(line, 0) === line.length;
}

function skipSpace(line: Buffer, at: number): number {
  let i = at;
  while (isSpace(line[i])) i++;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
