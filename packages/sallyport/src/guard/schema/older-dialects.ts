import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** Values that are data and no schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples']);
const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/**
 * A schema of draft-04 as draft-07 says it: there, `exclusiveMinimum` is a number, and was a boolean beside `minimum`. Many
 * generators still write the old form (OpenAPI 3.0 has it), under any `$schema` or none. Other schemas stay as they are.
 */
export function fromDraft4(schema: JsonObject): JsonObject {
  const current: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    const read = value === undefined || DATA.has(key) ? value : readInside(value);
    // `__proto__` is a name like any other.
    Object.defineProperty(current, key, { value: read, enumerable: true, writable: true, configurable: true });
  }
  for (const [bound, exclusive] of BOUNDS) {
    const limit = current[bound];
    if (typeof current[exclusive] !== 'boolean' || typeof limit !== 'number') continue;
    if (current[exclusive]) {
      current[exclusive] = limit;
      delete current[bound];
    } else delete current[exclusive];
  }
  return current;
}

/** Depth is bounded by whoever measured the schema before. */
function readInside(value: Json): Json {
  if (Array.isArray(value)) return value.map(readInside);
  return isObject(value) ? fromDraft4(value) : value;
}
