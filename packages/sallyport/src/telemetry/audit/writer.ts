import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { ChainFiles, Trouble } from './chain-files.ts';
import { writeHead } from './head-file.ts';
import type { KeyedDigest } from './keyed-digest.ts';
import { type PushOptions, RecordQueue } from './record-queue.ts';
import type { ChainTail, Head } from './recover.ts';
import type { Sealer } from './sealer.ts';
import { codeOf } from './segment-file.ts';
import { createWaiters, toFault, type Waiters, waitWithin } from './waiters.ts';

export interface WriterOptions {
  /** The folder of this chain. */
  readonly folder: string;
  /** Names the chain inside its seals, so that one chain cannot be passed off as another. */
  readonly chain: string;
  readonly tail: ChainTail;
  readonly sealer: Sealer;
  readonly digest: KeyedDigest;
  readonly segmentBytes: number;
  /**
   * Records are on disk this long after they came, at the latest; the system has them before calls leave. Milliseconds;
   * 0: they are on disk before calls leave.
   */
  readonly withinMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Why nothing may be written before `audit repair`; `undefined`: nothing is wrong. */
  readonly held?: string | undefined;
  /** The chain is on disk and sealed up to here. Must neither throw nor wait. */
  readonly sealed?: (head: Head) => void;
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
/** From here on nothing waits for company. Bytes. */
const BATCH = 262_144;
/** Waiting to be written; beyond it calls are refused. Bytes. */
const MAX_QUEUE = 16 * 1_048_576;

/**
 * Appends records to a chain of segments: numbered, hashed and written in batches, synced, sealed at intervals. When the
 * files cannot be written, or are not what was written, it says so until they are again.
 */
export class AuditWriter {
  readonly #options: WriterOptions;
  /** Strict: a record is on disk once it is written. */
  readonly #isDurable: boolean;
  readonly #files: ChainFiles;
  #queue: RecordQueue;
  #spare: RecordQueue | undefined;
  /** When the oldest record came that waits to be written, is being written, waits for a sync, is being synced. `performance.now()`. */
  #oldest: number | undefined;
  #writing: number | undefined;
  #unsynced: number | undefined;
  #syncingFrom: number | undefined;
  /** They wait for the system to have their records; the others, for the disk. */
  #leaving: Waiters | undefined;
  #waiters: Waiters | undefined;
  /** Their records are written, and not synced. */
  #written: Waiters[] = [];
  /** How many are expected to wait for a batch: as many as waited for the last one, or half of what was expected then. */
  #crowd = 1;
  /** The last record in the file. */
  #last: Head;
  #sealedSeq: number;
  #sealedAt = performance.now();
  /** A seal in the file that the head file does not know yet. */
  #sealed: Head | undefined;
  #comparing: Promise<void> | undefined;
  #trouble: string | undefined;
  #refused = 0;
  #refusedFor = '';
  /** Its record waits to be written already. */
  #troubleTold = false;
  #running: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  /** Half of the stated time is over for some record. */
  #isSyncDue = false;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    const { tail, withinMs } = options;
    this.#options = options;
    this.#isDurable = withinMs === 0;
    this.#last = { seq: tail.seq, hash: tail.hash };
    this.#queue = new RecordQueue(this.#last, options.digest);
    this.#sealedSeq = tail.seq;
    this.#files = new ChainFiles({ ...options, isDurable: this.#isDurable });
    this.#trouble = options.held;
    this.#watch = setInterval(() => this.#tick(), CHECK_MS).unref();
  }

  /** Why nothing can be recorded now; `undefined`: all is well. */
  get trouble(): string | undefined {
    if (this.#queue.size > MAX_QUEUE) return 'the disk is too slow for what is to be recorded';
    return this.#trouble;
  }

  /** The disk keeps up with the stated time. */
  get inTime(): boolean {
    const since = this.#syncingFrom ?? this.#unsynced ?? this.#writing ?? this.#oldest;
    return since === undefined || performance.now() - since <= this.#options.withinMs;
  }

  /** Takes a record (without its place in the chain). */
  append(body: string, options?: PushOptions): void {
    this.#queue.push(body, options);
    this.#oldest ??= performance.now();
    if (this.#trouble === undefined && (this.#running === undefined || !this.#isDurable)) this.#schedule();
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

  /** Fulfilled when the system has what was appended so far: no end of this program loses it. @throws FaultError `unrecorded`. */
  handedOver(): Promise<void> {
    this.#leaving ??= createWaiters();
    if (this.#running === undefined) this.#start();
    return this.#leaving.promise;
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
    this.#files.forget(names);
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
      this.#files.close();
    })();
    return this.#closing;
  }

  /** Nobody waits for what there is to write. */
  #schedule(): void {
    const { withinMs } = this.#options;
    if (this.#queue.size > BATCH) this.#start();
    // Half of the stated time is for the disk.
    else this.#timer ??= setTimeout(() => this.#startDue(), this.#isDurable ? LINGER_MS : withinMs / 2);
  }

  #startDue(): void {
    this.#timer = undefined;
    this.#isSyncDue = true;
    this.#start();
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
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#isDurable) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#running ??= this.#soon().finally(() => {
      this.#running = undefined;
      this.#syncSoon();
      if (this.#waiters !== undefined) this.#gather(this.#waiters.count);
      else if (this.#leaving !== undefined) this.#start();
      else if (this.#trouble === undefined && this.#queue.length > 0) this.#schedule();
    });
  }

  /** Calls of the same turn of the loop share a write. */
  async #soon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#run();
  }

  async #run(): Promise<void> {
    const [leaving, waiters] = [this.#leaving, this.#waiters];
    this.#leaving = undefined;
    this.#waiters = undefined;
    this.#crowd = Math.max(waiters?.count ?? 1, this.#crowd >> 1);
    if (waiters !== undefined) waitWithin(waiters);
    try {
      await this.#writeBatch(leaving);
      if (waiters !== undefined) this.#written.push(waiters);
      const isFull = this.#sealed === this.#last && this.#files.isLarge;
      if (this.#isDurable || isFull || this.#trouble !== undefined || this.#closing !== undefined) await this.#sync();
      if (isFull) this.#files.finish();
      this.#recovered();
    } catch (error) {
      const fault = this.#failed(error);
      leaving?.reject(fault);
      waiters?.reject(fault);
    }
  }

  async #writeBatch(leaving: Waiters | undefined): Promise<void> {
    await this.#files.check(this.#last, this.#trouble !== undefined);
    this.#tellTrouble();
    const sealing = this.#isSealDue();
    const batch = this.#queue;
    if (sealing) batch.push(this.#toSeal(), { finish: this.#options.sealer.seal });
    if (batch.length > 0) await this.#append(batch, leaving);
    leaving?.resolve();
    if (!sealing) return;
    this.#sealed = this.#last;
    this.#sealedSeq = this.#last.seq;
    this.#sealedAt = performance.now();
  }

  async #append(batch: RecordQueue, leaving: Waiters | undefined): Promise<void> {
    this.#writing = this.#oldest;
    this.#queue = this.#spare?.clear(batch.last) ?? new RecordQueue(batch.last, this.#options.digest);
    this.#spare = undefined;
    this.#oldest = undefined;
    try {
      const appending = this.#files.open(this.#last).append(batch.bytes, batch.last);
      if (appending !== undefined) {
        if (leaving !== undefined) waitWithin(leaving);
        await appending;
      }
    } catch (error) {
      // Nothing of it is in the file: it stays before what came since.
      this.#queue = batch.followedBy(this.#queue);
      this.#oldest = this.#writing ?? this.#oldest;
      this.#writing = undefined;
      throw error;
    }
    this.#unsynced ??= this.#writing;
    this.#writing = undefined;
    this.#last = batch.last;
    this.#spare = batch;
  }

  /** While others are written: a call does not wait for the disk as long as that is in time. */
  #syncSoon(): void {
    const isWanted = this.#isSyncDue || this.#written.length > 0 || this.#sealed !== undefined;
    if (!isWanted || this.#trouble !== undefined || this.#syncing !== undefined) return;
    this.#sync().then(
      () => this.#syncSoon(),
      (error: unknown) => this.#failed(error),
    );
  }

  /** Until what is in the file now is on disk, and the head file knows the last seal of it. */
  async #sync(): Promise<void> {
    while (this.#syncing !== undefined) await this.#syncing.catch(() => undefined);
    this.#syncing = this.#syncOnce().finally(() => {
      this.#syncing = undefined;
    });
    await this.#syncing;
  }

  async #syncOnce(): Promise<void> {
    const waiting = this.#written;
    const sealed = this.#sealed;
    this.#written = [];
    this.#isSyncDue = false;
    this.#syncingFrom = this.#unsynced;
    this.#unsynced = undefined;
    try {
      await this.#files.sync();
      for (const waiters of waiting) waiters.resolve();
    } catch (error) {
      this.#unsynced = this.#syncingFrom ?? this.#unsynced;
      const fault = this.#failed(error);
      for (const waiters of waiting) waiters.reject(fault);
      throw error;
    } finally {
      this.#syncingFrom = undefined;
    }
    if (sealed === undefined) return;
    // Only after the records: a head never vouches for what may still be lost.
    await writeHead(this.#options, this.#options.sealer, sealed);
    this.#options.sealed?.(sealed);
    if (this.#sealed === sealed) this.#sealed = undefined;
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
    if (this.#last.seq === this.#sealedSeq && this.#queue.length === 0) return false;
    // While nothing can be written each attempt would add one.
    if (this.#trouble !== undefined && this.#closing === undefined) return false;
    return performance.now() - this.#sealedAt >= SEAL_MS || this.#files.isLarge;
  }

  #tick(): void {
    if (this.#running === undefined) this.#start();
    // What cannot be read is found by the next batch.
    this.#comparing ??= this.#files
      .compare()
      .catch(() => undefined)
      .finally(() => {
        this.#comparing = undefined;
      });
  }

  #failed(error: unknown): ReturnType<typeof toFault> {
    const { folder, log } = this.#options;
    const trouble = error instanceof Trouble ? error.message : `${folder}: ${codeOf(error)}`;
    if (this.#trouble !== trouble) log.error({ folder }, `the audit cannot be written: ${trouble}`);
    this.#trouble = trouble;
    return toFault(trouble);
  }

  #recovered(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#troubleTold = false;
    this.#options.log.warn({ folder: this.#options.folder }, 'the audit is written again');
  }
}
