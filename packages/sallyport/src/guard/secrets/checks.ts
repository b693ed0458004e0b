import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** ISO/IEC 7812-1 annex B. @param digits nothing but digits */
export function hasLuhnSum(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const value = i % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** ISO 7064 mod 97-10, as ISO 13616 uses it for IBANs. @param account without blanks, in upper case */
export function hasIbanSum(account: string): boolean {
  let rest = 0;
  for (const sign of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** GitHub, 2021-04-05, and npm after it: the last six characters are the CRC-32 of the others. @param rest without the mark */
export function hasTokenSum(rest: string): boolean {
  let sum = 0;
  for (const sign of rest.slice(-6)) sum = sum * 62 + BASE62.indexOf(sign);
  return sum === crc32(rest.slice(0, -6));
}

const RESIDENT_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** GB 11643: a province, a day that was, and the ISO 7064 mod 11-2 sign. @param id 17 digits and a digit or X */
export function isResidentId(id: string): boolean {
  const province = Number(id.slice(0, 2));
  if (province < 11 || province > 82) return false;
  const [year, month, day] = [Number(id.slice(6, 10)), Number(id.slice(10, 12)), Number(id.slice(12, 14))];
  if (year < 1900 || year > 2100 || !isDay(year, month, day)) return false;
  const sum = RESIDENT_WEIGHTS.reduce((total, weight, i) => total + weight * Number(id[i]), 0);
  return '10X98765432'[sum % 11] === id.slice(17).toUpperCase();
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Numbers the Social Security Administration never gave out are none (20 CFR 422.103, randomised since 2011). */
export function isSocialSecurityNumber(digits: string): boolean {
  const area = Number(digits.slice(0, 3));
  return area !== 0 && area !== 666 && area < 900 && digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000';
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58Check: the last four bytes are a double SHA-256 of the rest. @returns the payload, `undefined` where the sum is wrong */
export function fromBase58Check(text: string): Buffer | undefined {
  if (text.length > 128) return undefined;
  let number = 0n;
  // Nine digits at once are still exact, and a flood of addresses costs a fifth.
  for (let at = 0; at < text.length; at += 9) {
    const signs = text.slice(at, at + 9);
    let part = 0;
    for (const sign of signs) {
      const value = BASE58.indexOf(sign);
      if (value < 0) return undefined;
      part = part * 58 + value;
    }
    number = number * 58n ** BigInt(signs.length) + BigInt(part);
  }
  const hex = number.toString(16);
  const zeros = text.length - text.replace(/^1+/, '').length;
  const bytes = Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
  if (bytes.length < 5) return undefined;
  const payload = bytes.subarray(0, -4);
  const sum = sha256(sha256(payload)).subarray(0, 4);
  return sum.equals(bytes.subarray(-4)) ? payload : undefined;
}

/** BIP-39: 11 bits of each word; the last ones, one in 33, are the first of the SHA-256 of the others. @param places in the list */
export function hasWordSum(places: readonly number[]): boolean {
  const bytes = Buffer.alloc((places.length / 3) * 4 + 1);
  let carry = 0;
  let bits = 0;
  let at = 0;
  for (const place of places) {
    carry = ((carry << 11) | place) & 0x3ffff;
    for (bits += 11; bits >= 8; at++) {
      bits -= 8;
      bytes[at] = carry >> bits;
    }
  }
  if (bits > 0) bytes[at] = carry << (8 - bits);
  const rest = 8 - places.length / 3;
  const last = bytes.length - 1;
  return (bytes[last] ?? 0) >> rest === (sha256(bytes.subarray(0, last))[0] ?? 0) >> rest;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** A header with `alg`, and for a signed one a payload that is an object (RFC 7519, RFC 7516). */
export function isJsonWebToken(token: string): boolean {
  const [header = '', payload = '', ...rest] = token.split('.');
  const head = parseObject(header);
  if (head === undefined || typeof head['alg'] !== 'string') return false;
  return rest.length >= 3 ? typeof head['enc'] === 'string' : parseObject(payload) !== undefined;
}

function parseObject(part: string): Record<string, unknown> | undefined {
  if (part.length > 16_384) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>) // True by the line above.
      : undefined;
  } catch {
    return undefined;
  }
}

/** Shannon entropy in bits per character. Words have 2 to 3.5, random base64 of 40 characters about 4.8. */
export function toEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}

/** `xxxx`, `0000-0000`, `****`: somebody left the value out. */
export function isFiller(text: string): boolean {
  return new Set(text.replace(/[^A-Za-z0-9*]/g, '').toLowerCase()).size <= 3;
}
