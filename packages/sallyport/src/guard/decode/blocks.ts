import { fromBase32, fromBase64, fromHex } from './bases.ts';
import type { Coded, Run } from './survey-runs.ts';

/** A part of a text as the bytes that it may stand for. Most are noise: whoever asked tells. */
export interface Block extends Run {
  readonly how: 'base64' | 'base32' | 'hex' | 'numbers';
  readonly bytes: Buffer;
}

const HEX = /(?:[0-9a-fA-F]{2}){8,}/g;
const HEX_PAIRS = /[0-9a-fA-F]{2}(?:(?:[-: ,;]{1,2}(?:0x|\\x)?|0x|\\x)[0-9a-fA-F]{2}){7,16384}/g;
/** Character codes in a row: 65, 75, 73, … or 01000001 01001011 …. */
const CODES = /(?:\d{2,3}[-: ,;]{1,2}){7,4096}\d{2,3}|(?:[01]{8}[-: ,;]{1,2}){7,4096}[01]{8}/g;
const BITS = /^[01]{64,}$/;
const WHOLE_HEX = /^[0-9a-fA-F]+$/;
const BASE32 = /^(?:[A-Z2-7\s]{16,}|[a-z2-7\s]{16,})$/;
/** Words with dashes, paths and names have one case or few capitals; base64 has a quarter of each. */
const ONE_CASE = /^[a-z0-9/_\s-]+$|^[A-Z0-9/_\s-]+$/;
/** In a path or an address these stand between parts, and only each of them is base64, of either kind. */
const PARTS = [
  ['/', /[A-Za-z0-9_-]{16,}/g],
  ['-', /[A-Za-z0-9+/_]{16,}/g],
] as const;
/** PNG, JPEG, GIF, WebP, PDF, ZIP, WebAssembly and fonts, by the base64 of how they begin. */
const PICTURE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB|AGFzbQ|d09GM)/;

/** Base64, base32, hexadecimal and codes of characters, one layer of each. @param runs where they can be in the text */
export function* blocksOf(text: string, { coded, spaced }: Coded): Generator<Block> {
  for (const run of joinLines(text, coded)) yield* codedBlocks(text, run);
  for (const run of spaced) yield* spacedBlocks(text, run);
}

function* codedBlocks(text: string, { start, end }: Run): Generator<Block> {
  const written = text.slice(start, end);
  if (PICTURE.test(written)) return;
  if (BITS.test(written)) yield { start, end, how: 'numbers', bytes: fromBits(written) };
  for (const { 0: hex, index } of written.matchAll(HEX))
    yield { start: start + index, end: start + index + hex.length, how: 'hex', bytes: fromHex(hex) };
  if (BASE32.test(written) && !WHOLE_HEX.test(written)) yield { start, end, how: 'base32', bytes: fromBase32(written) };
  if (ONE_CASE.test(written)) return;
  yield { start, end, how: 'base64', bytes: fromBase64(written) };
  for (const [sign, parts] of PARTS) {
    if (!written.includes(sign)) continue;
    for (const { 0: part, index } of written.matchAll(parts))
      if (!ONE_CASE.test(part))
        yield { start: start + index, end: start + index + part.length, how: 'base64', bytes: fromBase64(part) };
  }
}

function* spacedBlocks(text: string, { start, end }: Run): Generator<Block> {
  const part = text.slice(start, end);
  for (const { 0: written, index } of part.matchAll(CODES))
    for (const bytes of fromCodes(written))
      yield { start: start + index, end: start + index + written.length, how: 'numbers', bytes };
  for (const { 0: hex, index } of part.matchAll(HEX_PAIRS))
    yield { start: start + index, end: start + index + hex.length, how: 'hex', bytes: fromHex(hex) };
}

/** RFC 2045 and PEM break base64 into lines. Each line is read for itself as well: the next one may be a word. */
function joinLines(text: string, runs: readonly Run[]): readonly Run[] {
  const joined: Run[] = [];
  for (let i = 0; i < runs.length; ) {
    const { start, end: first } = runs[i] as Run; // True by the bound of the loop.
    let end = first;
    let next = i + 1;
    for (; isBelow(text, end, runs[next]); next++) end = runs[next]?.end ?? end;
    if (next > i + 1) joined.push({ start, end });
    joined.push(...runs.slice(i, next));
    i = next;
  }
  return joined;
}

function isBelow(text: string, end: number, next: Run | undefined): boolean {
  if (next === undefined || next.start - end > 12) return false;
  return /^\r?\n[ \t]{0,8}$/.test(text.slice(end, next.start));
}

/** Decimal, and octal where it can be that. */
function* fromCodes(written: string): Generator<Buffer> {
  const codes = written.split(/[-: ,;]{1,2}/);
  const isBinary = codes.every((code) => code.length === 8);
  if (isBinary) return yield fromBits(codes.join(''));
  for (const base of codes.every((code) => OCTAL.test(code)) ? [10, 8] : [10]) {
    const values = codes.map((code) => Number.parseInt(code, base));
    if (values.every((value) => value < 256)) yield Buffer.from(values);
  }
}

const OCTAL = /^[0-3]?[0-7]{2}$/;

function fromBits(bits: string): Buffer {
  return Buffer.from(bits.match(/[01]{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}
