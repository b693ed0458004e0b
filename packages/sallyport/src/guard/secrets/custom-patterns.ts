import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { CustomSecret } from '../../config/secrets-section.ts';
import { MAX_MATCHES, type SecretMatch, tooManyMatches } from './secret-match.ts';

/** Patterns of the operator on an engine whose time grows with the text alone: a slip in one stops nobody's calls. */
interface Compiled {
  readonly name: string;
  readonly pattern: RE2JS;
}

/** Why RE2 does not read a pattern, in words that quote nothing of it; `undefined`: it does. Asked when a configuration is read. */
export function refusePattern(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled';
  }
}

const compiled = new WeakMap<readonly CustomSecret[], readonly Compiled[]>();

/** @throws Error for a pattern RE2 does not read, or too much that fits: the guard fails, and nothing passes it. */
export function findCustom(text: string, custom: readonly CustomSecret[]): readonly SecretMatch[] {
  if (custom.length === 0) return [];
  let patterns = compiled.get(custom);
  if (patterns === undefined) {
    patterns = custom.map(({ name, pattern }) => ({ name, pattern: RE2JS.compile(pattern) }));
    compiled.set(custom, patterns);
  }
  const found: SecretMatch[] = [];
  for (const { name, pattern } of patterns) {
    const matcher = pattern.matcher(text);
    while (matcher.find()) {
      if (found.length >= MAX_MATCHES) throw tooManyMatches();
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) found.push({ kind: name, group: 'custom', start, end, how: 'plain', isSample: false });
    }
  }
  return found;
}
