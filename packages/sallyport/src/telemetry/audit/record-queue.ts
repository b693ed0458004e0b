import { hashLine, toLine } from './record-line.ts';
import type { Head } from './recover.ts';

const LINE_FEED = 0x0a;
const FIRST_BYTES = 65_536;
/** A buffer that grew beyond this is given back when its records are written. Bytes. */
const KEPT_BYTES = FIRST_BYTES * 16;
/** A character of a string is at most so many bytes of UTF-8. */
const MAX_WIDTH = 3;

/**
 * Records that wait to be written, as they will stand in the file: each takes its place in the chain when it comes. Bytes
 * outside the heap: as strings, every one of them survived several collections of the young generation while it waited.
 */
export class RecordQueue {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  #length = 0;
  #last: Head;

  /** @param last the record that the first one here follows */
  constructor(last: Head) {
    this.#last = last;
  }

  get length(): number {
    return this.#length;
  }

  /** As they will stand in the file. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  get size(): number {
    return this.#used;
  }

  /** The end of the chain: the last record here. */
  get last(): Head {
    return this.#last;
  }

  /** @param body of {@link toLine} @param finish makes the line that is written of it, e.g. signs it */
  push(body: string, finish?: (line: string) => string): void {
    const seq = this.#last.seq + 1;
    const unfinished = toLine(seq, this.#last.hash, body);
    const line = finish === undefined ? unfinished : finish(unfinished);
    const start = this.#used;
    const needed = start + line.length * MAX_WIDTH + 1;
    if (needed > this.#bytes.length) this.#grow(needed);
    const end = start + this.#bytes.write(line, start, 'utf8');
    this.#bytes[end] = LINE_FEED;
    this.#used = end + 1;
    this.#length++;
    this.#last = {
      seq,
      hash: hashLine(new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start)),
    };
  }

  /** These records, then the others, which follow them already. */
  followedBy(others: RecordQueue): this {
    this.#grow(this.#used + others.#used);
    others.bytes.copy(this.#bytes, this.#used);
    this.#used += others.#used;
    this.#length += others.#length;
    this.#last = others.#last;
    return this;
  }

  /** Empty again; the next record follows `last`. */
  clear(last: Head): this {
    this.#used = 0;
    this.#length = 0;
    this.#last = last;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    return this;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
