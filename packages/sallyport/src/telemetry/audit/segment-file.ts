import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  read,
  type Stats,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { followChain, type Head, type Place, scanSegment } from './recover.ts';
import { firstSeqOf } from './segments.ts';

/**
 * On Linux a write to such a file is on disk when it returns (open(2), O_DSYNC): one trip to the thread pool instead of
 * two, 117 us of CPU against 170 (measured). Elsewhere that flag does not reach the platter.
 */
const DSYNC = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Bytes that are compared in one go: 1 to 4 ms, by whether the processor has instructions for SHA-256. Holds any record. */
const PIECE = 524_288;
const LINE_FEED = 0x0a;
/** A write of more is the thread pool's. Bytes. */
const MAX_NOW = 65_536;
/** After a write that took longer than this the thread pool writes for a while: the next one may as well. Milliseconds. */
const SLOW_MS = 20;
const SLOW_FOR_MS = 1_000;

export interface SegmentFileOptions {
  /** How long it is; 0: it is made. */
  readonly bytes: number;
  /** The last record of the chain. */
  readonly last: Head;
  /** What is appended is on disk at once. */
  readonly isDurable: boolean;
}

/** The segment that is being written: appended to and synced by us alone, and watched for anybody else's hand. */
export class SegmentFile {
  readonly path: string;
  readonly #fd: number;
  readonly #ino: number;
  readonly #dev: number;
  #bytes: number;
  #changedAt: number;
  /** The last record in it. */
  #last: Head;
  /** Where comparing goes on: behind this record. */
  #compared: { readonly at: number; readonly place: Place };
  /** A round of comparing found everything up to here as it was written. */
  #roundBytes = 0;
  /** What is compared is read into it: half a megabyte twice a second, made anew, is new memory for the system each time. */
  #piece: Buffer | undefined;
  #closed = false;
  readonly #isDurable: boolean;
  #isSyncing = false;
  /** What is on disk. */
  #synced: { readonly bytes: number; readonly last: Place };
  /** The last sync failed: the system may have given up what was to be synced (it does so once, fsync(2)). */
  #isLost = false;
  #slowUntil = 0;

  /** Opens, or makes, a segment of exactly `bytes` bytes. @throws the error of the system. */
  constructor(path: string, { bytes, last, isDurable }: SegmentFileOptions) {
    this.path = path;
    this.#last = last;
    this.#isDurable = isDurable;
    this.#synced = { bytes, last };
    this.#compared = this.#begin();
    const flags = constants.O_RDWR | (isDurable ? DSYNC : 0) | (bytes === 0 ? constants.O_CREAT : 0);
    this.#fd = openSync(path, flags, 0o600);
    try {
      // The name of a new file must outlive a power cut as its content does.
      if (bytes === 0) syncFolder(dirname(path));
      const found = fstatSync(this.#fd);
      if (found.size !== bytes) throw new Error(`${path} has ${found.size} bytes and not ${bytes}`);
      this.#ino = found.ino;
      this.#dev = found.dev;
      this.#changedAt = found.ctimeMs;
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * What somebody else did to the file, in words; `undefined`: nothing. `touched`: its time of change is not ours, so its
   * content must be read again before it is believed.
   */
  check(): 'touched' | { readonly problem: string } | undefined {
    let there: Stats | undefined;
    try {
      // One call that does not touch the disk, 2 us: less than a trip to the thread pool.
      there = statSync(this.path, { throwIfNoEntry: false });
    } catch (error) {
      return { problem: `${this.path} cannot be looked at (${codeOf(error)})` };
    }
    if (there === undefined) return { problem: `${this.path} was removed` };
    if (there.ino !== this.#ino || there.dev !== this.#dev)
      return { problem: `${this.path} was replaced by another file` };
    if (there.size !== this.#bytes)
      return { problem: `${this.path} has ${there.size} bytes where ${this.#bytes} were written` };
    return there.ctimeMs === this.#changedAt ? undefined : 'touched';
  }

  /** Reads the content again: `undefined` when it is what was written, up to the record with this hash. */
  async recheck(hash: string): Promise<string | undefined> {
    const before = fstatSync(this.#fd).ctimeMs;
    const bytes = await readFile(this.path);
    const scanned = scanSegment(basename(this.path), bytes);
    if (bytes.length !== this.#bytes || scanned.good !== bytes.length || (scanned.seq > 0 && scanned.hash !== hash))
      return `${this.path} was rewritten after record ${scanned.seq}`;
    this.#changedAt = before;
    return undefined;
  }

  /**
   * Reads a piece of what was written again, the next one each time and from the beginning after the last, and no longer
   * believes the file when its records do not follow each other up to the last one: a change that somebody made while we
   * wrote has the time of our own. A piece at a time, since all of it twice a second took more CPU than the calls.
   */
  async compare(): Promise<void> {
    const bytes = this.#bytes;
    const last = this.#last;
    const { at, place } = this.#compared;
    if (bytes === this.#roundBytes) return;
    this.#piece ??= Buffer.allocUnsafe(PIECE);
    const length = await readAt(this.#fd, this.#piece.subarray(0, Math.min(PIECE, bytes - at)), at);
    if (this.#closed) return;
    const piece = this.#piece.subarray(0, length);
    const found = followChain(piece, place);
    const end = at + found.good;
    const isWhole = found.good > 0 && !piece.includes(LINE_FEED, found.good);
    if (isWhole && at + length < bytes) {
      this.#compared = { at: end, place: found.last };
      return;
    }
    this.#compared = this.#begin();
    if (isWhole && end === bytes && found.last.hash === last.hash) this.#roundBytes = bytes;
    else this.#changedAt = Number.NaN;
  }

  #begin(): { readonly at: number; readonly place: Place } {
    return { at: 0, place: { seq: firstSeqOf(basename(this.path)) - 1, hash: undefined } };
  }

  /** Whether a file with the same content stands at the path now: somebody put a copy back. */
  async isRestored(hash: string): Promise<boolean> {
    const bytes = await readFile(this.path).catch(() => undefined);
    if (bytes === undefined || bytes.length !== this.#bytes) return false;
    const scanned = scanSegment(basename(this.path), bytes);
    return scanned.good === bytes.length && scanned.hash === hash;
  }

  /**
   * Appends; on failure what was written of it is cut off again. What is not durable is with the system then, mostly at once
   * (`undefined`): a trip to the thread pool takes ten times as much CPU as the write. Where the write may have to wait,
   * because of a sync or a busy disk, the loop does not wait with it.
   * @param last the last record of the text
   */
  append(text: Buffer, last: Head): Promise<void> | undefined {
    if (this.#isDurable || this.#isSyncing || text.length > MAX_NOW || performance.now() < this.#slowUntil)
      return this.#appendLater(text, last);
    const startedAt = performance.now();
    try {
      for (let done = 0; done < text.length; )
        done += writeSync(this.#fd, text, done, text.length - done, this.#bytes + done);
    } catch (error) {
      this.#cutOff();
      throw error;
    }
    this.#appended(text, last);
    const endedAt = performance.now();
    if (endedAt - startedAt > SLOW_MS) this.#slowUntil = endedAt + SLOW_FOR_MS;
    return undefined;
  }

  /** Until what was appended is on disk. What the system gave up after a failure is written again first. */
  async sync(): Promise<void> {
    const done = { bytes: this.#bytes, last: this.#last };
    if (!this.#isDurable) {
      this.#isSyncing = true;
      try {
        if (this.#isLost) await this.#writeAgain(done);
        await sync(this.#fd);
        this.#isLost = false;
      } catch (error) {
        this.#isLost = true;
        throw error;
      } finally {
        this.#isSyncing = false;
        if (this.#closed) closeSync(this.#fd);
      }
    }
    this.#synced = done;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // Its number would be the next file's while a sync still means this one.
    if (!this.#isSyncing) closeSync(this.#fd);
  }

  async #appendLater(text: Buffer, last: Head): Promise<void> {
    try {
      await writeAll(this.#fd, text, this.#bytes);
      if (this.#isDurable && DSYNC === 0) await sync(this.#fd);
    } catch (error) {
      this.#cutOff();
      throw error;
    }
    this.#appended(text, last);
  }

  #cutOff(): void {
    ftruncateSync(this.#fd, this.#bytes);
    this.#changedAt = fstatSync(this.#fd).ctimeMs;
  }

  #appended(text: Buffer, last: Head): void {
    this.#bytes += text.length;
    this.#last = last;
    this.#changedAt = fstatSync(this.#fd).ctimeMs;
  }

  /** As it reads, if that is what was written. */
  async #writeAgain(upTo: { readonly bytes: number; readonly last: Head }): Promise<void> {
    const from = this.#synced;
    const text = Buffer.allocUnsafe(upTo.bytes - from.bytes);
    const length = await readAt(this.#fd, text, from.bytes);
    const found = followChain(text.subarray(0, length), from.last);
    if (found.good !== text.length || (text.length > 0 && found.last.hash !== upTo.last.hash))
      throw new Error(`${this.path} lost what was written after record ${from.last.seq}`);
    await writeAll(this.#fd, text, from.bytes);
    this.#changedAt = fstatSync(this.#fd).ctimeMs;
  }
}

export function syncFolder(folder: string): void {
  // Windows cannot open a folder; its journal keeps names.
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function readAt(fd: number, bytes: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, bytes, 0, bytes.length, position, (error, length) => (error === null ? resolve(length) : reject(error)));
  });
}

async function writeAll(fd: number, text: Buffer, at: number): Promise<void> {
  for (let done = 0; done < text.length; ) done += await writeAt(fd, text.subarray(done), at + done);
}

function writeAt(fd: number, bytes: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, position, (error, written) => {
      if (error !== null) reject(error);
      else if (written === 0) reject(new Error('nothing could be written'));
      else resolve(written);
    });
  });
}

function sync(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}
