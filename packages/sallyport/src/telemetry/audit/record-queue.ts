import { GENESIS, HASH_LENGTH, hashLine, prevAtOf, toLine } from './record-line.ts';
import type { Head } from './recover.ts';

const LINE_FEED = 0x0a;
const FIRST_BYTES = 65_536;
/** A buffer that grew beyond this is given back when its records are written. Bytes. */
const KEPT_BYTES = FIRST_BYTES * 16;
/** A character of a string is at most so many bytes of UTF-8. */
const MAX_WIDTH = 3;

/**
 * Records that wait to be written, as they will stand in the file: bytes outside the heap, since as strings every one of
 * them survived several collections of the young generation while it waited. Each takes its number when it comes. The
 * hashes that chain them are made on end, before they are written: between other work one costs several times as much.
 */
export class RecordQueue {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  #length = 0;
  #seq: number;
  /** The last record that names the one before it, and where it ends. */
  #last: Head;
  #chained = 0;

  /** @param last the record that the first one here follows */
  constructor(last: Head) {
    this.#last = last;
    this.#seq = last.seq;
  }

  get length(): number {
    return this.#length;
  }

  /** As they will stand in the file. */
  get bytes(): Buffer {
    this.#chain();
    return this.#bytes.subarray(0, this.#used);
  }

  get size(): number {
    return this.#used;
  }

  /** The end of the chain: the last record here. */
  get last(): Head {
    this.#chain();
    return this.#last;
  }

  /** @param body of {@link toLine} @param finish makes the line that is written of it, e.g. signs it */
  push(body: string, finish?: (line: string) => string): void {
    this.#seq++;
    if (finish === undefined) this.#write(toLine(this.#seq, GENESIS, body));
    else {
      this.#chain();
      this.#write(finish(toLine(this.#seq, this.#last.hash, body)));
      this.#chain();
    }
  }

  /** These records, then the others, which follow them already. */
  followedBy(others: RecordQueue): this {
    const { bytes, last } = others;
    this.#chain();
    this.#grow(this.#used + bytes.length);
    bytes.copy(this.#bytes, this.#used);
    this.#used += bytes.length;
    this.#length += others.length;
    this.#seq = last.seq;
    this.#last = last;
    this.#chained = this.#used;
    return this;
  }

  /** Empty again; the next record follows `last`. */
  clear(last: Head): this {
    this.#used = 0;
    this.#length = 0;
    this.#seq = last.seq;
    this.#last = last;
    this.#chained = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    return this;
  }

  #write(line: string): void {
    const start = this.#used;
    const needed = start + line.length * MAX_WIDTH + 1;
    if (needed > this.#bytes.length) this.#grow(needed);
    const end = start + this.#bytes.write(line, start, 'utf8');
    this.#bytes[end] = LINE_FEED;
    this.#used = end + 1;
    this.#length++;
  }

  /** JSON has no line feed within a record. */
  #chain(): void {
    const bytes = this.#bytes;
    let { seq, hash } = this.#last;
    let start = this.#chained;
    while (start < this.#used) {
      seq++;
      bytes.write(hash, start + prevAtOf(seq), HASH_LENGTH, 'latin1');
      const end = bytes.indexOf(LINE_FEED, start);
      hash = hashLine(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
      start = end + 1;
    }
    if (start === this.#chained) return;
    this.#chained = start;
    this.#last = { seq, hash };
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
