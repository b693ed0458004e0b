import { isObject } from './json.ts';

/**
 * JSON without spaces and with the members of every object in the order of their names (RFC 8785): what means the same is
 * written the same. A Map is the list of its entries; a member without a value is none.
 */
export function toCanonicalJson(value: unknown): string {
  if (value instanceof Map) return toCanonicalJson([...value]);
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}
