import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { nameOf } from './rule.ts';
import { RULES } from './rules.ts';

/** One suggested change of a definition. */
export interface Change {
  readonly rule: string;
  /** JSON pointer into the definition. */
  readonly path: string;
  /** `undefined`: the member is removed. */
  readonly value: Json | undefined;
  readonly why: string;
}

/** A tool before and after; the same object where nothing is suggested. */
export interface Mended {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly changes: readonly Change[];
}

/** In `_meta`: JSON has no comments, and a person must see which members are suggestions, and why. */
export const SUGGESTED = 'io.sallyport/suggested';
/** One rule's change can call for another's; three rounds settle everything the rules do today. */
const MAX_ROUNDS = 5;

/** Mends what the rules can mend, rule by rule, until nothing is left to mend. @param isOff rules that the author switched off */
export function mendTools(
  tools: readonly JsonObject[],
  isOff: (rule: string, tool: string) => boolean = () => false,
): readonly Mended[] {
  const names = new Set(tools.map(nameOf));
  return tools.map((before) => {
    const changes: Change[] = [];
    const [given] = [nameOf(before)];
    let after = before;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = changes.length;
      for (const { id, mend } of RULES) {
        if (mend === undefined || isOff(id, given)) continue;
        for (const { path, value, why } of mend(after, names)) {
          after = setMember(after, fromPointer(path), value);
          changes.push({ rule: id, path, value, why });
        }
      }
      if (changes.length === found) break;
    }
    names.add(nameOf(after));
    return changes.length === 0 ? { before, after, changes } : { before, after: withReasons(after, changes), changes };
  });
}

function withReasons(tool: JsonObject, changes: readonly Change[]): JsonObject {
  const meta = member(tool, '_meta');
  const earlier = member(meta, SUGGESTED);
  const reasons = Object.fromEntries([
    ...(isObject(earlier) ? Object.entries(earlier) : []),
    ...changes.map(({ path, why }) => [path, why] as const),
  ]);
  return { ...tool, _meta: { ...(isObject(meta) ? meta : {}), [SUGGESTED]: reasons } };
}

/** A copy with another member; objects on the way are made. Own members only: one may be called `__proto__`. */
function setMember<T extends Json>(target: T, [key, ...rest]: readonly string[], value: Json | undefined): T {
  if (key === undefined) return value as T;
  if (Array.isArray(target))
    return target.map((one: Json, index) => (String(index) === key ? setMember(one, rest, value) : one)) as Json as T;
  const entries = isObject(target) ? Object.entries(target) : [];
  const inner = rest.length === 0 ? value : setMember(member(target, key) ?? {}, rest, value);
  const isNew = !entries.some(([name]) => name === key);
  const next = isNew
    ? [...entries, [key, inner] as const]
    : entries.map(([name, one]) => [name, name === key ? inner : one] as const);
  return Object.fromEntries(next.filter(([, one]) => one !== undefined)) as Json as T;
}

function fromPointer(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
