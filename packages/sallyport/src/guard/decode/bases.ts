/** Letters and digits as the bytes they stand for. What does not belong to the base is passed over or ends it; nothing throws. */

/** No sign of the base. */
const NONE = 255;
const BASE32 = signsOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const BASE32HEX = signsOf('0123456789ABCDEFGHIJKLMNOPQRSTUV');
const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = 'abcdefghijklmnopqrstuvwxyz';

/** Of either kind, with its signs or those for links, padded or not. */
export function fromBase64(written: string): Buffer {
  return Buffer.from(written, 'base64');
}

/** Pairs of digits, with anything else between them. */
export function fromHex(written: string): Buffer {
  return Buffer.from(written.replace(/0x|[^0-9a-f]/gi, ''), 'hex');
}

/** RFC 4648 section 6, of either case. */
export function fromBase32(written: string): Buffer {
  return fromFives(written, BASE32);
}

/** RFC 4648 section 7, of either case. */
export function fromBase32Hex(written: string): Buffer {
  return fromFives(written, BASE32HEX);
}

function fromFives(written: string, signs: Uint8Array): Buffer {
  const bytes = Buffer.alloc(Math.ceil((written.length * 5) / 8));
  let size = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < written.length; i++) {
    const value = signs[written.charCodeAt(i) & 0x7f] ?? NONE;
    if (value === NONE) continue;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = held >> bits;
  }
  return bytes.subarray(0, size);
}

/** A base whose letters are the digits of one number, the first one the highest. */
export interface NumberBase {
  readonly base: number;
  readonly signs: Uint8Array;
}

/** As in addresses of wallets. */
export const BASE58 = numberBase(`${DIGITS.slice(1)}ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz`);
/** Of either case. */
export const BASE36: NumberBase = { base: 36, signs: signsOf(DIGITS + CAPITALS) };
/** No standard says which letters come first. */
export const BASES62: readonly NumberBase[] = [
  DIGITS + CAPITALS + SMALL,
  DIGITS + SMALL + CAPITALS,
  CAPITALS + SMALL + DIGITS,
].map(numberBase);

function numberBase(alphabet: string): NumberBase {
  const signs = new Uint8Array(128).fill(NONE);
  for (const [value, sign] of [...alphabet].entries()) signs[sign.charCodeAt(0)] = value;
  return { base: alphabet.length, signs };
}

/** Of so many digits every base here makes a number without rounding. */
const GROUP = 8;

/** By halves: 16,384 digits take a millisecond, one by one they would take a hundred. */
export function toNumber(written: string, { base, signs }: NumberBase): bigint {
  let parts: bigint[] = [];
  for (let end = written.length; end > 0; end -= GROUP) {
    let number = 0;
    for (let i = Math.max(0, end - GROUP); i < end; i++)
      number = number * base + (signs[written.charCodeAt(i) & 0x7f] ?? 0);
    parts.push(BigInt(number));
  }
  // The lowest part comes first.
  for (let power = BigInt(base ** GROUP); parts.length > 1; power *= power) {
    const pairs: bigint[] = [];
    for (let i = 0; i < parts.length; i += 2) pairs.push((parts[i + 1] ?? 0n) * power + (parts[i] ?? 0n));
    parts = pairs;
  }
  return parts[0] ?? 0n;
}

/** The bytes of the number, the highest first. */
export function fromNumberBase(written: string, base: NumberBase): Buffer {
  const hex = toNumber(written, base).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

/** Ascii85, as in PostScript and PDF. */
export function fromAscii85(written: string): Buffer {
  const bytes: number[] = [];
  for (let i = 0; i < written.length; i += 5) {
    const group = written.slice(i, i + 5);
    let number = 0;
    for (let j = 0; j < 5; j++) number = number * 85 + ((group.charCodeAt(j) || 117) - 33);
    for (let j = 0; j < group.length - 1; j++) bytes.push(Math.floor(number / 256 ** (3 - j)) & 0xff);
  }
  return Buffer.from(bytes);
}

/** A line of uuencode. */
export function fromUu(line: string): Buffer {
  const size = (line.charCodeAt(0) - 32) & 63;
  const bytes: number[] = [];
  for (let i = 1; i + 3 < line.length + 3; i += 4) {
    let number = 0;
    for (let j = 0; j < 4; j++) number = (number << 6) | (((line.charCodeAt(i + j) || 32) - 32) & 63);
    bytes.push((number >> 16) & 0xff, (number >> 8) & 0xff, number & 0xff);
  }
  return Buffer.from(bytes.slice(0, size));
}

function signsOf(alphabet: string): Uint8Array {
  const signs = new Uint8Array(128).fill(NONE);
  for (const [value, sign] of [...alphabet].entries())
    for (const one of [sign, sign.toLowerCase()]) signs[one.charCodeAt(0)] = value;
  return signs;
}
