import { decodePercent } from '../../core/percent.ts';
import {
  BASE36,
  BASE58,
  BASES62,
  fromAscii85,
  fromBase32,
  fromBase32Hex,
  fromBase64,
  fromHex,
  fromNumberBase,
  fromUu,
  toNumber,
} from '../decode/bases.ts';
import { inflate, inflateBrotli } from '../decode/inflate.ts';
import { decodeForms, readable } from './decode-forms.ts';
import { numbersInWords, numeralsAsDigits } from './number-words.ts';

/**
 * How a text may be written so that nobody sees what it says: turned round, letters exchanged, one character at a time, in
 * another base, packed. Only runs that have read private data pay for this: the reader tries what a model can be told to do
 * in its head or with a line of code.
 */
/** Longer texts are read in their first and last part; whole documents are seldom written in disguise. Characters. */
const MAX_LENGTH = 16_384;
const MAX_FORMS = 96;
/** Characters of all forms of one text. */
const MAX_TOTAL = 262_144;
/** Longer texts are not turned in every way, only in the common ones. */
const SHORT = 256;
/** Fewer characters say too little. */
const SHORTEST = 6;
const MAX_BLOCKS = 64;

export function undisguise(text: string): readonly string[] {
  if (text.length < SHORTEST) return NONE;
  if (text.length > MAX_LENGTH)
    return [...undisguise(text.slice(0, MAX_LENGTH / 2)), ...undisguise(text.slice(-MAX_LENGTH / 2))];
  const found: string[] = [];
  let left = MAX_TOTAL;
  const add = (form: string): boolean => {
    if (form.length < SHORTEST || found.length >= MAX_FORMS || form.length > left) return false;
    left -= form.length;
    found.push(form);
    return true;
  };
  const parts = text.includes('://') ? linkParts(text) : NONE;
  for (const part of parts) add(part);
  for (const one of [text, ...parts]) {
    for (const form of exchanged(oddParts(one))) add(form);
    for (const form of rewritten(one)) add(form);
    const back = reverse(one);
    for (const block of [...unpacked(one), ...unpacked(back)])
      if (add(block)) {
        add(reverse(block));
        for (const inner of [...decodeForms(block), ...unpacked(block), ...turned(block)]) add(inner);
      }
  }
  return found;
}

const NONE: readonly string[] = Object.freeze([]);

/** What a link carries, each for itself: labels of the host, steps of the path, names and values of the query. */
function linkParts(text: string): readonly string[] {
  const found: string[] = [];
  for (const [link] of text.matchAll(/[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"]{1,4096}/gi)) {
    if (found.length > MAX_BLOCKS) break;
    if (!URL.canParse(link)) continue;
    const { hostname, pathname, searchParams, hash, username, password } = new URL(link);
    const labels = hostname.split('.').slice(0, -1);
    found.push(labels.join(''), ...labels, unescaped(username), unescaped(password), unescaped(hash.slice(1)));
    const steps = pathname.split('/').map(unescaped);
    found.push(...steps, steps.join(''));
    for (const [name, value] of searchParams) found.push(name, value);
    found.push([...searchParams.values()].join(''), [...searchParams.keys()].join(''));
  }
  return [...new Set(found)].filter((part) => part.length >= SHORTEST).slice(0, MAX_BLOCKS);
}

function unescaped(part: string): string {
  return decodePercent(part) ?? part;
}

function reverse(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().reverse().toString('utf16le');
}

/** Words that make plain sentences: between them there is no room for much else. */
const COMMON: ReadonlySet<string> = new Set(
  'the of and to in is a an for on with that be by it as at we you i are was will not this have has or if from but can all so do your our they he she one no more than then when what which there been their would who how'.split(
    ' ',
  ),
);
const FEWEST_ODD = 14;

/** Only what reads like no sentence: a sentence whose letters are exchanged has no common words. */
function oddParts(text: string): string {
  const kept: string[] = [];
  let stretch: string[] = [];
  let size = 0;
  const close = (): void => {
    // A word of digits is one, however short it is.
    if (size >= FEWEST_ODD || stretch.some((word) => /\d{4}/.test(word))) kept.push(...stretch);
    stretch = [];
    size = 0;
  };
  for (const word of text.split(/\s/)) {
    if (word.length <= 5 && COMMON.has(word.toLowerCase())) close();
    else {
      stretch.push(word);
      size += word.length;
    }
  }
  close();
  return kept.length === 0 && text.length < FEWEST_ODD * 2 && !text.includes(' ') ? text : kept.join(' ');
}

/** The same letters in other places, or other letters in the same. */
function* exchanged(text: string): Generator<string> {
  if (text.length < SHORTEST) return;
  yield reverse(text);
  const hasLetters = /[a-z]{3}/i.test(text) || /[a-z]/i.test(text);
  if (hasLetters) {
    yield mapLetters(text, (place) => (place + 13) % 26);
    yield mapLetters(text, (place) => 25 - place);
    if (text.length <= SHORT)
      for (let shift = 1; shift < 26; shift++)
        if (shift !== 13) yield mapLetters(text, (place) => (place + shift) % 26);
  }
  if (/[!-/:-@[-`{-~]/.test(text) && text.length <= 4_096) yield mapSigns(text);
}

/** Spelt, said in words or in another base, or mixed with something else. */
function* rewritten(text: string): Generator<string> {
  if (text.length > 4_096) return;
  const singles = text.split(/[^\p{L}\p{N}]+/u).filter((one) => one.length === 1);
  if (singles.length >= SHORTEST) yield singles.join('');
  const digits = digitsOf(text);
  if (digits !== undefined) {
    if (digits !== text) yield digits;
    yield digits.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
  }
  const said = numbersInWords(text);
  if (said !== undefined) yield said;
  const plain = numeralsAsDigits(text);
  if (plain !== undefined) {
    yield plain;
    const together = digitsOf(plain);
    if (together !== undefined) yield together;
  }
  if (/[a-z][0-9]|[0-9][a-z]/i.test(text)) yield unleet(text);
  if (/[a-z][0-9A-Z]|[A-Z0-9][a-z]|[0-9][A-Z]|[A-Z][0-9]/.test(text)) yield numbersOfBases(text);
  if (text.length > SHORT) return;
  const everySecond = [stride(text, 0), stride(text, 1)];
  yield* everySecond;
  yield everySecond.join('');
}

const LEET: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b' },
};

function unleet(text: string): string {
  return text.replace(/[0134578]/g, (sign) => LEET[sign] ?? sign);
}

/** What is packed may have been written otherwise before. */
function turned(text: string): readonly string[] {
  return text.length > 4_096 ? NONE : [mapLetters(text, (place) => (place + 13) % 26), unleet(text)];
}

function mapLetters(text: string, to: (place: number) => number): string {
  const table = Array.from({ length: 26 }, (_, place) => 97 + to(place));
  return mapUnits(text, (unit) => table[(unit | 32) - 97] ?? unit);
}

function mapUnits(text: string, to: (unit: number) => number): string {
  const bytes = Buffer.from(text, 'utf16le');
  for (let i = 0; i < bytes.length; i += 2) if (bytes[i + 1] === 0) bytes[i] = to(bytes[i] ?? 0);
  return bytes.toString('utf16le');
}

/** Rot47: letters, digits and signs together. */
function mapSigns(text: string): string {
  return mapUnits(text, (unit) => (unit > 32 && unit < 127 ? 33 + ((unit - 33 + 47) % 94) : unit));
}

/** The digits among other things; dates and times aside, which every text has. */
function digitsOf(text: string): string | undefined {
  const plain = text.replace(/\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b|\b\d{1,2}:\d\d\b/g, ' ');
  const digits = plain.replace(/\D{1,64}/g, '');
  return digits.length >= 7 && digits.length <= 64 ? digits : undefined;
}

function stride(text: string, from: number): string {
  let every = '';
  for (let i = from; i < text.length; i += 2) every += text[i];
  return every;
}

/** Numbers of other bases as everybody writes them. A word is no number: digits or capitals stand among its letters. */
function numbersOfBases(text: string): string {
  const numbers: bigint[] = [];
  let count = 0;
  for (const [token] of text.matchAll(/(?<!\w)(?:0x[0-9a-f]{5,16}|[0-9a-z]{5,13})(?!\w)/gi)) {
    if (/^[A-Z]?[a-z]+$|^[A-Z]+$|^\d+$/.test(token)) continue;
    if (++count > MAX_BLOCKS) break;
    const isHex = /^0x/i.test(token);
    if (isHex || /^[0-9a-f]{5,13}$/i.test(token)) numbers.push(BigInt(isHex ? token : `0x${token}`));
    if (!isHex) for (const base of [BASE36, ...BASES62]) numbers.push(toNumber(token, base));
  }
  return numbers.join('\n');
}

/** Blocks of letters, digits or numbers that are bytes of a text. */
function unpacked(text: string): readonly string[] {
  const found = new Set<string>();
  const add = (said: string | undefined): void => {
    if (said !== undefined) found.add(said);
  };
  const take = (block: string): void => {
    for (const bytes of fromBlock(block)) add(readBytes(bytes));
    for (const said of fromDigits(block)) add(said);
  };
  if (text.length <= 16_384) {
    for (const bytes of fromNumbers(text)) add(readBytes(bytes));
    const whole = text.replace(/\s{1,16}/g, '');
    if (whole.length !== text.length) take(whole);
    for (const said of fromGroups(text)) add(said);
  }
  let count = 0;
  for (const [block] of text.matchAll(/[!-~]{8,16384}/g)) {
    if (++count > MAX_BLOCKS) break;
    take(block);
    for (const [inner] of block.matchAll(/[A-Za-z0-9_-]{8,16384}/g))
      if (inner.length < block.length && ++count <= MAX_BLOCKS) take(inner);
  }
  return [...found];
}

function* fromBlock(block: string): Generator<Uint8Array> {
  if (/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(block)) yield fromBase64(block);
  if (/^[0-9a-f]{12,}$/i.test(block) && block.length % 2 === 0) yield fromHex(block);
  if (/^(?:[A-Z2-7]{8,}|[a-z2-7]{8,})=*$/.test(block)) yield fromBase32(block);
  if (/^(?:[0-9A-V]{8,}|[0-9a-v]{8,})=*$/.test(block)) yield fromBase32Hex(block);
  if (/^(?:<~)?[!-uz]{10,}(?:~>)?$/.test(block)) yield fromAscii85(block.replace(/^<~|~>$/g, ''));
  if (/^[ -`]{10,}$/.test(block)) yield fromUu(block);
}

/** Texts as the digits of one number, as they are: what was packed before is tried in base58 alone. */
function* fromDigits(block: string): Generator<string | undefined> {
  if (!/^[0-9A-Za-z]{8,}$/.test(block)) return;
  if (/^[^0OIl]+$/.test(block)) yield readBytes(fromNumberBase(block, BASE58));
  for (const base of ONE_CASE.test(block) ? [BASE36] : BASES62) yield readable(fromNumberBase(block, base));
}

const ONE_CASE = /^(?:[0-9A-Z]+|[0-9a-z]+)$/;

/** What may stand between groups of base64, and what is of it then: two of its signs may be the ones between. */
const NOT_CODED = [/[^A-Za-z0-9+/]+/g, /[^A-Za-z0-9_-]+/g, /[^A-Za-z0-9]+/g] as const;
/** Ten digits of an account are as many bytes. Of random bytes no run is as long as the second number. */
const SAID_IN_GROUPS = /[\t\n\r\x20-\x7e]{8,}/g;
const LONG_IN_GROUPS = 24;

/** Base64 with something between its letters, and words before it: the groups of four begin at one of four places. */
function fromGroups(text: string): readonly string[] {
  const joined = new Set(NOT_CODED.map((between) => text.replace(between, '')));
  joined.delete(text);
  const found: string[] = [];
  for (const whole of joined)
    for (let start = 0; start < 4; start++) {
      const bytes = fromBase64(whole.slice(start));
      const said = readable(bytes);
      if (said !== undefined) found.push(said);
      else
        for (const [run] of bytes.toString('latin1').matchAll(SAID_IN_GROUPS))
          if (run.length >= LONG_IN_GROUPS || run.length * 2 >= bytes.length) found.push(run);
    }
  return found;
}

/** Bytes one by one, in hexadecimal, decimal, octal or binary, whatever stands between them. */
function* fromNumbers(text: string): Generator<Uint8Array> {
  const tokens = text
    .slice(0, 16_384)
    .replace(/0x|\\x|U\+|&#x?/gi, ' ')
    .split(/[^0-9A-Za-z]+/)
    .filter((token) => /^[0-9a-f]{1,8}$/i.test(token));
  if (tokens.length < SHORTEST) return;
  for (const { base, digits } of BASES) {
    const fit = tokens.filter((token) => digits.test(token));
    if (fit.length >= SHORTEST && fit.length * 4 >= tokens.length * 3)
      yield Uint8Array.from(fit, (token) => Number.parseInt(token, base) & 0xff);
  }
}

const BASES = [
  { base: 16, digits: /^[0-9a-f]{2}$/i },
  { base: 10, digits: /^(?:[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/ },
  { base: 8, digits: /^[0-3]?[0-7]{2}$/ },
  { base: 2, digits: /^[01]{7,8}$/ },
] as const;

/** Of what is packed, as short as an account. */
const SHORTEST_PACKED = 5;

/** As text, or what it says once it is unpacked. */
function readBytes(bytes: Uint8Array): string | undefined {
  if (bytes.length < SHORTEST_PACKED) return undefined;
  const plain = readable(Buffer.from(bytes));
  if (plain !== undefined) return plain;
  const packed = inflate(bytes, SHORTEST_PACKED)?.bytes ?? inflateBrotli(bytes, SHORTEST_PACKED);
  return packed === undefined ? undefined : readable(Buffer.from(packed));
}
