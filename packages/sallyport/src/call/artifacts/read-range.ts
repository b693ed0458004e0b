import { type Artifact, BLOCK } from '../../core/artifact.ts';
import type { ByteSource } from '../../core/byte-source.ts';
import type { Pause } from '../../core/pace.ts';
import { indexBefore } from '../fit/text-source.ts';

/** A part of a stored text. */
export interface TextPart {
  readonly text: string;
  /** In UTF-16 units of the whole text. */
  readonly start: number;
  readonly end: number;
}

/** A word that the range begins or ends in is given as a whole, up to this length. Characters. */
const LONGEST_WORD = 256;

/**
 * A range of characters. It begins and ends between words: half a key could not be told from any other text, so that it would
 * lose its labels.
 */
export async function readRange(
  source: ByteSource,
  artifact: Artifact,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<TextPart> {
  const { text, start } = await readAround(
    source,
    artifact,
    Math.max(0, offset - LONGEST_WORD),
    offset + length + LONGEST_WORD,
  );
  let from = Math.min(text.length, Math.max(0, offset - start));
  let to = Math.min(text.length, from + length);
  for (let i = 0; i < LONGEST_WORD && from > 0 && isInWord(text, from); i++) from--;
  for (let i = 0; i < LONGEST_WORD && to < text.length && isInWord(text, to); i++) to++;
  return { text: text.slice(from, to), start: start + from, end: start + to };
}

function isInWord(text: string, at: number): boolean {
  return !/\s/.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at));
}

/** Whole blocks around a range of characters. */
async function readAround(source: ByteSource, { blocks, bytes }: Artifact, from: number, to: number) {
  const before = blocks.filter((_, index) => index % 2 === 0);
  const first = indexBefore(before, from);
  const last = indexBefore(before, to);
  const part = await source.read(first * BLOCK, Math.min(bytes, (last + 1) * BLOCK));
  return { text: decode(part), start: before[first] ?? 0 };
}

/** Without what belongs to the character that begins in the block before. */
function decode(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}

/** Where a line begins, counted from 1. In characters. @returns the end of the text, where it has fewer lines */
export async function findLine(source: ByteSource, artifact: Artifact, line: number): Promise<number> {
  const { blocks, bytes, characters } = artifact;
  const lines = blocks.filter((_, index) => index % 2 === 1);
  const block = indexBefore(lines, Math.max(0, line - 2));
  const text = decode(await source.read(block * BLOCK, Math.min(bytes, (block + 2) * BLOCK)));
  let missing = line - 1 - (lines[block] ?? 0);
  let at = 0;
  while (missing > 0) {
    const next = text.indexOf('\n', at);
    if (next < 0) return characters;
    at = next + 1;
    missing--;
  }
  return (blocks[block * 2] ?? 0) + at;
}

export interface FoundText {
  /** Counted from 1. */
  readonly line: number;
  readonly offset: number;
  readonly text: string;
}

/** Characters before and after what was found. */
const CONTEXT = 120;
/** What may be looked for. Characters. */
export const MAX_SEARCHED = 200;

/** Where a text stands, whatever the case of its letters: at most `most` places from `offset` on. */
export async function findText(
  source: ByteSource,
  artifact: Artifact,
  asked: { readonly word: string; readonly offset: number; readonly most: number; readonly pause: Pause },
): Promise<readonly FoundText[]> {
  const { blocks, bytes } = artifact;
  const word = asked.word.toLowerCase();
  const found: FoundText[] = [];
  const first = indexBefore(
    blocks.filter((_, index) => index % 2 === 0),
    asked.offset,
  );
  let next = asked.offset;
  for (let block = first; block * BLOCK < bytes; block++) {
    // What begins in this block may end in the one after it.
    const whole = decode(await source.read(block * BLOCK, Math.min(bytes, (block + 1) * BLOCK + MAX_SEARCHED * 4)));
    const text = fold(whole);
    const start = blocks[block * 2] ?? 0;
    const end = (blocks[block * 2 + 2] ?? artifact.characters) - start;
    for (let at = text.indexOf(word, Math.max(0, next - start)); at >= 0 && at < end; at = text.indexOf(word, at + 1)) {
      if (found.length === asked.most) return found;
      const line = 1 + (blocks[block * 2 + 1] ?? 0) + countLines(whole, at);
      const { text: around } = await readRange(source, artifact, {
        offset: Math.max(0, start + at - CONTEXT),
        length: word.length + 2 * CONTEXT,
      });
      found.push({ line, offset: start + at, text: around });
      // The same context is not given twice.
      at += CONTEXT;
      next = start + at;
    }
    await asked.pause();
  }
  return found;
}

/** In lower case, where that is as long: places must stay the same. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
