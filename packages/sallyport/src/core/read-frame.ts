import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  decodeKey,
  type Member,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipString,
} from './json-scan.ts';

/** What a relay asks of the bytes of a message. */
export interface Frame {
  /** The deepest nesting. */
  readonly depth: number;
  /** Of all objects: more than the keys that were parsed means that one stood twice. */
  readonly pairs: number;
  /** Of the object that the bytes are, in order. Empty when they are none. */
  readonly members: readonly Member[];
  /** The same of its member `params`, of the last one of that name. */
  readonly params: readonly Member[];
}

/**
 * One pass, without recursion, since nothing is known of the bytes: whoever wants the members parses them as well, which refuses
 * what is no JSON. Stops at a depth of `maxDepth + 1`: deeper is refused whatever follows.
 */
export function readFrame(bytes: Buffer, maxDepth: number): Frame {
  const { length } = bytes;
  const members = new Reading(bytes);
  const params = new Reading(bytes);
  /** What is read at this depth. */
  let reading: Reading | undefined;
  let isInParams = false;
  let depth = 0;
  let deepest = 0;
  let pairs = 0;
  /** Behind the last byte that is no blank. */
  let stop = 0;
  for (let i = 0; i < length; ) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      const start = i;
      i = stop = skipString(bytes, i);
      reading?.name(start, i);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (deepest > maxDepth) break;
      if (depth === 2) {
        isInParams = byte === OPEN_BRACE && members.isNamed('params');
        if (isInParams) params.found.length = 0;
      }
      reading = depth === 1 ? members : depth === 2 && isInParams ? params : undefined;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      reading?.end(stop);
      depth--;
      reading = depth === 1 ? members : depth === 2 && isInParams ? params : undefined;
    } else if (byte === COLON) {
      pairs++;
      reading?.begin(i + 1);
    } else if (byte === COMMA) reading?.end(stop);
    i++;
    if (byte > BLANK) stop = i;
  }
  return { depth: deepest, pairs, members: members.found, params: params.found };
}

const BLANK = 0x20;
const NOWHERE = -1;

/** The members of one object while it is read. */
class Reading {
  readonly found: Member[] = [];
  readonly #bytes: Buffer;
  #key: string | undefined;
  #start = NOWHERE;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A text from its quote to behind the other one: a name where a value is not awaited. */
  name(start: number, end: number): void {
    this.#key ??= decodeKey(this.#bytes, start, end);
  }

  isNamed(key: string): boolean {
    return this.#start !== NOWHERE && this.#key === key;
  }

  begin(at: number): void {
    this.#start = skipSpace(this.#bytes, at);
  }

  end(end: number): void {
    if (this.#key !== undefined && this.#start !== NOWHERE)
      this.found.push({ key: this.#key, start: this.#start, end });
    this.#key = undefined;
    this.#start = NOWHERE;
  }
}
