/** JSON as `JSON.parse` gives it. Look members up by own property: names come from strangers. */
export type Json = string | number | boolean | null | JsonObject | readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of an object, `undefined` for everything else: `constructor` is not a member. */
export function member(value: unknown, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** An own member that is a text; empty for everything else. */
export function memberText(value: unknown, key: string): string {
  const text = member(value, key);
  return typeof text === 'string' ? text : '';
}
