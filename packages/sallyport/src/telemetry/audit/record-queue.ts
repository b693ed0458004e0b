import { hashLine, PREFIX_ROOM, toPrefix } from './record-line.ts';

const LINE_FEED = 0x0a;
const FIRST_BYTES = 65_536;
/** A character of a string is at most so many bytes of UTF-8. */
const MAX_WIDTH = 3;

/** Where a chain is. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Records that wait to be written, as bytes outside the heap with room before each for its place in the chain: as strings,
 * every one of them survived several collections of the young generation while it waited.
 */
export class RecordQueue {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  /** Where each record ends, behind its line feed. */
  #ends: number[] = [];

  get length(): number {
    return this.#ends.length;
  }

  /** Bytes. */
  get size(): number {
    return this.#used;
  }

  push(body: string): void {
    const needed = this.#used + PREFIX_ROOM + body.length * MAX_WIDTH + 1;
    if (needed > this.#bytes.length) this.#grow(needed);
    const start = this.#used + PREFIX_ROOM;
    const end = start + this.#bytes.write(body, start, 'utf8');
    this.#bytes[end] = LINE_FEED;
    this.#used = end + 1;
    this.#ends.push(this.#used);
  }

  /** These records, then the others. */
  followedBy(others: RecordQueue): this {
    if (others.length === 0) return this;
    this.#grow(this.#used + others.#used);
    others.#bytes.copy(this.#bytes, this.#used, 0, others.#used);
    for (const end of others.#ends) this.#ends.push(this.#used + end);
    this.#used += others.#used;
    return this;
  }

  /**
   * Gives each record its place after `place` and writes them into `out` at `at`, which has {@link size} bytes of room
   * there. May be done again.
   */
  write(place: ChainPlace, out: Buffer, at: number): ChainPlace & { readonly end: number } {
    let { seq, hash } = place;
    let end = at;
    let from = 0;
    const bytes = this.#bytes;
    for (const to of this.#ends) {
      const prefix = toPrefix(++seq, hash);
      const start = from + PREFIX_ROOM - prefix.length;
      bytes.write(prefix, start, 'latin1');
      hash = hashLine(bytes.subarray(start, to - 1));
      end += bytes.copy(out, end, start, to);
      from = to;
    }
    return { seq, hash, end };
  }

  clear(): void {
    this.#used = 0;
    this.#ends = [];
    if (this.#bytes.length > FIRST_BYTES * 16) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
