import type { Finding } from '../../../core/finding.ts';
import { readText } from '../scan-text.ts';
import { isBlock } from './findings.ts';

/** Of a long text this much is read with its neighbours: no demand that a rule knows is longer. Characters. */
export const WINDOW = 256;
/** Demands that stand in one text each, read around. */
const MAX_ROUNDS = 16;
/** Stands for the middle of a long text, which is read with the text. */
const BREAK = '\n\n';
const LETTER_AT_END = /\p{L}$/u;
const SMALL_AT_BEGIN = /^[\p{Ll}\p{Lo}]/u;
const CODE = 8;
const CODE_AT_END = /^[A-Za-z0-9+/_-]{8}$/;
const CODE_AT_BEGIN = /^[A-Za-z0-9+/_-]{4}/;

/** A demand that stands in several texts, each of which says nothing alone. */
export interface Across {
  /** The texts it stands in, by their places. */
  readonly first: number;
  readonly last: number;
  readonly finding: Finding;
}

/**
 * What a reader of several texts in a row reads across their borders. A model joins the items of a result and the
 * messages of a stream; a demand cut in two is one again then. Only the block tier: neighbours often speak of one thing.
 */
export function findAcross(texts: readonly string[]): readonly Across[] {
  if (texts.length < 2) return [];
  const spaced = readJoined(texts, ' ');
  // A word, or a block of base64, may be cut as well.
  return spaced.length === 0 && hasCut(texts) ? readJoined(texts, '') : spaced;
}

/** A word goes on in small letters, a block of base64 in any. */
function hasCut(texts: readonly string[]): boolean {
  for (let i = 1; i < texts.length; i++) {
    const [before = '', after = ''] = [texts[i - 1], texts[i]];
    if (LETTER_AT_END.test(before.slice(-2)) && SMALL_AT_BEGIN.test(after)) return true;
    if (CODE_AT_END.test(before.slice(-CODE)) && CODE_AT_BEGIN.test(after)) return true;
  }
  return false;
}

function readJoined(texts: readonly string[], gap: string): readonly Across[] {
  const starts: number[] = [];
  let joined = '';
  for (const [i, text] of texts.entries()) {
    if (i > 0) joined += gap;
    starts.push(joined.length);
    joined += text.length <= 2 * WINDOW ? text : `${text.slice(0, WINDOW)}${BREAK}${text.slice(text.length - WINDOW)}`;
  }
  const across: Across[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const inside: Finding[] = [];
    for (const finding of readText(joined).scan.findings) {
      if (!isBlock(finding)) continue;
      const first = placeOf(starts, finding.start);
      const last = placeOf(starts, Math.max(finding.start, finding.end - 1));
      if (first < last) across.push({ first, last, finding: { ...finding, start: 0, end: 0 } });
      else inside.push(finding);
    }
    if (across.length > 0 || inside.length === 0) break;
    // Each rule is told of once: what stands in one text must not hide what stands across two.
    for (const { start, end } of inside)
      joined = `${joined.slice(0, start)}${'\n'.repeat(end - start)}${joined.slice(end)}`;
  }
  return across;
}

/** The text a place of the joined one belongs to. */
function placeOf(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
