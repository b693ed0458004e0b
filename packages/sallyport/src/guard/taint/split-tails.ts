import { randomFillSync } from 'node:crypto';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import { foldBriefly, wipe } from './normalise.ts';
import type { Leaf } from './walk-leaves.ts';

/**
 * Data that leaves a few characters at a time, one call after the other: the last short arguments that a run gave to a
 * server are kept beside the next ones, so that what they make together is seen. Of each only so many characters as one
 * piece lacks, under a pad of this process; runs and servers that say something longer are forgotten.
 */
export interface SplitTails {
  /** What came before, and from now on what comes after. Empty: nothing, or the call says more than a few characters. */
  follow(run: string, upstream: string, said: string): string;
}

/** A call that says more is read by itself. Folded characters. */
const MOST_SAID = 8;
const KEPT = 12;
const MAX_TAILS = 4_096;
const pad = randomFillSync(new Uint16Array(KEPT));

export function createSplitTails(): SplitTails {
  const tails = new Map<string, Uint16Array>();
  return {
    follow(run, upstream, said) {
      const key = `${upstream}\n${run}`;
      const folded = foldBriefly(said);
      const codes = Array.from(folded.codes.subarray(0, Math.min(folded.size, MOST_SAID + 1)));
      wipe(folded);
      const kept = tails.get(key);
      if (codes.length > MOST_SAID || codes.length === 0) {
        if (codes.length > 0) tails.delete(key);
        return '';
      }
      const before = kept === undefined ? [] : Array.from(kept, (code, i) => code ^ (pad[i] ?? 0));
      const next = [...before, ...codes].slice(-KEPT);
      tails.delete(key);
      tails.set(
        key,
        Uint16Array.from(next, (code, i) => code ^ (pad[i] ?? 0)),
      );
      const [oldest] = tails.keys();
      if (tails.size > MAX_TAILS && oldest !== undefined) tails.delete(oldest);
      return before.length === 0 ? '' : String.fromCharCode(...before);
    },
  };
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
