import { type ByteSource, WINDOW } from '../../core/byte-source.ts';
import type { Span } from '../../core/json-scan.ts';
import type { Pause } from '../../core/pace.ts';

/** One element of an array, or one member of an object; the span is the value's. */
export interface Child extends Span {
  /** The key with its quotes; both 0 in an array. */
  readonly keyStart: number;
  readonly keyEnd: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

/**
 * The children of the array or object at `at`, in batches as they are met: nothing is kept, so that an array of millions costs
 * no memory. Grammar is checked only as far as brackets and strings go.
 * @param visit returns `false` when it has seen enough
 * @returns where the container ends; `undefined`: it does not, or nobody wanted to know
 */
export async function readChildren(
  source: ByteSource,
  at: number,
  { visit, pause }: { readonly visit: (child: Child, index: number) => boolean; readonly pause: Pause },
): Promise<number | undefined> {
  const reader = new ChildReader(visit);
  for (let start = at; start < source.size; start += WINDOW) {
    const part = source.read(start, Math.min(start + WINDOW, source.size));
    if (reader.feed(part instanceof Promise ? await part : part, start)) return reader.end;
    await pause();
  }
  return undefined;
}

class ChildReader {
  /** After the closing bracket; `undefined`: the visitor had enough. */
  end: number | undefined;
  readonly #visit: (child: Child, index: number) => boolean;
  #index = 0;
  /** 0: before the opening bracket; 1: among the children. */
  #depth = 0;
  #isObject = false;
  #isInString = false;
  #isEscaped = false;
  #keyStart = 0;
  #keyEnd = 0;
  #start = -1;
  #last = -1;

  constructor(visit: (child: Child, index: number) => boolean) {
    this.#visit = visit;
  }

  /** @returns whether nothing more is wanted */
  feed(bytes: Buffer, base: number): boolean {
    const { length } = bytes;
    for (let i = 0; i < length; i++) {
      const byte = bytes[i] as number; // Within the bounds of the loop.
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#isInString = false;
          if (this.#depth === 1) this.#last = base + i + 1;
        } else {
          i = skipPlain(bytes, i);
        }
        continue;
      }
      if (byte <= SPACE) continue;
      if (this.#depth === 1) {
        if (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
          const isMore = this.#finish();
          if (byte !== COMMA) this.end = base + i + 1;
          if (byte !== COMMA || !isMore) return true;
          continue;
        }
        if (byte === COLON && this.#isObject) {
          this.#keyStart = this.#start;
          this.#keyEnd = this.#last;
          this.#start = -1;
          continue;
        }
        if (this.#start < 0) this.#start = base + i;
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#depth === 0) this.#isObject = byte === OPEN_BRACE;
        this.#depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
      if (this.#depth === 1) this.#last = base + i + 1;
    }
    return false;
  }

  #finish(): boolean {
    const [start, end] = [this.#start, this.#last];
    if (start < 0) return true;
    const child = { keyStart: this.#keyStart, keyEnd: this.#keyEnd, start, end };
    this.#start = -1;
    this.#keyStart = 0;
    this.#keyEnd = 0;
    return this.#visit(child, this.#index++) !== false;
  }
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The last byte before the next quote or backslash. */
function skipPlain(bytes: Buffer, at: number): number {
  let i = at;
  while (i + 1 < bytes.length && bytes[i + 1] !== QUOTE && bytes[i + 1] !== BACKSLASH) i++;
  return i;
}
