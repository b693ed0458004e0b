import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { findChanged, stampOf } from './finished.ts';
import { writeHead } from './head-file.ts';
import type { KeyedDigest } from './keyed-digest.ts';
import { type PushOptions, RecordQueue } from './record-queue.ts';
import type { ChainTail, Head } from './recover.ts';
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
  readonly digest: KeyedDigest;
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
/** Strict: how long records that no call waits for may wait for company, the ends of calls above all. Milliseconds. */
const LINGER_MS = 10;
/** Calls that share a sync: a batch waits for as many as came last time, but for no more than this many. */
const CROWD = 32;
/** And no longer than this. Milliseconds. */
const GATHER_MS = 3;
/** How often what was written is read again. */
const COMPARE_MS = 500;
/** From here on nothing waits for company. Bytes. */
const BATCH = 262_144;
/** Waiting to be written; beyond it calls are refused. Bytes. */
const MAX_QUEUE = 16 * 1_048_576;
/** Nobody waits longer for the disk. Milliseconds. */
const PATIENCE_MS = 5_000;
/** Made by `audit repair`: the operator has seen what is wrong and wants a new segment to be begun. */
export const REPAIR_MARK = 'repair';

interface Waiters {
  count: number;
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
  #queue: RecordQueue;
  #spare: RecordQueue | undefined;
  /** When the oldest record that is not on disk came. `performance.now()`. */
  #oldest: number | undefined;
  /** The same of the batch that is being written. */
  #writing: number | undefined;
  #waiters: Waiters | undefined;
  /** How many are expected to wait for a batch: as many as waited for the last one, or half of what was expected then. */
  #crowd = 1;
  /** The last record on disk. */
  #written: Head;
  #sealedSeq: number;
  #sealedAt = performance.now();
  #file: SegmentFile | undefined;
  /** The segment that is opened next; asked for again while it cannot be, so that a sick disk is not filled with names. */
  #next: ChainTail['segment'];
  /** Finished segments: name -> bytes and time of change. */
  readonly #finished = new Map<string, string>();
  #lookedAt = 0;
  #comparing: Promise<void> | undefined;
  #comparedAt = 0;
  #trouble: string | undefined;
  #refused = 0;
  #refusedFor = '';
  /** Its record waits to be written already. */
  #troubleTold = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    const { tail, folder } = options;
    this.#options = options;
    this.#written = { seq: tail.seq, hash: tail.hash };
    this.#queue = new RecordQueue(this.#written, options.digest);
    this.#sealedSeq = tail.seq;
    this.#next = tail.segment;
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
  append(body: string, options?: PushOptions): void {
    this.#queue.push(body, options);
    this.#oldest ??= performance.now();
    if (this.#running === undefined && this.#trouble === undefined) this.#schedule();
  }

  /** The same with our signature: nobody can write such a record, not even behind the last seal. */
  appendSigned(body: string): void {
    this.append(body, { finish: this.#options.sealer.seal });
  }

  /** A record that was not taken because nothing could be written: only counted. */
  refuse(): void {
    this.#refused++;
    this.#refusedFor = this.trouble ?? '';
  }

  /** Fulfilled when what was appended so far is on disk. @throws FaultError `unrecorded`. */
  written(): Promise<void> {
    this.#waiters ??= createWaiters();
    this.#waiters.count++;
    if (this.#running === undefined) this.#gather(this.#waiters.count);
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
      await this.#comparing;
      while (this.#running !== undefined) await this.#running;
      clearTimeout(this.#timer);
      clearTimeout(this.#gathering);
      this.#sealedAt = Number.NEGATIVE_INFINITY;
      this.#running = this.#run();
      await this.#running;
      this.#file?.close();
    })();
    return this.#closing;
  }

  /** Nobody waits for what there is to write. */
  #schedule(): void {
    const { withinMs } = this.#options;
    if (this.#queue.size > BATCH) this.#start();
    // Half of the stated time is for the disk.
    else this.#timer ??= setTimeout(() => this.#start(), withinMs === 0 ? LINGER_MS : withinMs / 2);
  }

  /**
   * So many calls wait. Where many call at once the first to come would have a sync of its own, and all others would wait
   * for the next one: a sync costs as much CPU as a call.
   */
  #gather(count: number): void {
    if (count >= Math.min(this.#crowd, CROWD)) this.#start();
    else this.#gathering ??= setTimeout(() => this.#start(), GATHER_MS);
  }

  #start(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#gathering);
    this.#timer = undefined;
    this.#gathering = undefined;
    this.#running ??= this.#soon().finally(() => {
      this.#running = undefined;
      if (this.#waiters !== undefined) this.#gather(this.#waiters.count);
      else if (this.#trouble === undefined && this.#queue.length > 0) this.#schedule();
    });
  }

  /** Calls of the same turn of the loop share a write. */
  async #soon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#run();
  }

  async #run(): Promise<void> {
    const waiters = this.#waiters;
    this.#waiters = undefined;
    this.#crowd = Math.max(waiters?.count ?? 1, this.#crowd >> 1);
    const patience = waiters && setTimeout(() => waiters.reject(toFault('the disk does not answer')), PATIENCE_MS);
    try {
      const sealed = await this.#writeBatch();
      this.#recovered();
      waiters?.resolve();
      if (sealed) await this.#writeHead(this.#written);
    } catch (error) {
      this.#failed(error instanceof Trouble ? error.message : `${this.#options.folder}: ${codeOf(error)}`);
      waiters?.reject(toFault(this.#trouble ?? ''));
    } finally {
      clearTimeout(patience);
    }
  }

  /** Whether it ends with a seal. */
  async #writeBatch(): Promise<boolean> {
    await this.#checkFiles();
    this.#tellTrouble();
    const sealing = this.#isSealDue();
    const batch = this.#queue;
    if (sealing) batch.push(this.#toSeal(), { finish: this.#options.sealer.seal });
    if (batch.length === 0) return false;
    this.#writing = this.#oldest;
    this.#queue = this.#spare?.clear(batch.last) ?? new RecordQueue(batch.last, this.#options.digest);
    this.#spare = undefined;
    this.#oldest = undefined;
    try {
      await this.#openFile().append(batch.bytes, batch.last);
    } catch (error) {
      // Nothing of it is on disk: it stays before what came since.
      this.#queue = batch.followedBy(this.#queue);
      this.#oldest = this.#writing ?? this.#oldest;
      throw error;
    } finally {
      this.#writing = undefined;
    }
    this.#written = batch.last;
    this.#spare = batch;
    if (sealing) {
      this.#sealedSeq = this.#written.seq;
      this.#sealedAt = performance.now();
    }
    return sealing;
  }

  /** Only after the records: a head never vouches for what may still be lost. */
  async #writeHead(sealed: Head): Promise<void> {
    await writeHead(this.#options, this.#options.sealer, sealed);
    this.#finishLarge();
  }

  #toSeal(): string {
    const { chain, clock, sealer } = this.#options;
    return `"time":"${new Date(clock.now()).toISOString()}","kind":"seal","chain":"${chain}","key":"${sealer.keyId}"}`;
  }

  /**
   * Why there is a gap, and how many refusals are in it; also what shows whether the disk takes something again. Once for
   * each trouble: the refusals of a long one are told after it.
   */
  #tellTrouble(): void {
    if (this.#trouble === undefined ? this.#refused === 0 : this.#troubleTold) return;
    const time = new Date(this.#options.clock.now()).toISOString();
    const reason = JSON.stringify(this.#trouble ?? this.#refusedFor);
    this.#queue.push(`"time":"${time}","kind":"interrupted","reason":${reason},"refused":${this.#refused}}`);
    this.#troubleTold = this.#trouble !== undefined;
    this.#refused = 0;
  }

  #isSealDue(): boolean {
    if (this.#written.seq === this.#sealedSeq && this.#queue.length === 0) return false;
    // While nothing can be written each attempt would add one.
    if (this.#trouble !== undefined && this.#closing === undefined) return false;
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
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#next ??= { name: toSegmentName(this.#written.seq + 1, randomUUID()), bytes: 0 };
    this.#file = new SegmentFile(join(folder, this.#next.name), this.#next.bytes, this.#written);
    this.#next = undefined;
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
    const problem = found === 'touched' ? await file.recheck(this.#written.hash) : found.problem;
    if (problem === undefined) return;
    if (!(await file.isRestored(this.#written.hash))) throw new Trouble(problem);
    file.close();
    this.#file = new SegmentFile(file.path, file.bytes, this.#written);
  }

  /** The operator knows: what is there stays as evidence and the chain goes on in a new segment. `verify` names the hole. */
  #beginAnew(): void {
    const { folder } = this.#options;
    const path = this.#file?.path;
    this.#file?.close();
    this.#file = undefined;
    this.#next = undefined;
    this.#finished.clear();
    if (path !== undefined && existsSync(path)) renameSync(path, `${path}.set-aside-${this.#options.clock.now()}`);
    rmSync(join(folder, REPAIR_MARK), { force: true });
  }

  #tick(): void {
    if (this.#running === undefined) this.#start();
    // What cannot be read is found by the next batch.
    this.#comparing ??= this.#compare()
      .catch(() => undefined)
      .finally(() => {
        this.#comparing = undefined;
      });
  }

  async #compare(): Promise<void> {
    if (performance.now() - this.#comparedAt < COMPARE_MS) return;
    this.#comparedAt = performance.now();
    await this.#file?.compare();
  }

  #failed(trouble: string): void {
    if (this.#trouble !== trouble)
      this.#options.log.error({ folder: this.#options.folder }, `the audit cannot be written: ${trouble}`);
    this.#trouble = trouble;
  }

  #recovered(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#troubleTold = false;
    this.#options.log.warn({ folder: this.#options.folder }, 'the audit is written again');
  }
}

class Trouble extends Error {}

export function toFault(trouble: string): FaultError {
  return new FaultError(
    'unrecorded',
    `The call was not made, because it could not be recorded: ${trouble}. A person has to repair the record. Try again later, or tell the user.`,
    { remedy: '"sallyport audit verify" says more.' },
  );
}

function createWaiters(): Waiters {
  let settle: Pick<Waiters, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever asked may have gone meanwhile.
  promise.catch(() => undefined);
  return { count: 0, promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}
