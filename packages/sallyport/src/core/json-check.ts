import { readFrame } from './read-frame.ts';

/**
 * Is this JSON? A grammar check (RFC 8259) over bytes that builds nothing: what a relay passes on unread must still be
 * JSON for whoever reads it. UTF-8 is checked elsewhere.
 */

// As in json-scan.ts, and not imported from there: V8 folds a constant of the same module only, which is a seventh here.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const FIRST_PRINTABLE = 0x20;

/** A string is walked byte by byte for this long before the native search takes over. Bytes. */
const WALK = 48;

/** The whole of `bytes` is one JSON value, nested at most `maxDepth` levels. Iterative: depth cannot exhaust the stack. */
export function isJson(bytes: Buffer, maxDepth: number): boolean {
  // Escapes end every run after some bytes; then native code that builds what nobody needs is faster than code of ours.
  if (bytes.includes(BACKSLASH)) return readFrame(bytes, maxDepth).depth <= maxDepth && parses(bytes);
  return new Check(bytes, maxDepth).run();
}

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const NOWHERE = -1;

/** One check of bytes without a backslash. */
class Check {
  readonly #bytes: Buffer;
  readonly #length: number;
  /** The closing bracket of each open object and array. */
  readonly #open: Uint8Array;

  constructor(bytes: Buffer, maxDepth: number) {
    this.#bytes = bytes;
    this.#length = bytes.length;
    this.#open = new Uint8Array(maxDepth);
  }

  run(): boolean {
    const bytes = this.#bytes;
    const open = this.#open;
    let depth = 0;
    let i = this.#skipSpace(0);
    for (;;) {
      const byte = bytes[i];
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        const close = byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
        i = this.#skipSpace(i + 1);
        if (bytes[i] !== close) {
          if (depth === open.length) return false;
          open[depth++] = close;
          if (close === CLOSE_BRACE) i = this.#afterKey(i);
          if (i < 0) return false;
          continue;
        }
        i++;
      } else i = byte === QUOTE ? this.#afterString(i) : this.#afterScalar(i);
      if (i < 0) return false;
      // A value has ended: so may what it stands in.
      for (;;) {
        i = this.#skipSpace(i);
        if (depth === 0) return i === this.#length;
        const close = open[depth - 1];
        if (bytes[i] === COMMA) {
          i = this.#skipSpace(i + 1);
          if (close === CLOSE_BRACE) i = this.#afterKey(i);
          if (i < 0) return false;
          break;
        }
        if (bytes[i] !== close) return false;
        depth--;
        i++;
      }
    }
  }

  #skipSpace(at: number): number {
    const bytes = this.#bytes;
    let i = at;
    for (;;) {
      const byte = bytes[i];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i;
      i++;
    }
  }

  /** From the quote of a key to the value behind its colon. */
  #afterKey(at: number): number {
    if (this.#bytes[at] !== QUOTE) return NOWHERE;
    const end = this.#afterString(at);
    if (end < 0) return NOWHERE;
    const colon = this.#skipSpace(end);
    return this.#bytes[colon] === COLON ? this.#skipSpace(colon + 1) : NOWHERE;
  }

  #afterString(at: number): number {
    const bytes = this.#bytes;
    const walkTo = Math.min(at + 1 + WALK, this.#length);
    let i = at + 1;
    while (i < walkTo) {
      const byte = bytes[i] as number; // Within the bounds of the loop.
      if (byte === QUOTE) return i + 1;
      if (byte < FIRST_PRINTABLE) return NOWHERE;
      i++;
    }
    const quote = bytes.indexOf(QUOTE, i);
    return quote < 0 || hasControl(bytes, i, quote) ? NOWHERE : quote + 1;
  }

  #afterScalar(at: number): number {
    switch (this.#bytes[at]) {
      case 0x74:
        return this.#afterWord(at, 'true');
      case 0x66:
        return this.#afterWord(at, 'false');
      case 0x6e:
        return this.#afterWord(at, 'null');
      default:
        return this.#afterNumber(at);
    }
  }

  #afterWord(at: number, word: string): number {
    for (let i = 0; i < word.length; i++) if (this.#bytes[at + i] !== word.charCodeAt(i)) return NOWHERE;
    return at + word.length;
  }

  #afterNumber(at: number): number {
    const bytes = this.#bytes;
    let i = bytes[at] === 0x2d ? at + 1 : at;
    const first = i;
    i = this.#afterDigits(i);
    if (i < 0 || (bytes[first] === 0x30 && i > first + 1)) return NOWHERE;
    if (bytes[i] === 0x2e) {
      i = this.#afterDigits(i + 1);
      if (i < 0) return NOWHERE;
    }
    if (bytes[i] === 0x65 || bytes[i] === 0x45) {
      const sign = bytes[i + 1];
      i = this.#afterDigits(sign === 0x2b || sign === 0x2d ? i + 2 : i + 1);
    }
    return i;
  }

  /** At least one. */
  #afterDigits(at: number): number {
    let i = at;
    while (isDigit(this.#bytes[i])) i++;
    return i === at ? NOWHERE : i;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Is one of the bytes below 0x20? Four at a time (the zero-byte test of Hacker's Delight, section 6-1, shifted). */
function hasControl(bytes: Buffer, start: number, end: number): boolean {
  let i = start;
  while (i < end && (bytes.byteOffset + i) % 4 !== 0) if ((bytes[i++] as number) < FIRST_PRINTABLE) return true;
  const words = (end - i) >> 2;
  if (words > 0) {
    const view = new Int32Array(bytes.buffer, bytes.byteOffset + i, words);
    for (let at = 0; at < words; at++) {
      const word = view[at] as number;
      if (((word - 0x20202020) & ~word & 0x80808080) !== 0) return true;
    }
    i += words * 4;
  }
  while (i < end) if ((bytes[i++] as number) < FIRST_PRINTABLE) return true;
  return false;
}
