import { decodeEscapes } from '../scan/canonical-decode.ts';
import { compose, createTextBuilder, type MappedText, toOriginal } from '../scan/mapped-text.ts';
import { isRandom } from './key-material.ts';
import type { SecretMatch, TextPlace } from './secret-match.ts';

/**
 * Secrets in encoded or disguised form. The views of `scan/canonical.ts` are for words: they fold case and keep prose only,
 * and a key is neither. Escapes and the way back to the original are shared with them.
 */
type Find = (text: string, place: TextPlace) => readonly SecretMatch[];

/** Encodings inside encodings. */
const MAX_DEPTH = 4;
/** What one text may cost, whatever is packed into it. */
const MAX_DECODED = 256 * 1024;
const MAX_BLOCKS = 256;

const FOREIGN = /[^\s!-~]/;
const ESCAPED = /%[0-9a-fA-F]{2}|\\[ux]|&#/;
/** At least 15 bytes: no key is shorter. Wrapped lines belong together, as do the pieces of a value in a list. */
const BASE64 = /[A-Za-z0-9+/_-]{20,65536}(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{4,128}){0,512}={0,2}/g;
const HEX = /(?:[0-9a-fA-F]{2}){15,32768}|[0-9a-fA-F]{2}(?:[-: ,]{1,2}(?:0x|\\x)?[0-9a-fA-F]{2}){14,16384}/g;
const BASE32 = /(?<![A-Z2-7a-z])[A-Z2-7]{32,4096}(?![A-Za-z0-9])={0,6}/g;

interface Budget {
  bytes: number;
  blocks: number;
}

export function findHidden(text: string, find: Find): readonly SecretMatch[] {
  const hidden = lookInto(text, { find, budget: { bytes: MAX_DECODED, blocks: MAX_BLOCKS }, depth: 0 });
  return hidden.map((match) => ({ ...match, how: 'hidden' as const }));
}

interface Look {
  readonly find: Find;
  readonly budget: Budget;
  readonly depth: number;
}

function lookInto(text: string, look: Look): SecretMatch[] {
  if (look.depth >= MAX_DEPTH || look.budget.bytes <= 0) return [];
  const found: SecretMatch[] = [];
  for (const mapped of readAgain(text)) {
    look.budget.bytes -= mapped.text.length;
    const inside = { ...look, depth: look.depth + 1 };
    for (const match of [...look.find(mapped.text, {}), ...lookInto(mapped.text, inside)]) {
      const [start, end] = toOriginal(mapped, match.start, match.end);
      // What stands in the original as well was found there.
      if (mapped.text.slice(match.start, match.end) !== text.slice(start, end)) found.push({ ...match, start, end });
    }
  }
  for (const block of blocksOf(text, look.budget))
    for (const match of lookIntoBlock(block.text, look)) found.push({ ...match, start: block.start, end: block.end });
  return found;
}

/** Nobody encodes forty mixed characters with a slash among them but to hide a key of that form (AWS secret keys). */
const NAKED_KEY = /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{0,39}[/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

function lookIntoBlock(text: string, look: Look): SecretMatch[] {
  // Personal data in encoded form is how programs carry it; a credential or an account number in it is hidden.
  const found = look.find(text, {}).filter(({ group }) => group === 'credentials' || group === 'financial');
  for (const { 0: value, index } of text.matchAll(NAKED_KEY))
    if (/[A-Z]/.test(value) && /[a-z]/.test(value) && isRandom(value, 4.2))
      found.push({
        ...{ kind: 'aws-secret-key', group: 'credentials', how: 'hidden', isSample: value.endsWith('EXAMPLEKEY') },
        ...{ start: index, end: index + value.length },
      });
  return [...found, ...lookInto(text, { ...look, depth: look.depth + 1 })];
}

/** The text as it reads without escapes, and without what is not seen. */
function readAgain(text: string): readonly MappedText[] {
  const unescaped = ESCAPED.test(text) ? decodeEscapes(text) : undefined;
  if (unescaped !== undefined)
    return [FOREIGN.test(unescaped.text) ? compose(unfold(unescaped.text), unescaped) : unescaped];
  return FOREIGN.test(text) ? [unfold(text)] : [];
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** NFKC and nothing invisible, case kept. */
function unfold(text: string): MappedText {
  const builder = createTextBuilder(text.length);
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0;
    const sign = code < 128 ? text.charAt(i) : String.fromCodePoint(code);
    if (code < 128) builder.add(sign, i);
    else if (!UNSEEN.test(sign)) builder.add(sign.normalize('NFKC'), i, true);
    i += sign.length;
  }
  return builder.finish(text.length);
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function blocksOf(text: string, budget: Budget): readonly Block[] {
  if (text.length < 20) return [];
  const blocks: Block[] = [];
  const collect = (pattern: RegExp, decode: (block: string) => Buffer | undefined) => {
    for (const { 0: block, index } of text.matchAll(pattern)) {
      if (budget.blocks-- <= 0 || budget.bytes <= 0) return;
      budget.bytes -= block.length;
      const bytes = decode(block);
      if (bytes !== undefined)
        for (const said of printableRuns(bytes)) blocks.push({ start: index, end: index + block.length, text: said });
    }
  };
  collect(HEX, (block) => Buffer.from(block.replace(/0x|\\x|[-: ,]/g, ''), 'hex'));
  collect(BASE64, fromBase64);
  collect(BASE32, fromBase32);
  return blocks;
}

function fromBase64(block: string): Buffer | undefined {
  // Hexadecimal is read above; words with dashes, paths and pictures hold nothing.
  if (/^[0-9a-f]+$/i.test(block) || /^[a-z/_-]+$/.test(block) || PICTURE.test(block)) return undefined;
  return Buffer.from(block, 'base64');
}

/** PNG, JPEG, GIF, WebP, PDF, ZIP, WebAssembly and fonts, by the base64 of how they begin. */
const PICTURE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB|AGFzbQ|d09GM|H4sI)/;

const BASE32_SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(block: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const sign of block.replace(/=+$/, '')) {
    value = ((value << 5) | BASE32_SIGNS.indexOf(sign)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

const RUN = /[\t\n\r\x20-\x7e]{15,}/g;

/** Text inside bytes: all of it, or a piece between others. Random bytes have none of 15. */
function printableRuns(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').match(RUN) ?? [];
}
