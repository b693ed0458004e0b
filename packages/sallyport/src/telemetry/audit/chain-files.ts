import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { findChanged, stampOf } from './finished.ts';
import type { ChainTail, Head } from './recover.ts';
import { SegmentFile } from './segment-file.ts';
import { toSegmentName } from './segments.ts';

export interface ChainFilesOptions {
  readonly folder: string;
  readonly tail: ChainTail;
  readonly segmentBytes: number;
  /** What is appended is on disk at once. */
  readonly isDurable: boolean;
  readonly held?: string | undefined;
  readonly clock: Clock;
}

/** How often finished segments are looked at. Milliseconds. */
const LOOK_MS = 250;
/** How often what was written is read again. */
const COMPARE_MS = 500;
/** Made by `audit repair`: the operator has seen what is wrong and wants a new segment to be begun. */
export const REPAIR_MARK = 'repair';

/** What somebody else did to the files, in words. */
export class Trouble extends Error {}

/** The segments of a chain as its only writer left them: the open one, the finished ones, and any other hand on them. */
export class ChainFiles {
  readonly #options: ChainFilesOptions;
  #file: SegmentFile | undefined;
  /** The segment that is opened next; asked for again while it cannot be, so that a sick disk is not filled with names. */
  #next: ChainTail['segment'];
  /** Finished segments: name -> bytes and time of change. */
  readonly #finished = new Map<string, string>();
  /** Found at the start; nothing is written before an operator has seen it. */
  #held: string | undefined;
  #lookedAt = 0;
  #comparedAt = 0;

  constructor(options: ChainFilesOptions) {
    const { folder, tail } = options;
    this.#options = options;
    this.#next = tail.segment;
    this.#held = options.held;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of tail.segments)
      if (name !== tail.segment?.name) this.#finished.set(name, stampOf(join(folder, name)));
  }

  get isLarge(): boolean {
    return (this.#file?.bytes ?? 0) >= this.#options.segmentBytes;
  }

  /** @param last the last record of the chain */
  open(last: Head): SegmentFile {
    if (this.#file !== undefined) return this.#file;
    const { folder, isDurable } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#next ??= { name: toSegmentName(last.seq + 1, randomUUID()), bytes: 0 };
    const { name, bytes } = this.#next;
    this.#file = new SegmentFile(join(folder, name), { bytes, last, isDurable });
    this.#next = undefined;
    return this.#file;
  }

  /** Until what was appended is on disk. */
  async sync(): Promise<void> {
    await this.#file?.sync();
  }

  /** @param last the last record of the chain @throws Trouble when the files are not what was written. */
  async check(last: Head, isTroubled: boolean): Promise<void> {
    const { folder } = this.#options;
    if (isTroubled && existsSync(join(folder, REPAIR_MARK))) this.#beginAnew();
    if (this.#held !== undefined) throw new Trouble(this.#held);
    await this.#checkOpenFile(last);
    if (!isTroubled && performance.now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = performance.now();
    const changed = findChanged(folder, this.#finished, this.#file?.path);
    if (changed !== undefined) throw new Trouble(changed);
    // Meant for another trouble than the next one.
    if (!isTroubled) rmSync(join(folder, REPAIR_MARK), { force: true });
  }

  /** Reads some of what was written again. */
  async compare(): Promise<void> {
    if (performance.now() - this.#comparedAt < COMPARE_MS) return;
    this.#comparedAt = performance.now();
    await this.#file?.compare();
  }

  /** After a seal that is on disk: the segment is full. */
  finish(): void {
    if (this.#file === undefined) return;
    const { path } = this.#file;
    this.#file.close();
    this.#file = undefined;
    this.#finished.set(path.slice(this.#options.folder.length + 1), stampOf(path));
  }

  /** Finished segments that are deleted now, as a record on disk says. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#finished.delete(name);
      rmSync(join(this.#options.folder, name), { force: true });
    }
  }

  close(): void {
    this.#file?.close();
  }

  async #checkOpenFile(last: Head): Promise<void> {
    const file = this.#file;
    const found = file?.check();
    if (file === undefined || found === undefined) return;
    const problem = found === 'touched' ? await file.recheck(last.hash) : found.problem;
    if (problem === undefined) return;
    if (!(await file.isRestored(last.hash))) throw new Trouble(problem);
    const { path, bytes } = file;
    file.close();
    this.#file = new SegmentFile(path, { bytes, last, isDurable: this.#options.isDurable });
  }

  /** The operator knows: what is there stays as evidence and the chain goes on in a new segment. `verify` names the hole. */
  #beginAnew(): void {
    const { folder } = this.#options;
    const path = this.#file?.path;
    this.#file?.close();
    this.#file = undefined;
    this.#next = undefined;
    this.#held = undefined;
    this.#finished.clear();
    if (path !== undefined && existsSync(path)) renameSync(path, `${path}.set-aside-${this.#options.clock.now()}`);
    rmSync(join(folder, REPAIR_MARK), { force: true });
  }
}
