import type { KeyedDigest } from './keyed-digest.ts';
import { digestAtOf, GENESIS, HASH_LENGTH, hashLine, prevAtOf, toLine } from './record-line.ts';
import type { Head } from './recover.ts';

const LINE_FEED = 0x0a;
const FIRST_BYTES = 65_536;
/** A buffer that grew beyond this is given back when its records are written. Bytes. */
const KEPT_BYTES = FIRST_BYTES * 16;
/** A character of a string is at most so many bytes of UTF-8. */
const MAX_WIDTH = 3;
/** Lines are collected as text up to here: few enough to be bytes before they have survived a collection. Characters. */
const MAX_TEXT = 16_384;
/** Longer values are digested when they come; the others are copied, since their memory is used again. Bytes. */
const MAX_VALUE = 2_048;
const VALUES_BYTES = 32_768;
const NO_VALUE = -1;

export interface PushOptions {
  /** Makes the line that is written of the whole record, e.g. signs it. */
  readonly finish?: (line: string) => string;
  /** What the digest is of that ends the record, which comes with {@link NO_DIGEST} in its place. */
  readonly value?: Buffer | undefined;
}

/**
 * Records that wait to be written, as they will stand in the file: bytes outside the heap, since as strings every one of
 * them survived several collections of the young generation while it waited. Each takes its number when it comes. The
 * digests in them and the hashes that chain them are made on end, before they are written: between other work one costs
 * several times as much.
 */
export class RecordQueue {
  readonly #digest: KeyedDigest;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  #text = '';
  #length = 0;
  #seq: number;
  /** The last record that names the one before it, and where it ends. */
  #last: Head;
  #chained = 0;
  readonly #values = Buffer.allocUnsafe(VALUES_BYTES);
  /** For each record behind `chained` where its value ends in `values`; they stand there one after the other. */
  readonly #valueEnds: number[] = [];
  #valuesUsed = 0;

  /** @param last the record that the first one here follows */
  constructor(last: Head, digest: KeyedDigest) {
    this.#last = last;
    this.#seq = last.seq;
    this.#digest = digest;
  }

  get length(): number {
    return this.#length;
  }

  /** As they will stand in the file. */
  get bytes(): Buffer {
    this.#chain();
    return this.#bytes.subarray(0, this.#used);
  }

  /** About: texts that wait are counted as ASCII. */
  get size(): number {
    return this.#used + this.#text.length;
  }

  /** The end of the chain: the last record here. */
  get last(): Head {
    this.#chain();
    return this.#last;
  }

  /** @param body of {@link toLine} */
  push(body: string, { finish, value }: PushOptions = {}): void {
    this.#seq++;
    this.#length++;
    if (finish !== undefined) {
      this.#chain();
      this.#add(finish(toLine(this.#seq, this.#last.hash, body)), NO_VALUE);
      this.#chain();
    } else if (value === undefined) this.#add(toLine(this.#seq, GENESIS, body), NO_VALUE);
    else this.#addWith(toLine(this.#seq, GENESIS, body), value);
  }

  /** These records, then the others, which follow them already. */
  followedBy(others: RecordQueue): this {
    const { bytes, last } = others;
    this.#chain();
    // Only when it must: this is done again with every attempt while the disk takes nothing.
    this.#makeRoom(bytes.length);
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
    this.#text = '';
    this.#valueEnds.length = 0;
    this.#valuesUsed = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    return this;
  }

  #add(line: string, valueEnd: number): void {
    this.#text += `${line}\n`;
    this.#valueEnds.push(valueEnd);
    if (this.#text.length > MAX_TEXT) this.#store();
  }

  #addWith(line: string, value: Buffer): void {
    const end = this.#valuesUsed + value.length;
    if (value.length <= MAX_VALUE && end <= VALUES_BYTES) {
      this.#values.set(value, this.#valuesUsed);
      this.#valuesUsed = end;
      this.#add(line, end);
    } else this.#add(`${line.slice(0, digestAtOf(line.length))}${this.#digest(value)}"}`, NO_VALUE);
  }

  #store(): void {
    const text = this.#text;
    this.#makeRoom(text.length * MAX_WIDTH);
    this.#used += this.#bytes.write(text, this.#used, 'utf8');
    this.#text = '';
  }

  /** JSON has no line feed within a record. */
  #chain(): void {
    if (this.#valueEnds.length === 0) return;
    this.#store();
    const bytes = this.#bytes;
    let { seq, hash } = this.#last;
    let start = this.#chained;
    let valueStart = 0;
    for (const valueEnd of this.#valueEnds) {
      seq++;
      bytes.write(hash, start + prevAtOf(seq), HASH_LENGTH, 'latin1');
      const end = bytes.indexOf(LINE_FEED, start);
      if (valueEnd !== NO_VALUE) {
        const value = this.#values.subarray(valueStart, valueEnd);
        bytes.write(this.#digest(value), digestAtOf(end), HASH_LENGTH, 'latin1');
        valueStart = valueEnd;
      }
      hash = hashLine(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
      start = end + 1;
    }
    this.#valueEnds.length = 0;
    this.#valuesUsed = 0;
    this.#chained = start;
    this.#last = { seq, hash };
  }

  #makeRoom(more: number): void {
    const needed = this.#used + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
