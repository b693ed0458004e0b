import type { Member } from './json-scan.ts';

/**
 * A grammar check (RFC 8259) over bytes that builds nothing: what a relay passes on unread must still be
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

/** A string is walked byte by byte for this long after its start, or after an escape, before the native search takes over. Bytes. */
const WALK = 48;

/**
 * The members of the object that `bytes` are, none where they are another value; `undefined`: they are no JSON, or nested deeper
 * than `maxDepth` levels. Iterative: depth cannot exhaust the stack.
 */
export function checkMembers(bytes: Buffer, maxDepth: number): readonly Member[] | undefined {
  const check = new Check(bytes, maxDepth);
  return check.run() ? check.members : undefined;
}

const NOWHERE = -1;

/** One check. */
class Check {
  readonly #bytes: Buffer;
  readonly #length: number;
  /** The closing bracket of each open object and array. */
  readonly #open: Uint8Array;
  /** Where the keys of the outermost object begin, and where their values begin and end. */
  readonly #keys: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The next quote and the next backslash that were found: searched for again only from behind them, so that every byte is searched once. */
  #quote = NOWHERE;
  #backslash = NOWHERE;

  constructor(bytes: Buffer, maxDepth: number) {
    this.#bytes = bytes;
    this.#length = bytes.length;
    this.#open = new Uint8Array(maxDepth);
  }

  /** After {@link run}. */
  get members(): readonly Member[] {
    return this.#keys.map((at, i) => ({
      key: JSON.parse(this.#bytes.toString('utf8', at, this.#afterString(at))) as string,
      start: this.#starts[i] ?? 0,
      end: this.#ends[i] ?? 0,
    }));
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
        if (depth === open.length) return false;
        if (bytes[i] !== close) {
          open[depth++] = close;
          if (close === CLOSE_BRACE) i = this.#afterKey(i, depth);
          if (i < 0) return false;
          continue;
        }
        i++;
      } else i = byte === QUOTE ? this.#afterString(i) : this.#afterScalar(i);
      if (i < 0) return false;
      // A value has ended: so may what it stands in.
      for (;;) {
        if (depth === 1 && open[0] === CLOSE_BRACE) this.#ends.push(i);
        i = this.#skipSpace(i);
        if (depth === 0) return i === this.#length;
        const close = open[depth - 1];
        if (bytes[i] === COMMA) {
          i = this.#skipSpace(i + 1);
          if (close === CLOSE_BRACE) i = this.#afterKey(i, depth);
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
  #afterKey(at: number, depth: number): number {
    if (this.#bytes[at] !== QUOTE) return NOWHERE;
    const end = this.#afterString(at);
    if (end < 0) return NOWHERE;
    const colon = this.#skipSpace(end);
    if (this.#bytes[colon] !== COLON) return NOWHERE;
    const start = this.#skipSpace(colon + 1);
    if (depth === 1) {
      this.#keys.push(at);
      this.#starts.push(start);
    }
    return start;
  }

  #afterString(at: number): number {
    const bytes = this.#bytes;
    let walkTo = at + 1 + WALK;
    for (let i = at + 1; i < this.#length; ) {
      const byte = bytes[i] as number; // Within the bounds of the loop.
      if (byte === QUOTE) return i + 1;
      if (byte === BACKSLASH) {
        i = this.#afterEscape(i);
        if (i < 0) return NOWHERE;
        walkTo = i + WALK;
        continue;
      }
      if (byte < FIRST_PRINTABLE) return NOWHERE;
      if (++i < walkTo) continue;
      if (this.#quote < i) this.#quote = this.#find(QUOTE, i);
      if (this.#backslash < i) this.#backslash = this.#find(BACKSLASH, i);
      const end = Math.min(this.#quote, this.#backslash);
      if (end === this.#length || hasControl(bytes, i, end)) return NOWHERE;
      if (end === this.#quote) return end + 1;
      i = end;
      walkTo = i + WALK;
    }
    return NOWHERE;
  }

  /** The length where there is none. */
  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#length : at;
  }

  #afterEscape(at: number): number {
    const letter = this.#bytes[at + 1];
    if (letter !== LETTER_U) return letter !== undefined && ESCAPED[letter] === 1 ? at + 2 : NOWHERE;
    for (let i = at + 2; i < at + 6; i++) if (HEX[this.#bytes[i] ?? 0] !== 1) return NOWHERE;
    return at + 6;
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

const LETTER_U = 0x75;
/** What may stand behind a backslash alone. */
const ESCAPED = toTable('"\\/bfnrt');
const HEX = toTable('0123456789abcdefABCDEF');

function toTable(letters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const letter of letters) table[letter.charCodeAt(0)] = 1;
  return table;
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
