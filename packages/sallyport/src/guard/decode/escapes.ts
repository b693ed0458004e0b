import { ENTITIES } from './entities.ts';
import type { MappedText } from './mapped-text.ts';
import { fromUnits, toUnits } from './text-units.ts';

/**
 * Escapes of URLs (RFC 3986, and `%u0041` of old servers), HTML, JavaScript, C and JSON replaced by what they stand for;
 * `undefined`: there is none. One layer, but for backslashes, which JSON in JSON doubles at each step.
 */
export function decodeEscapes(text: string): MappedText | undefined {
  return replaceSigns(text, ALL);
}

const ALL: Escapes = { begins: ['%', '&', '\\'], read: readEscape };
const QUOTED_PRINTABLE: Escapes = { begins: ['='], read: readQuoted };

/** Fewer are in a query or a program. */
const FEWEST_QUOTED = 3;
/** More of it: `x=22;` is an assignment. */
const QUOTED = /=[2-7C-F][0-9A-F](?:[=A-Za-z]|\r?\n)/y;

/** Quoted-printable (RFC 2045 section 6.7); `undefined`: the text is not written so. Apart from the others: links have such signs. */
export function decodeQuoted(text: string): MappedText | undefined {
  let seen = 0;
  for (let at = text.indexOf('='); at >= 0 && seen < FEWEST_QUOTED; at = text.indexOf('=', at + 1)) {
    QUOTED.lastIndex = at;
    if (QUOTED.test(text)) seen++;
  }
  return seen < FEWEST_QUOTED ? undefined : replaceSigns(text, QUOTED_PRINTABLE);
}

/** What stands at a place, and where it ends. */
interface Escape {
  /** -1: nothing. */
  readonly code: number;
  readonly end: number;
}

interface Escapes {
  /** What one begins with. */
  readonly begins: readonly string[];
  read(text: string, at: number): Escape | undefined;
}

/** By hand and not by a pattern, which takes thirty times as long: floods are made of escapes. None is shorter than what it stands for. */
function replaceSigns(text: string, escapes: Escapes): MappedText | undefined {
  const { length } = text;
  const first = findFirst(text, escapes);
  if (first === length) return undefined;
  const codes = toUnits(text);
  const starts = new Int32Array(length + 1);
  const disguised = new Uint8Array(length);
  for (let i = 0; i < first; i++) starts[i] = i;
  let size = first;
  let isAnyDisguised = false;
  for (let at = first; at < length; ) {
    const unit = codes[at] ?? 0;
    const found = unit < 0x60 && SIGNS[unit] === 1 ? escapes.read(text, at) : undefined;
    starts[size] = at;
    if (found === undefined) {
      codes[size++] = unit;
      at++;
      continue;
    }
    const { code, end } = found;
    const isLetter = isAsciiLetter(code) || beginsEscape(code, text, end);
    if (code > 0xffff) {
      codes[size++] = 0xd800 + ((code - 0x10000) >> 10);
      starts[size] = at;
    }
    if (code >= 0) {
      disguised[size] = isLetter ? 1 : 0;
      isAnyDisguised ||= isLetter;
      codes[size++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
    }
    at = end;
  }
  starts[size] = length;
  return {
    text: fromUnits(codes.subarray(0, size)),
    starts: starts.subarray(0, size + 1),
    disguised: isAnyDisguised ? disguised.subarray(0, size) : undefined,
  };
}

/** Most texts have signs and no escape: nothing is made before there is one. */
function findFirst(text: string, { begins, read }: Escapes): number {
  let first = text.length;
  for (const sign of begins)
    for (let at = text.indexOf(sign); at >= 0 && at < first; at = text.indexOf(sign, at + 1))
      if (read(text, at) !== undefined) first = at;
  return first;
}

/** What an escape begins with. */
const SIGNS = Uint8Array.from({ length: 0x60 }, (_, code) => ('%&=\\'.includes(String.fromCharCode(code)) ? 1 : 0));

function isAsciiLetter(code: number): boolean {
  const small = code | 0x20;
  return code < 0x80 && small >= 0x61 && small <= 0x7a;
}

/** Behind the sign of an escape. */
const BEHIND_SIGN = /^(?:[0-9a-f]{2}|#?[0-9a-z]{1,7};|[ux][0-9a-f]{2}|[%&\\])/i;

/** An escape of the sign of another escape hides what that one stands for; `&amp;` alone is how an ampersand is written. */
function beginsEscape(code: number, text: string, behind: number): boolean {
  return isSign(code) && BEHIND_SIGN.test(text.slice(behind, behind + 9));
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;

function isSign(code: number): boolean {
  return code === PERCENT || code === AMPERSAND || code === BACKSLASH;
}

function readEscape(text: string, at: number): Escape | undefined {
  switch (text.charCodeAt(at)) {
    case PERCENT:
      return readBytes(text, at, PERCENT) ?? readUnit(text, at + 1, at);
    case AMPERSAND:
      return readEntity(text, at);
    case BACKSLASH:
      return readBackslash(text, at);
    default:
      return undefined;
  }
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

function readQuoted(text: string, at: number): Escape | undefined {
  if (text.charCodeAt(at) !== EQUALS) return undefined;
  const next = text.charCodeAt(at + 1);
  if (next === LINE_FEED) return { code: -1, end: at + 2 };
  if (next === RETURN && text.charCodeAt(at + 2) === LINE_FEED) return { code: -1, end: at + 3 };
  const found = readBytes(text, at, EQUALS);
  return found !== undefined && (found.code >= 0x20 || isBlank(found.code)) ? found : undefined;
}

function isBlank(code: number): boolean {
  return code === 0x09 || code === LINE_FEED || code === RETURN;
}

/** One character of UTF-8, byte by byte behind its sign; a byte that is none stands for itself, as in Latin-1. */
function readBytes(text: string, at: number, sign: number): Escape | undefined {
  const first = byteAt(text, at, sign);
  if (first < 0) return undefined;
  const alone = { code: first, end: at + 3 };
  const size = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (size === 1) return alone;
  let code = first & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const next = byteAt(text, at + 3 * i, sign);
    if (next < 0x80 || next > 0xbf) return alone;
    code = (code << 6) | (next & 0x3f);
  }
  return code > 0x10ffff ? alone : { code, end: at + 3 * size };
}

/** -1: there is none. */
function byteAt(text: string, at: number, sign: number): number {
  return text.charCodeAt(at) === sign ? readDigits(text, at + 1, { size: 2, base: 16 }) : -1;
}

/** Exactly so many digits. -1: there are fewer. */
function readDigits(
  text: string,
  at: number,
  { size, base }: { readonly size: number; readonly base: number },
): number {
  let value = 0;
  for (let i = at; i < at + size; i++) {
    const digit = digitOf(text.charCodeAt(i));
    if (digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

const NO_DIGIT = 99;

/** `NaN`, beyond the end of a text, is no digit either. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : NO_DIGIT;
}

/** JSON in JSON in JSON has seven in a row. */
const MAX_BACKSLASHES = 32;

function readBackslash(text: string, at: number): Escape | undefined {
  let end = at + 1;
  while (end < at + MAX_BACKSLASHES && text.charCodeAt(end) === BACKSLASH) end++;
  const sign = text.charAt(end);
  if (sign === 'x') return toEscape(readDigits(text, end + 1, { size: 2, base: 16 }), end + 3);
  if (sign === 'U') {
    const long = toEscape(readDigits(text, end + 1, { size: 8, base: 16 }), end + 9);
    if (long !== undefined) return long;
  }
  return readUnit(text, end, at) ?? readOctal(text, end) ?? toEscape(LETTERS.get(sign) ?? 0, end + 1);
}

/** Of JSON: the letter is no part of the word behind it. Of JSON, Markdown and LaTeX: signs that would act without it. */
const LETTERS: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 }),
  ...[...'"\'/_.-'].map((sign) => [sign, sign.charCodeAt(0)] as const),
]);

/** `u0041` and `u{41}`, of either case. Halves of a pair come one by one and meet in the joined text. */
function readUnit(text: string, at: number, start: number): Escape | undefined {
  const sign = text.charAt(at);
  if (sign !== 'u' && sign !== 'U') return undefined;
  if (text.charAt(at + 1) !== '{' || text.charCodeAt(start) === PERCENT)
    return toEscape(readDigits(text, at + 1, { size: 4, base: 16 }), at + 5);
  const size = text.slice(at + 2, at + 9).indexOf('}');
  return size < 1 ? undefined : toEscape(readDigits(text, at + 2, { size, base: 16 }), at + size + 3);
}

/** `\101`, and of two digits what can be seen: `\40` to `\77`. */
function readOctal(text: string, at: number): Escape | undefined {
  const long = text.charAt(at) < '4' ? readDigits(text, at, { size: 3, base: 8 }) : -1;
  if (long >= 0) return toEscape(long, at + 3);
  const short = readDigits(text, at, { size: 2, base: 8 });
  return short < 0x20 ? undefined : toEscape(short, at + 2);
}

function toEscape(code: number, end: number): Escape | undefined {
  return code <= 0 || code > 0x10ffff ? undefined : { code, end };
}

const ENTITY = /&(?:#x([0-9a-f]{1,8});?|#([0-9]{1,9});?|([a-z]{2,20});)/iy;

function readEntity(text: string, at: number): Escape | undefined {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(text);
  if (match === null) return undefined;
  const [whole, hexadecimal, decimal, name = ''] = match;
  const digits = hexadecimal ?? decimal;
  const code =
    digits === undefined
      ? (ENTITIES.get(name) ?? ENTITIES.get(name.toLowerCase()) ?? 0)
      : Number.parseInt(digits, decimal === undefined ? 16 : 10);
  return toEscape(code, at + whole.length);
}
