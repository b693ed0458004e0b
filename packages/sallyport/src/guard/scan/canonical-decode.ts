import { inflate, isInflatable } from './inflate.ts';
import { createTextBuilder, type MappedText } from './mapped-text.ts';

/** A part of a text that says something once decoded. */
export interface Decoded {
  readonly how: 'base64' | 'hex' | 'numbers' | 'base64 packed' | 'hex packed' | 'numbers packed';
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** There is more of it than is read. */
  readonly isCut?: boolean;
}

/** What one text may cost; more than the longest definition holds of any one encoding, so that none is hidden behind others. */
const MAX_BLOCK = 128 * 1024;
const MAX_DECODED = 256 * 1024;
const MAX_BLOCKS = 8192;
const MIN_TEXT = 8;
/** Blocks that may be packed: each costs some microseconds. */
const MAX_PACKED = 256;
/** Wrapped lines belong together; nothing else may stand between. */
const BASE64 = /[A-Za-z0-9+/_-]{24,65536}(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{16,128}){0,256}={0,2}/g;
const HEX = [
  /[0-9a-f]{24,65536}/gi,
  /(?:[0-9a-f]{2}[ ,:]{1,2}){8,4096}[0-9a-f]{2}/gi,
  /0x[0-9a-f]{2}(?:[ ,:]{0,2}0x[0-9a-f]{2}){7,4095}/gi,
] as const;
/** Character codes in a row: 105, 103, 110, …, and 01101001 01100111 …. */
const NUMBERS = [/(?:[0-9]{2,3}[ ,;]{1,2}){8,4096}[0-9]{2,3}/g, /[01]{8}(?:[ ,;]{0,2}[01]{8}){7,4095}/g] as const;
const ESCAPE =
  /%([0-9a-f]{2})|\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,10});|\\([0-3][0-7]{2})/gi;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['excl', '!'],
  ['colon', ':'],
  ['comma', ','],
  ['period', '.'],
  ['lowbar', '_'],
  ['sol', '/'],
  ['lpar', '('],
  ['rpar', ')'],
  ['zwnj', '\u200c'],
  ['shy', '\u00ad'],
]);
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Blocks of base64, hexadecimal and character codes that hold readable text. */
export function decodeBlocks(text: string): readonly Decoded[] {
  const found: Decoded[] = [];
  let packed = MAX_PACKED;
  const look = (
    how: 'base64' | 'hex' | 'numbers',
    pattern: RegExp,
    decode: (block: string) => Uint8Array | undefined,
  ) => {
    let count = 0;
    let budget = MAX_DECODED;
    for (const match of text.matchAll(pattern)) {
      count += 1;
      if (count > MAX_BLOCKS || budget <= 0) return;
      const block = match[0].slice(0, MAX_BLOCK);
      budget -= block.length;
      const bytes = decode(block);
      const said = bytes === undefined ? undefined : readBytes(bytes);
      const place = { start: match.index, end: match.index + match[0].length };
      if (said !== undefined) found.push({ how, ...place, text: said });
      else if (bytes !== undefined && bytes.length >= MIN_TEXT && packed-- > 0) {
        const inside = inflate(bytes);
        const unpacked = inside === undefined ? undefined : readBytes(inside.bytes);
        if (unpacked !== undefined)
          found.push({ how: `${how} packed`, ...place, text: unpacked, isCut: inside?.isCut === true });
      }
    }
  };
  look('base64', BASE64, fromBase64);
  for (const pattern of HEX) look('hex', pattern, fromHex);
  for (const pattern of NUMBERS) look('numbers', pattern, fromNumbers);
  return found;
}

/** Escapes of URLs, HTML, JavaScript and JSON replaced by what they stand for; `undefined`: there is none. */
export function decodeEscapes(text: string): MappedText | undefined {
  const builder = createTextBuilder(text.length);
  let at = 0;
  let pending: { bytes: number[]; start: number; end: number } | undefined;
  const flush = () => {
    if (pending === undefined) return;
    const said = readUtf8(Uint8Array.from(pending.bytes)) ?? '';
    builder.add(said, pending.start, /[a-z]/i.test(said) || beginsEscape(said, text, pending.end));
    pending = undefined;
  };
  for (const match of text.matchAll(ESCAPE)) {
    const start = match.index;
    const end = start + match[0].length;
    if (pending !== undefined && pending.end !== start) flush();
    if (start > at) builder.copy(text.slice(at, start), at);
    if (match[1] !== undefined) {
      // Percent signs hold bytes of UTF-8, so that neighbours belong together.
      pending ??= { bytes: [], start, end };
      pending.bytes.push(parseInt(match[1], 16));
      pending.end = end;
      if (parseInt(match[1], 16) < 0x80) flush();
    } else {
      flush();
      const said = readEscape(match);
      if (said === undefined) builder.copy(match[0], start);
      else builder.add(said, start, /^[a-z]$/i.test(said) || beginsEscape(said, text, end));
    }
    at = end;
  }
  flush();
  if (at === 0) return undefined;
  builder.copy(text.slice(at), at);
  return builder.finish(text.length);
}

/** Behind the sign of an escape. */
const BEHIND_SIGN = /^(?:[0-9a-f]{2}|#?[0-9a-z]{1,7};|[ux][0-9a-f]{2})/i;

/** An escape of the sign of another escape hides what that one stands for; `&amp;` alone is how an ampersand is written. */
function beginsEscape(said: string, text: string, behind: number): boolean {
  return (said === '%' || said === '&' || said === '\\') && BEHIND_SIGN.test(text.slice(behind, behind + 9));
}

function readEscape(match: RegExpExecArray): string | undefined {
  const [, , brace, unit, byte, hexadecimal, decimal, name, octal] = match;
  if (name !== undefined) return ENTITIES.get(name.toLowerCase());
  const digits = brace ?? unit ?? byte ?? hexadecimal;
  const code = digits !== undefined ? parseInt(digits, 16) : octal !== undefined ? parseInt(octal, 8) : Number(decimal);
  // Halves of a pair come one by one and meet in the joined text.
  if (code > 0x10ffff || code === 0) return undefined;
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

function fromBase64(block: string): Uint8Array | undefined {
  const whole = Buffer.from(block, 'base64');
  if (readBytes(whole) !== undefined || isInflatable(whole)) return whole;
  // In a path or an address the block is one of the parts.
  const longest = block.split(/[/_-]/).reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length < MIN_TEXT * 2 || longest.length === block.length ? undefined : Buffer.from(longest, 'base64');
}

function fromHex(block: string): Uint8Array | undefined {
  const digits = block.replace(/0x|[ ,:]/gi, '');
  return digits.length % 2 === 1 ? undefined : Buffer.from(digits, 'hex');
}

function fromNumbers(block: string): Uint8Array | undefined {
  const isBinary = /^[01]{8}/.test(block);
  const numbers = (isBinary ? block.match(/[01]{8}/g) : block.match(/\d{2,3}/g)) ?? [];
  const codes = numbers.map((number) => parseInt(number, isBinary ? 2 : 10));
  return codes.every((code) => code < 256) ? Uint8Array.from(codes) : undefined;
}

/** What bytes say, when they are text and not something else that happens to decode. */
function readBytes(bytes: Uint8Array): string | undefined {
  const isWide = bytes.length >= 16 && bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0;
  const text = isWide ? new TextDecoder('utf-16le').decode(bytes) : readUtf8(bytes);
  if (text === undefined || text.length < MIN_TEXT) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what has control characters is no text
  if (/[\0-\x08\x0e-\x1f\x7f\ufffd]/.test(text)) return undefined;
  const letters = text.match(/[\p{L}\p{Zs}\n]/gu)?.length ?? 0;
  const isCoded = /^[A-Za-z0-9+/=%\\&#;\s]+$/.test(text);
  return isCoded || letters / text.length > 0.5 ? text : undefined;
}

function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
