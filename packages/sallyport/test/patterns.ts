import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { check } from 'recheck';
import { readSource } from './layers-imports.ts';
import { readShape } from './pattern-shape.ts';

/** A regular expression as it stands in a source. */
export interface FoundPattern {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Literals of a TypeScript source, and the lines where it makes patterns from text. @throws Error for what it cannot read */
export function findPatterns(text: string): { readonly literals: FoundPattern[]; readonly made: readonly number[] } {
  const { regexes, made } = readSource(text);
  const literals = regexes.map(({ text: literal, line }): FoundPattern => {
    const end = literal.lastIndexOf('/');
    return { line, source: literal.slice(1, end), flags: literal.slice(end + 1) };
  });
  return { literals, made };
}

/** Of the two one. */
export interface Proof {
  readonly proof?: string;
  readonly problem?: string;
}

/** Ways through a bounded pattern from one place of a text that are still cheap. */
const MOST_PATHS = 20_000;
const LONGEST = 80;

/**
 * Why a search with this pattern takes bounded time per place of the text, or time in proportion to it: by counting ways, or
 * proven by recheck's automata, which never guess. A problem where neither speaks for it.
 */
export async function provePattern(source: string, flags: string): Promise<Proof> {
  const shape = readShape(source, flags);
  if (!shape.isUnbounded)
    return shape.paths <= MOST_PATHS
      ? { proof: `bounded, ${shape.paths} ways` }
      : { problem: `${shape.paths} ways through it` };
  if (shape.paths <= MOST_PATHS) {
    if (shape.isAnchored && !shape.hasLooks) return { proof: `from one place, ${shape.paths} ways` };
    if (shape.isReadOnce) return { proof: `each character read a bounded number of times, ${shape.paths} ways` };
  }
  if (shape.hasLooks) return { problem: 'repeats without end beside what only looks' };
  // Longer ones take its automata minutes.
  if (source.length > LONGEST) return { problem: 'repeats without end where two searches may read the same' };
  // A sticky pattern is tried at one place only.
  const anchored = flags.includes('y') ? `^(?:${source})` : source;
  const { status, complexity, error } = await check(anchored, flags.replace(/[dgy]/g, ''), {
    checker: 'automaton',
    // A deadline and no assertion on speed: most take a millisecond.
    timeout: 120_000,
    maxNFASize: 2_000,
  });
  if (status === 'safe') return { proof: complexity.type };
  return { problem: status === 'unknown' ? `recheck cannot say: ${error.kind}` : complexity.summary };
}

/** Changes when the prover does: what it proved before may be proven otherwise then. */
export const PROVER = createHash('sha256')
  .update(readFileSync(new URL('patterns.ts', import.meta.url)))
  .update(readFileSync(new URL('pattern-shape.ts', import.meta.url)))
  .update(readFileSync(createRequire(import.meta.url).resolve('recheck/package.json')))
  .digest('hex');
