import { toCanonicalJson } from '../../core/canonical-json.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { canClimb, canClimbAsGlob, toOpened } from '../can-climb.ts';

/**
 * Which arguments a grant covers: `any`, or every argument by name with its value. A text may hold `*` (any characters
 * but separators of paths) and `**` (any characters); everything else is compared as it is.
 */
export type Pattern = 'any' | JsonObject;

const MAX_PATTERN = 16_384;
/** Of a text that meets a wildcard: four million characters would take seconds. */
const MAX_TEXT = 65_536;

/** @throws FaultError `invalid_params` for a pattern that does not cover the very call it was written for. */
export function checkPattern(pattern: unknown, given: JsonObject): asserts pattern is Pattern {
  if (pattern === 'any') return;
  if (!isObject(pattern) || toCanonicalJson(pattern).length > MAX_PATTERN)
    throw new FaultError('invalid_params', 'A pattern is "any", or an object with a value for every argument.');
  // One that never matches would be taken for protection, or for permission, and be neither.
  if (!matchesPattern(pattern, given))
    throw new FaultError(
      'invalid_params',
      'The pattern does not cover the arguments of this call; name every argument.',
    );
}

/** Fail closed: an argument the pattern does not name, or a named one that is missing, is no match. */
export function matchesPattern(pattern: Pattern, given: JsonObject): boolean {
  if (pattern === 'any') return true;
  const names = Object.keys(given);
  if (names.length !== Object.keys(pattern).length) return false;
  return names.every((name) => Object.hasOwn(pattern, name) && matchesValue(pattern[name], given[name]));
}

function matchesValue(pattern: Json | undefined, value: Json | undefined): boolean {
  if (typeof pattern === 'string' && pattern.includes('*'))
    return typeof value === 'string' && matchesText(pattern, value);
  if (isObject(pattern)) return isObject(value) && matchesPattern(pattern, value);
  return toCanonicalJson(pattern) === toCanonicalJson(value);
}

/**
 * `/reports/**` must not reach `/reports/../etc`: nothing that climbs, hides its bytes or breaks a line meets a wildcard,
 * and what a server would open has to match, too.
 */
function matchesText(pattern: string, value: string): boolean {
  if (value.length > MAX_TEXT || canClimb(value)) return false;
  const [written, opened] = [toOpened(pattern), toOpened(value)];
  if (opened.length > MAX_TEXT) return false;
  // Of a pattern that names a folder or host: `//` starts anew at the root or at another host.
  if (/[/\\]/.test(written) && (countDoubled(opened) > countDoubled(written) || canClimbAsGlob(opened))) return false;
  return matchesGlobs(pattern, value) && (opened === value || matchesGlobs(written, opened));
}

function countDoubled(text: string): number {
  return text.match(/[/\\](?=[/\\])/g)?.length ?? 0;
}

function matchesGlobs(pattern: string, value: string): boolean {
  return matchesParts(
    pattern.split(/(\*+)/).filter((part) => part !== ''),
    value,
  );
}

/** All places a prefix can end at, part by part: at most parts times length steps, never exponential. */
function matchesParts(parts: readonly string[], value: string): boolean {
  let reachable = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (!part.startsWith('*')) {
        if (value.startsWith(part, at)) next.add(at + part.length);
        continue;
      }
      for (let end = at; end <= value.length; end++) {
        // A farther start would walk the same way again.
        if (next.has(end) && end > at) break;
        next.add(end);
        if (part === '*' && /[/\\]/.test(value.charAt(end))) break;
      }
    }
    if (next.size === 0) return false;
    reachable = next;
  }
  return reachable.has(value.length);
}
