import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { findChanged, stampOf } from './finished.ts';
import { writeHead } from './head-file.ts';
import { hashLine, toLine } from './record-line.ts';
import { RecordQueue } from './record-queue.ts';
import type { ChainTail } from './recover.ts';
import type { Sealer } from './sealer.ts';
import { codeOf, SegmentFile } from './segment-file.ts';
import { toSegmentName } from './segments.ts';

export interface WriterOptions {
  /** The folder of this chain. */
  readonly folder: string;
  /** Names the chain inside its seals, so that one chain cannot be passed off as another. */
  readonly chain: string;
  readonly tail: ChainTail;
  readonly sealer: Sealer;
  readonly segmentBytes: number;
  /** Records are on disk this long after they came, at the latest. Milliseconds; 0: as soon as the disk can. */
  readonly withinMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A seal at least this often while there is something to seal: what can be cut off unseen is at most this much. */
const SEAL_MS = 1_000;
/** How often the files are looked at when nothing is written, and how soon writing is tried again. Milliseconds. */
const CHECK_MS = 250;
/** From here on nothing waits for company. Bytes. */
const BATCH = 1_048_576;
/** Waiting to be written; beyond it calls are refused. Bytes. */
const MAX_QUEUE = 16 * 1_048_576;
/** More than a seal takes. Bytes. */
const SEAL_ROOM = 1_024;
/** Nobody waits longer for the disk. Milliseconds. */
const PATIENCE_MS = 5_000;
/** Made by `audit repair`: the operator has seen what is wrong and wants a new segment to be begun. */
export const REPAIR_MARK = 'repair';

interface Waiters {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: FaultError): void;
}

/**
 * Appends records to a chain of segments: numbered, hashed and written in batches while the last batch is synced, sealed
 * at intervals. When the files cannot be written, or are not what was written, it says so until they are again.
 */
export class AuditWriter {
  readonly #options: WriterOptions;
  #queue = new RecordQueue();
  #spare: RecordQueue | undefined;
  /** When the oldest record that is not on disk came. `performance.now()`. */
  #oldest: number | undefined;
  /** The same of the batch that is being written. */
  #writing: number | undefined;
  #waiters: Waiters | undefined;
  #seq: number;
  #hash: string;
  #sealedSeq: number;
  #sealedAt = performance.now();
  #file: SegmentFile | undefined;
  /** Finished segments: name -> bytes and time of change. */
  readonly #finished = new Map<string, string>();
  #lookedAt = 0;
  #trouble: string | undefined;
  #refused = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    const { tail, folder } = options;
    this.#options = options;
    this.#seq = tail.seq;
    this.#hash = tail.hash;
    this.#sealedSeq = tail.seq;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of tail.segments)
      if (name !== tail.segment?.name) this.#finished.set(name, stampOf(join(folder, name)));
    this.#watch = setInterval(() => this.#tick(), CHECK_MS).unref();
  }

  /** Why nothing can be recorded now; `undefined`: all is well. */
  get trouble(): string | undefined {
    if (this.#queue.size > MAX_QUEUE) return 'the disk is too slow for what is to be recorded';
    return this.#trouble;
  }

  /** The files keep up with the stated time. */
  get inTime(): boolean {
    const since = this.#writing ?? this.#oldest;
    return since === undefined || performance.now() - since <= this.#options.withinMs;
  }

  /** Takes a record (without its place in the chain). */
  append(body: string): void {
    this.#queue.push(body);
    this.#oldest ??= performance.now();
    if (this.#running === undefined && this.#trouble === undefined) this.#schedule();
  }

  /** A record that was not taken because nothing could be written: only counted. */
  refuse(): void {
    this.#refused++;
  }

  /** Fulfilled when what was appended so far is on disk. @throws FaultError `unrecorded`. */
  written(): Promise<void> {
    if (this.#waiters === undefined) {
      this.#waiters = createWaiters();
      if (this.#running === undefined) this.#start();
    }
    return this.#waiters.promise;
  }

  /** Finished segments that are deleted now, as a record on disk says. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#finished.delete(name);
      rmSync(join(this.#options.folder, name), { force: true });
    }
  }

  /** Writes and seals what there is. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      clearInterval(this.#watch);
      while (this.#running !== undefined) await this.#running;
      clearTimeout(this.#timer);
      this.#sealedAt = Number.NEGATIVE_INFINITY;
      this.#running = this.#run();
      await this.#running;
      this.#file?.close();
    })();
    return this.#closing;
  }

  #schedule(): void {
    const { withinMs } = this.#options;
    if (withinMs === 0 || this.#queue.size > BATCH) this.#start();
    // Half of the stated time is for the disk.
    else this.#timer ??= setTimeout(() => this.#start(), withinMs / 2);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#soon().finally(() => {
      this.#running = undefined;
      if (this.#waiters !== undefined) this.#start();
      else if (this.#trouble === undefined && this.#queue.length > 0) this.#schedule();
    });
  }

  /** Calls of the same turn of the loop share a write. */
  async #soon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#run();
  }

  async #run(): Promise<void> {
    do {
      const waiters = this.#waiters;
      this.#waiters = undefined;
      const patience = waiters && setTimeout(() => waiters.reject(toFault('the disk does not answer')), PATIENCE_MS);
      try {
        await this.#writeBatch();
        this.#recovered();
        waiters?.resolve();
      } catch (error) {
        this.#failed(error instanceof Trouble ? error.message : `${this.#options.folder}: ${codeOf(error)}`);
        waiters?.reject(toFault(this.#trouble ?? ''));
        return;
      } finally {
        clearTimeout(patience);
      }
    } while (this.#waiters !== undefined || (this.#options.withinMs === 0 && this.#queue.length > 0));
  }

  async #writeBatch(): Promise<void> {
    await this.#checkFiles();
    const sealing = this.#isSealDue();
    if (this.#queue.length === 0 && !sealing && this.#trouble === undefined) return;
    const batch = this.#queue;
    this.#writing = this.#oldest;
    this.#queue = this.#spare ?? new RecordQueue();
    this.#spare = undefined;
    this.#oldest = undefined;
    const refused = this.#refused;
    const place = { seq: this.#seq, hash: this.#hash };
    try {
      const file = this.#openFile();
      const first = this.#trouble !== undefined || refused > 0 ? this.#next(this.#toInterruption(refused)) : '';
      const out = Buffer.allocUnsafe(3 * first.length + batch.size + SEAL_ROOM);
      const last = batch.write({ seq: this.#seq, hash: this.#hash }, out, out.write(first, 'utf8'));
      this.#seq = last.seq;
      this.#hash = last.hash;
      const end = sealing ? last.end + out.write(this.#nextSeal(), last.end, 'latin1') : last.end;
      await file.append(out.subarray(0, end));
      batch.clear();
      this.#spare = batch;
    } catch (error) {
      // Nothing of it is on disk: the records take their places again when they are written.
      this.#seq = place.seq;
      this.#hash = place.hash;
      this.#queue = batch.followedBy(this.#queue);
      this.#oldest = this.#writing ?? this.#oldest;
      throw error;
    } finally {
      this.#writing = undefined;
    }
    this.#refused -= refused;
    if (!sealing) return;
    this.#sealedSeq = this.#seq;
    this.#sealedAt = performance.now();
    // Only after the records: a head never vouches for what may still be lost.
    await writeHead(this.#options.folder, this.#options.sealer, { seq: this.#seq, hash: this.#hash });
    this.#finishLarge();
  }

  #next(body: string): string {
    const line = toLine(++this.#seq, this.#hash, body);
    this.#hash = hashLine(line);
    return `${line}\n`;
  }

  #nextSeal(): string {
    const { chain, clock, sealer } = this.#options;
    const body = `"time":"${new Date(clock.now()).toISOString()}","kind":"seal","chain":"${chain}","key":"${sealer.keyId}"}`;
    const line = sealer.seal(toLine(++this.#seq, this.#hash, body));
    this.#hash = hashLine(line);
    return `${line}\n`;
  }

  #toInterruption(refused: number): string {
    const time = new Date(this.#options.clock.now()).toISOString();
    return `"time":"${time}","kind":"interrupted","reason":${JSON.stringify(this.#trouble ?? 'too slow')},"refused":${refused}}`;
  }

  #isSealDue(): boolean {
    if (this.#seq === this.#sealedSeq && this.#queue.length === 0) return false;
    return performance.now() - this.#sealedAt >= SEAL_MS || this.#isLarge();
  }

  #isLarge(): boolean {
    return (this.#file?.bytes ?? 0) >= this.#options.segmentBytes;
  }

  /** After a seal: the segment is full. */
  #finishLarge(): void {
    if (!this.#isLarge() || this.#file === undefined) return;
    const { path } = this.#file;
    this.#file.close();
    this.#file = undefined;
    this.#finished.set(path.slice(this.#options.folder.length + 1), stampOf(path));
  }

  #openFile(): SegmentFile {
    if (this.#file !== undefined) return this.#file;
    const { folder, tail } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const goOn = tail.segment !== undefined && tail.seq === this.#seq && !this.#finished.has(tail.segment.name);
    const name = goOn ? (tail.segment?.name ?? '') : toSegmentName(this.#seq + 1, randomUUID());
    this.#file = new SegmentFile(join(folder, name), goOn ? (tail.segment?.bytes ?? 0) : 0);
    return this.#file;
  }

  async #checkFiles(): Promise<void> {
    const { folder } = this.#options;
    if (this.#trouble !== undefined && existsSync(join(folder, REPAIR_MARK))) this.#beginAnew();
    await this.#checkOpenFile();
    if (this.#trouble === undefined && performance.now() - this.#lookedAt < CHECK_MS) return;
    this.#lookedAt = performance.now();
    const changed = findChanged(folder, this.#finished, this.#file?.path);
    if (changed !== undefined) throw new Trouble(changed);
    // Meant for another trouble than the next one.
    if (this.#trouble === undefined) rmSync(join(folder, REPAIR_MARK), { force: true });
  }

  async #checkOpenFile(): Promise<void> {
    const file = this.#file;
    const found = file?.check();
    if (file === undefined || found === undefined) return;
    const problem = found === 'touched' ? await file.recheck(this.#hash) : found.problem;
    if (problem === undefined) return;
    if (!(await file.isRestored(this.#hash))) throw new Trouble(problem);
    file.close();
    this.#file = new SegmentFile(file.path, file.bytes);
  }

  /** The operator knows: what is there stays as evidence and the chain goes on in a new segment. `verify` names the hole. */
  #beginAnew(): void {
    const { folder } = this.#options;
    const path = this.#file?.path;
    this.#file?.close();
    this.#file = undefined;
    this.#finished.clear();
    if (path !== undefined && existsSync(path)) renameSync(path, `${path}.set-aside-${this.#options.clock.now()}`);
    rmSync(join(folder, REPAIR_MARK), { force: true });
  }

  #tick(): void {
    if (this.#running === undefined) this.#start();
  }

  #failed(trouble: string): void {
    if (this.#trouble !== trouble)
      this.#options.log.error({ folder: this.#options.folder }, `the audit cannot be written: ${trouble}`);
    this.#trouble = trouble;
  }

  #recovered(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.log.warn({ folder: this.#options.folder }, 'the audit is written again');
  }
}

class Trouble extends Error {}

export function toFault(trouble: string): FaultError {
  return new FaultError(
    'unrecorded',
    `The call was not made, because it could not be recorded: ${trouble}. The operator can repair this: "sallyport audit verify" says more.`,
  );
}

function createWaiters(): Waiters {
  let settle: Pick<Waiters, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever asked may have gone meanwhile.
  promise.catch(() => undefined);
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}
