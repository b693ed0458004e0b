import { isObject } from '../core/json.ts';
import { interpolate, type Variables } from './interpolate.ts';
import type { Path, Problem } from './parse-file.ts';

/** A copy with all variables in all strings filled in. A string with a variable that cannot be filled in stays as it is. */
export function fill(
  value: unknown,
  path: Path,
  { variables, report }: { variables: Variables; report(problem: Problem, kind: 'problem' | 'missing'): void },
): unknown {
  const into = (item: unknown, at: Path): unknown => {
    if (typeof item === 'string') {
      const result = interpolate(item, variables);
      if (result.kind === 'text') return result.text;
      report({ path: at, message: result.message }, result.kind);
      return item;
    }
    if (Array.isArray(item)) return item.map((member, index) => into(member, [...at, index]));
    if (!isObject(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, into(member, [...at, key])]));
  };
  return into(value, path);
}
