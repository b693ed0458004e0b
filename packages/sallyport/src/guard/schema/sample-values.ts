import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { fromStep } from '../../core/json-pointer.ts';

const MAX_NODES = 300;
const MAX_DEPTH = 12;
/** Long enough for `(a+)+$` to need seconds, short enough for every honest pattern. The last character makes it fail. */
const FILLERS = ['a', '0', ' ', 'a.', '-'] as const;
const FILLER_LENGTH = 30;

/**
 * A few small values that use every part of a schema they can reach, to see before the first call whether it takes
 * forever: exponential patterns, `allOf` that doubles through `$ref`, recursion that branches.
 */
export function toSampleValues(schema: JsonObject): readonly Json[] {
  const filled = FILLERS.map((filler) => {
    const text = `${filler.repeat(FILLER_LENGTH).slice(0, FILLER_LENGTH)}!`;
    return fill(schema, { root: schema, text, left: { nodes: MAX_NODES } }, 0);
  });
  return [{}, ...filled];
}

interface Filling {
  readonly root: JsonObject;
  readonly text: string;
  readonly left: { nodes: number };
}

function fill(schema: unknown, filling: Filling, depth: number): Json {
  if (!isObject(schema) || depth > MAX_DEPTH || --filling.left.nodes < 0) return filling.text;
  const referred = follow(member(schema, '$ref'), filling.root);
  if (referred !== undefined) return fill(referred, filling, depth + 1);
  const given = member(schema, 'const') ?? first(member(schema, 'enum'));
  if (given !== undefined) return given;
  const type = member(schema, 'type');
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'array' || Object.hasOwn(schema, 'items')) {
    const items = member(schema, 'items') ?? first(member(schema, 'prefixItems'));
    return [fill(items, filling, depth + 1), fill(items, filling, depth + 1)];
  }
  if (kind === 'object' || Object.hasOwn(schema, 'properties')) return fillObject(schema, filling, depth);
  if (kind === 'integer' || kind === 'number') return 1;
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  const branch = first(member(schema, 'allOf')) ?? first(member(schema, 'anyOf')) ?? first(member(schema, 'oneOf'));
  return branch === undefined ? filling.text : fill(branch, filling, depth + 1);
}

function fillObject(schema: JsonObject, filling: Filling, depth: number): JsonObject {
  const object: Record<string, Json> = {};
  const properties = member(schema, 'properties');
  for (const name of isObject(properties) ? Object.keys(properties) : []) {
    // Assigning `__proto__` would set a prototype instead of a member.
    if (name !== '__proto__') object[name] = fill(member(properties, name), filling, depth + 1);
  }
  const additional = member(schema, 'additionalProperties');
  if (Object.hasOwn(schema, 'patternProperties') || isObject(additional))
    object[filling.text] = fill(additional, filling, depth + 1);
  return object;
}

/** `#/$defs/node` within the same schema; everything else is left to the compiler. */
function follow(reference: Json | undefined, root: JsonObject): Json | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.split('/').slice(1)) at = member(at, fromStep(decodeURIComponent(part)));
  return at;
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list[0] as Json | undefined) : undefined;
}
