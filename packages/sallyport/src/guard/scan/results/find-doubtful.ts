import type { Span } from '../../../core/json-scan.ts';
import { fromBase32, fromBase64, fromHex } from '../../decode/bases.ts';
import { isInflatable } from '../../decode/inflate.ts';
import { classesOf, type Ranges, toUnits } from '../../decode/text-units.ts';
import { isReadable } from './bytes-text.ts';

/**
 * Which parts of a text may say something else than they show: other scripts, what is invisible, encodings. Only these are
 * made canonical, which costs twenty times as much as looking for them.
 */

/** What a unit may be part of: blocks, codes of characters in a row, escapes and letters in squares. */
const CODED = 1;
const CODES = 2;
const ESCAPES = 4;
/** Says something else than it shows, or nothing: controls, letters that look like others. */
const DOUBTFUL = 8;
/** Letters that look like others, and what is not seen; punctuation, symbols and scripts of East Asia are what they are. */
const FOREIGN: Ranges = [
  [0x80, 0x9f],
  [0xad, 0xad],
  [0xc0, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2100, 0x218f],
  [0x2460, 0x24ff],
  [0x2c00, 0x2fff],
  [0xa000, 0xabff],
  // Emoji are pairs of D83C to D83E; letters of mathematics D835, tags and selectors DB40.
  [0xd800, 0xd83b],
  [0xdb40, 0xdb40],
  [0xe000, 0xfeff],
  [0xff10, 0xff5e],
  [0xff61, 0xffff],
];
const CLASSES = classesOf(classOf, [
  [DOUBTFUL, FOREIGN],
  // Letters in squares and flags: an honest text has the flags of a few countries.
  [ESCAPES, [[0xd83c, 0xd83c]]],
]);

function classOf(character: string): number {
  if (character < ' ' || character === '\x7f') return '\t\n\r'.includes(character) ? 0 : DOUBTFUL;
  const coded = /[A-Za-z0-9+/]/.test(character) ? CODED : 0;
  const codes = /[0-9a-fx\\ ,:;]/i.test(character) ? CODES : 0;
  return coded | codes | ('%&\\='.includes(character) ? ESCAPES : 0);
}

/** Shorter encoded texts hold no demand. Characters. */
const MIN_BLOCK = 20;
const MIN_ESCAPES = 6;
/** Short lines together: a block of base64 is wrapped at 76 characters. */
const MIN_LINE = 256;
/** A part goes on to the end of its line, or this far. Characters. */
const MAX_LINE = 4_096;
/** Neighbours are one part up to here. Characters. */
const MAX_PART = 16_384;
const ESCAPE =
  /%(?:[0-9a-f]{2}|u[0-9a-f]{4})|\\(?:[ux][0-9a-f]{2}|u\{|[0-7]{2})|&(?:#x?[0-9a-f]{1,8}|[a-z]{2,20};)|=[2-7][0-9a-f](?=[=a-z])|=\r?\n|\ud83c[\udd10-\uddff]/gi;
/** Nobody writes a letter of ASCII, or what is not seen, as an escape but to hide a word: one is enough. */
const ESCAPED_LETTER =
  /(?:%|\\(?:u00|x)|&#x0{0,4})(?:[46][1-9a-f]|[57][0-9a])|&#0{0,4}(?:6[5-9]|[78]\d|9[07-9]|1[01]\d|12[012]);|\\u(?:00ad|20(?:0[b-f]|2[a-e]|6[0-9a-f])|feff)/i;
/** Behind this sign, which few texts have, digits go by twos. */
const HEX_SIGN = '0x';
const SIGNED = /(?:0x[0-9a-f]{2}[ ,;:]{0,2}){6}/i;
/** Of binary digits fewer make a letter each, but three letters make no demand. */
const NUMBERS = /(?:(?:0x|\\x)?[0-9a-f]{2,3}[ ,:;]{1,2}){8}|(?:[01]{8} ){6}/i;

/** The shortest that NUMBERS finds. Characters. */
const MIN_CODES = 24;

/** A text that is looked through. */
interface Looking {
  readonly text: string;
  readonly units: Uint16Array;
  /** Each part is asked about it only where the whole has it. */
  readonly hasSigned: boolean;
  /** Blocks that may still be looked into. */
  attempts: number;
}

/** In order, without overlaps. @param units those of the text */
export function findDoubtful(text: string, units = toUnits(text)): readonly Span[] {
  const found: Span[] = [];
  const { length } = text;
  const looking: Looking = { text, units, attempts: MAX_ATTEMPTS, hasSigned: text.includes(HEX_SIGN) };
  let start = 0;
  while (start < length) {
    const line = text.indexOf('\n', start + MIN_LINE - 1);
    let end = Math.min(line < 0 ? length : line + 1, start + MAX_LINE);
    const doubt = findDoubt(looking, start, end);
    if (doubt > 0) {
      // Cut off, a packed text says only its beginning.
      end = doubt > end || end >= length ? doubt : Math.max(end, endOfPacked(looking, beginOf(units, end)));
      const last = found.at(-1);
      if (last !== undefined && last.end === start && end - last.start <= MAX_PART)
        found[found.length - 1] = { start: last.start, end };
      else found.push({ start, end });
    }
    start = end;
  }
  return found;
}

/** A header of gzip or zlib in base64, hexadecimal or base32. */
const HEADER =
  /^(?:H4sI|e[JNAF]|1f8b08|1F8B08|D6FQ|d6fq|P(?:AA|BP|CO|DN)|p(?:aa|bp|co|dn)|78(?:01|5[eE]|9[cC]|[dD][aA]))/;
/** What such a header begins with. */
const HEADS: ReadonlySet<number> = new Set([...'He1DdPp7'].map((letter) => letter.charCodeAt(0)));
/** Wrapped lines belong to it, as where it is decoded. */
const BLOCK = /[A-Za-z0-9+/_-]{1,65536}(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{16,128}){0,256}/y;
/** Blocks are looked into up to here: an honest text has few, and each costs some microseconds. */
const MAX_ATTEMPTS = 24;
/** A packed sentence is as long, when no header says that it is packed. Characters. */
const MIN_PACKED = 48;
const HEAD = 128;

/** Where the packed text ends that begins at a block, however long it is; 0: it is none. */
function endOfPacked(looking: Looking, at: number): number {
  const { text, units } = looking;
  if (isShort(units, at) && !(HEADS.has(units[at] ?? 0) && HEADER.test(text.slice(at, at + 8)))) return 0;
  BLOCK.lastIndex = at;
  const block = BLOCK.exec(text)?.[0] ?? '';
  const head = block.slice(0, HEAD).replace(/\s+/g, '');
  if (!HEADER.test(head) && (head.length < MIN_PACKED || HEX.test(head))) return 0;
  if (looking.attempts-- <= 0) return 0;
  const bytes = HEX.test(head) ? fromHex(head) : BASE32.test(head) ? fromBase32(head) : fromBase64(head);
  return isInflatable(bytes) ? at + block.length : 0;
}

/** Is there no room for a packed sentence, and no line that may be more of the block? */
function isShort(units: Uint16Array, at: number): boolean {
  const end = Math.min(units.length, at + MIN_PACKED);
  for (let i = at; i < end; i++) {
    const code = units[i] ?? 0;
    if (((CLASSES[code] ?? 0) & CODED) === 0 && code !== 0x2d && code !== 0x5f) return code !== 0x0a && code !== 0x0d;
  }
  return end < at + MIN_PACKED;
}

const HEX = /^[0-9a-fA-F]+$/;
const BASE32 = /^(?:[A-Z2-7]+|[a-z2-7]+)$/;

/**
 * Up to where a part is to be looked at, its own end or beyond; 0: not at all. What is long is looked for by its last
 * character, so that of most texts few are looked at.
 */
function findDoubt(looking: Looking, start: number, end: number): number {
  const { text, units } = looking;
  let seen = 0;
  let stop = start;
  for (; stop < end; stop++) {
    const kind = CLASSES[units[stop] ?? 0] ?? 0;
    if (kind === DOUBTFUL) break;
    seen |= kind;
  }
  for (let at = startOfRun(units, start, stop, BLOCK_RUN); at < stop; ) {
    const doubt = findInBlock(looking, at, end);
    if (doubt > 0) return doubt;
    at = startOfRun(units, endOfRun(units, at, stop, BLOCK_RUN), stop, BLOCK_RUN);
  }
  if (stop < end) return end;
  if (looking.hasSigned && SIGNED.test(text.slice(start, end))) return end;
  if ((seen & ESCAPES) !== 0) {
    const part = text.slice(start, end);
    if (ESCAPED_LETTER.test(part) || (part.match(ESCAPE)?.length ?? 0) >= MIN_ESCAPES) return end;
  }
  for (let at = startOfRun(units, start, end, CODES_RUN); at < end; ) {
    const rest = endOfRun(units, at, end, CODES_RUN);
    if (NUMBERS.test(text.slice(at, rest))) return end;
    at = startOfRun(units, rest, end, CODES_RUN);
  }
  return 0;
}

/** Units of a class, so many in a row. */
interface Run {
  readonly kind: number;
  readonly least: number;
}

const BLOCK_RUN: Run = { kind: CODED, least: MIN_BLOCK };
const CODES_RUN: Run = { kind: CODES, least: MIN_CODES };

/** The first run between these two that is long enough; `end`: there is none. */
function startOfRun(units: Uint16Array, start: number, end: number, { kind, least }: Run): number {
  let at = start;
  while (at + least <= end) {
    let i = at + least - 1;
    while (i >= at && ((CLASSES[units[i] ?? 0] ?? 0) & kind) !== 0) i--;
    if (i < at) return at;
    at = i + 1;
  }
  return end;
}

function endOfRun(units: Uint16Array, at: number, end: number, { kind, least }: Run): number {
  let i = at + least;
  while (i < end && ((CLASSES[units[i] ?? 0] ?? 0) & kind) !== 0) i++;
  return i;
}

/** As `findDoubt`, for the long block that begins at this place of a part. */
function findInBlock(looking: Looking, at: number, end: number): number {
  if (saysSomething(looking.units, at) || saysInPath(looking.units, at)) return end;
  const packed = isBegin(looking.units, at) ? endOfPacked(looking, at) : 0;
  return packed > 0 ? Math.max(end, packed) : 0;
}

const SLASH = 0x2f;
/** Of a path or an address. Characters. */
const MAX_PATH = 512;

/** Behind a slash a block may begin anew. */
function saysInPath(units: Uint16Array, at: number): boolean {
  let from = -1;
  for (let i = at; i < at + MAX_PATH && isCoded(units, i); i++) {
    if (units[i] === SLASH) from = i + 1;
    else if (from > 0 && i - from === MIN_BLOCK - 1 && saysSomething(units, from)) return true;
  }
  return false;
}

function isCoded(units: Uint16Array, at: number): boolean {
  return ((CLASSES[units[at] ?? 0] ?? 0) & CODED) !== 0;
}

/** Where the block begins that goes over a border; the border itself where none does. */
function beginOf(units: Uint16Array, border: number): number {
  let at = border;
  while (at > 0 && at > border - MAX_LINE && isCoded(units, at - 1)) at--;
  return at;
}

/** A long block goes over several parts; it is packed from its beginning or not at all. */
function isBegin(units: Uint16Array, at: number): boolean {
  return at === 0 || !isCoded(units, at - 1);
}

/** Per unit what it stands for in base64, and whether it is a digit of other bases, each counted in a byte. */
const BASE64 = new Uint8Array(128);
const DIGITS = new Int32Array(128);
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  BASE64[digit.charCodeAt(0)] = value;
  for (const [i, base] of [/[0-9a-f]/i, /[A-Z2-7]/, /[a-z2-7]/].entries())
    if (base.test(digit)) DIGITS[digit.charCodeAt(0)] = (DIGITS[digit.charCodeAt(0)] ?? 0) + (1 << (8 * i));
}
/** Of the one block that is looked at. */
const BYTES = new Uint8Array((MIN_BLOCK / 4) * 3);

/** Identifiers and paths decode to noise: fifteen bytes of noise are text once in three million times. */
function saysSomething(units: Uint16Array, at: number): boolean {
  let digits = 0;
  for (let i = at; i < at + MIN_BLOCK; i++) digits += DIGITS[units[i] ?? 0] ?? 0;
  if ((digits & 0xff) === MIN_BLOCK) {
    for (let i = 0; i < MIN_BLOCK / 2; i++) BYTES[i] = (hexAt(units, at + 2 * i) << 4) | hexAt(units, at + 2 * i + 1);
    return mayBeText(BYTES, MIN_BLOCK / 2);
  }
  const isBase32 = ((digits >> 8) & 0xff) === MIN_BLOCK || digits >> 16 === MIN_BLOCK;
  if (isBase32) {
    const bytes = fromBase32(String.fromCharCode(...units.subarray(at, at + MIN_BLOCK)));
    if (mayBeText(bytes, bytes.length)) return true;
  }
  for (let i = at, to = 0; i < at + MIN_BLOCK; i += 4) {
    const three =
      (sixAt(units, i) << 18) | (sixAt(units, i + 1) << 12) | (sixAt(units, i + 2) << 6) | sixAt(units, i + 3);
    BYTES[to++] = three >> 16;
    BYTES[to++] = three >> 8;
    BYTES[to++] = three;
  }
  return mayBeText(BYTES, BYTES.length);
}

function sixAt(units: Uint16Array, at: number): number {
  return BASE64[units[at] ?? 0] ?? 0;
}

/** Of a digit of either case. */
function hexAt(units: Uint16Array, at: number): number {
  const code = units[at] ?? 0;
  return code < 0x40 ? code & 0xf : (code & 0xf) + 9;
}

/** Readable, or every second byte is empty: UTF-16. */
function mayBeText(bytes: Uint8Array, length: number): boolean {
  const isEmpty = (at: number) => bytes[at] === 0 && bytes[at + 2] === 0 && bytes[at + 4] === 0;
  if (isEmpty(0) || isEmpty(1)) return true;
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return isMarked || isReadable(bytes, length);
}
