/** No text has it. */
export function isControl(byte: number): boolean {
  return (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f;
}

/** The longest copy: a length of eight bits and five more, a distance of five and thirteen more. */
const MAX_SYMBOL = 31;
/** So much of what comes out is looked at. */
const MAX_OUTPUT = 256;
const LITERAL_FROM = 0x30;
const LENGTH_FROM = 0xc0;
const HIGH_FROM = 0xc8;

/**
 * Can the first block be a text in the fixed codes of deflate (RFC 1951 section 3.2.6)? It begins with no copy, copies
 * nothing from before its beginning, and has no control character; something packed twice may, behind its header. False is
 * certain; noise holds so for ten symbols once in thirty times.
 * @param bytes from the header of the block on
 */
export function mayBeFixed(bytes: Uint8Array, isPacked: (head: Uint8Array) => boolean): boolean {
  const bits = new Bits(bytes);
  const head = new Uint8Array(2);
  for (let size = 0; size < MAX_OUTPUT && bits.left >= MAX_SYMBOL; ) {
    const short = bits.code(0, 7);
    // Seven bits tell a length or the end, eight most literals, nine those from 144 on.
    const long = short < LITERAL_FROM >> 1 ? undefined : bits.code(short, 1);
    if (long !== undefined && (long < LENGTH_FROM || long >= HIGH_FROM)) {
      const literal = long < LENGTH_FROM ? long - LITERAL_FROM : (bits.code(long, 1) & 0xff) - 0x90 + 144;
      if (size < 2) head[size] = literal;
      if (size === 0 ? literal < 0x09 : size > 1 && isControl(literal)) return false;
      size++;
      if (size === 2 && isPacked(head)) return true;
      continue;
    }
    if (size === 0) return false;
    if (short === 0 || size === 1) return true;
    const length = bits.length(long === undefined ? short - 1 : long - LENGTH_FROM + 23);
    if (length === undefined) return false;
    const distance = bits.distance();
    if (distance === undefined || distance > size) return false;
    size += length;
  }
  return true;
}

/** Bits as deflate packs them: from the lowest of each byte on. */
class Bits {
  /** Behind the header of a block. */
  #at = 3;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length * 8 - this.#at;
  }

  #next(): number {
    const bit = ((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1;
    this.#at++;
    return bit;
  }

  /** Codes come with their highest bit first. */
  code(start: number, size: number): number {
    let value = start;
    for (let i = 0; i < size; i++) value = (value << 1) | this.#next();
    return value;
  }

  /** Numbers come with their lowest bit first. */
  #number(size: number): number {
    let value = 0;
    for (let i = 0; i < size; i++) value |= this.#next() << i;
    return value;
  }

  /** @param symbol from 0, which is 257 there; `undefined`: there is none */
  length(symbol: number): number | undefined {
    if (symbol > 28) return undefined;
    if (symbol === 28) return 258;
    if (symbol < 8) return 3 + symbol;
    const size = (symbol >> 2) - 1;
    return 3 + ((4 + (symbol & 3)) << size) + this.#number(size);
  }

  distance(): number | undefined {
    const symbol = this.code(0, 5);
    if (symbol > 29) return undefined;
    if (symbol < 2) return 1 + symbol;
    const size = (symbol >> 1) - 1;
    return 1 + ((2 + (symbol & 1)) << size) + this.#number(size);
  }
}
