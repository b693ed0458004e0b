import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';

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
    defineMember(current, key, value === undefined || DATA.has(key) ? value : readInside(value));
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

/** Members whose own members are schemas, under names that may be those of keywords. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies']);

/**
 * A schema of draft-03 as draft-07 says it. There, `required` was a boolean of the property itself, and generators still write it
 * so under any `$schema` or none; `any`, `extends`, `disallow` and `divisibleBy` have other names today.
 */
export function fromDraft3(schema: JsonObject): JsonObject {
  const current: Record<string, Json | undefined> = {};
  const required: string[] = [];
  const all: Json[] = [];
  for (const [key, value] of Object.entries(fromDraft4(schema))) {
    if (key === 'required' && typeof value === 'boolean') continue;
    if (key === 'type') Object.assign(current, toTypes(value));
    else if (key === 'divisibleBy') current['multipleOf'] = value;
    else if (key === 'disallow') current['not'] = toTypes(Array.isArray(value) ? value : [value]);
    else if (key === 'extends') all.push(...(Array.isArray(value) ? value : [value]).map(readDraft3));
    else if (key === 'dependencies' && isObject(value)) current[key] = mapMembers(value, toDependency);
    else if (MAPS.has(key) && isObject(value)) current[key] = mapMembers(value, readDraft3);
    else defineMember(current, key, value === undefined || DATA.has(key) ? value : readDraft3(value));
    if (key === 'properties' && isObject(value))
      for (const name of Object.keys(value)) if (member(member(value, name), 'required') === true) required.push(name);
  }
  if (required.length > 0) current['required'] = required;
  if (all.length > 0) current['allOf'] = all;
  return current;
}

function readDraft3(value: Json): Json {
  if (Array.isArray(value)) return value.map(readDraft3);
  return isObject(value) ? fromDraft3(value) : value;
}

/** Types and schemas could stand in one list; `any` is no limit. */
function toTypes(type: Json | undefined): JsonObject {
  if (!Array.isArray(type)) return type === 'any' || type === undefined ? {} : { type };
  const list: readonly Json[] = type;
  if (list.includes('any')) return {};
  if (!list.some(isObject)) return { type: list };
  return { anyOf: list.map((one) => (isObject(one) ? fromDraft3(one) : { type: one })) };
}

function toDependency(value: Json): Json {
  return typeof value === 'string' ? [value] : isObject(value) ? fromDraft3(value) : value;
}

function mapMembers(map: JsonObject, read: (value: Json) => Json): JsonObject {
  const current: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(map))
    defineMember(current, name, value === undefined ? value : read(value));
  return current;
}

/** `__proto__` is a name like any other. */
function defineMember(object: Record<string, Json | undefined>, name: string, value: Json | undefined): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Depth is bounded by whoever measured the schema before. */
function readInside(value: Json): Json {
  if (Array.isArray(value)) return value.map(readInside);
  return isObject(value) ? fromDraft4(value) : value;
}
