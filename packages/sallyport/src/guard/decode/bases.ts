/** Letters and digits as the bytes they stand for. What does not belong to the base is passed over or ends it; nothing throws. */

/** No sign of the base. */
const NONE = 255;
const BASE32 = signsOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

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
  const bytes = Buffer.alloc(Math.ceil((written.length * 5) / 8));
  let size = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < written.length; i++) {
    const value = BASE32[written.charCodeAt(i) & 0x7f] ?? NONE;
    if (value === NONE) continue;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = held >> bits;
  }
  return bytes.subarray(0, size);
}

/** As in addresses of wallets. */
export function fromBase58(written: string): Buffer {
  let number = 0n;
  for (const letter of written) number = number * 58n + BigInt(BASE58.indexOf(letter));
  const hex = number.toString(16);
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
