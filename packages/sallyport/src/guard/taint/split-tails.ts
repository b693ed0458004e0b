import { randomFillSync } from 'node:crypto';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import { foldBriefly, wipe } from './normalise.ts';
import type { Leaf } from './walk-leaves.ts';

/**
 * Data that leaves a few characters at a time, one call after the other: the last short texts that a run gave are kept beside
 * the next ones, so that what they make together is seen. Under a pad of this process. A longer text is read by itself, and
 * is no reason to forget what came before it.
 */
export interface SplitTails {
  /**
   * What came before, and from now on what comes after: all that is kept, and the shortest end of it that says enough to be
   * known as a part of a value, since something else may stand in front. Empty: nothing came, or the text is not short.
   */
  follow(key: string, said: string): readonly string[];
}

/** Longer ones hold a whole piece of prose, and most of the next. Folded characters. */
const MOST_SAID = 24;
/** With the most that is said 60: in so few, one known piece of prose is enough (`judge-call.ts`). */
const KEPT = 36;
/** Three parts of a value in a row: fewer digits are there by chance. */
const FEWEST = 8;
const MAX_TAILS = 4_096;
const pad = randomFillSync(new Uint16Array(KEPT));
const NONE: readonly string[] = Object.freeze([]);

interface Tail {
  /** The last characters, under the pad. */
  readonly codes: Uint16Array;
  /** Of each text they are from, the last one last; of the first, what is left. */
  readonly sizes: readonly number[];
}

export function createSplitTails(): SplitTails {
  const tails = new Map<string, Tail>();
  return {
    follow(key, said) {
      const folded = foldBriefly(said);
      const codes = Array.from(folded.codes.subarray(0, Math.min(folded.size, MOST_SAID + 1)));
      wipe(folded);
      if (codes.length > MOST_SAID || codes.length === 0) return NONE;
      const kept = tails.get(key);
      tails.delete(key);
      tails.set(key, append(kept, codes));
      const [oldest] = tails.keys();
      if (tails.size > MAX_TAILS && oldest !== undefined) tails.delete(oldest);
      return kept === undefined ? NONE : endsOf(kept, FEWEST - codes.length);
    },
  };
}

function append(kept: Tail | undefined, said: readonly number[]): Tail {
  const next = [...reveal(kept), ...said].slice(-KEPT);
  const sizes: number[] = [];
  let left = next.length;
  for (const size of [...(kept?.sizes ?? []), said.length].reverse()) {
    if (left <= 0) break;
    sizes.unshift(Math.min(size, left));
    left -= size;
  }
  return { codes: Uint16Array.from(next, (code, i) => code ^ (pad[i] ?? 0)), sizes };
}

function reveal(kept: Tail | undefined): number[] {
  return kept === undefined ? [] : Array.from(kept.codes, (code, i) => code ^ (pad[i] ?? 0));
}

/** @param lacking how many characters the new text lacks to say enough */
function endsOf(kept: Tail, lacking: number): readonly string[] {
  const all = String.fromCharCode(...reveal(kept));
  let size = 0;
  for (let i = kept.sizes.length - 1; i >= 0 && size < Math.max(lacking, 1); i--) size += kept.sizes[i] ?? 0;
  return size < all.length ? [all, all.slice(-size)] : [all];
}

const SHORT = 64;
const MOST = 1_000;

/** Data cut into several arguments, elements or names is one text again when they are read on end. */
export function joinLeaves(leaves: readonly Leaf[], names: readonly string[]): string | undefined {
  const texts: string[] = [];
  for (const { text, isName } of leaves) {
    if (isName || text.length >= SHORT) continue;
    if (texts.push(text) > MOST) return undefined;
  }
  const joined = texts.length < 2 ? '' : texts.join('');
  const named = names.length < 2 ? '' : `${names.join('')} ${names.join(' ')}`;
  return joined === '' && named === '' ? undefined : `${joined} ${named}`.trim();
}

/** Names of members that no schema knows, in their order: data hides in them as well. */
export function freeNames(given: JsonObject, schema: unknown): readonly string[] {
  const known = isObject(schema) ? member(schema, 'properties') : undefined;
  const names: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 8 || names.length > MOST || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const one of value.slice(0, MOST)) visit(one, depth + 1);
    else
      for (const [name, inner] of Object.entries(value)) {
        if (!(isObject(known) && Object.hasOwn(known, name))) names.push(name);
        visit(inner, depth + 1);
      }
  };
  visit(given, 0);
  return names;
}
