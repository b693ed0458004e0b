import { isObject, type JsonObject, member } from '../../core/json.ts';

/** What a stranger's schema may cost whoever runs it. */
export type SchemaCost =
  /** Bounded by its own size times the size of the value: may be compiled and run on the main thread. */
  | { readonly kind: 'cheap'; readonly nodes: number; readonly readsText: boolean; readonly hasFormat: boolean }
  /** Anything else: runs in the worker, with a deadline. `bytes`: about the size of its JSON. */
  | { readonly kind: 'worker'; readonly bytes: number }
  | { readonly kind: 'refused'; readonly reason: string };

const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 100;
/** A validator keeps its schema, descriptions included, and a thousand validators are kept. */
const MAX_CHEAP_BYTES = 32 * 1024;
/** Sub-schemas and assertions. About 40 us of compile time each: the first call of a tool holds the main thread for 12 ms. */
const MAX_CHEAP_NODES = 300;
/** Nesting makes compilation quadratic: 90 levels took 100 ms. */
const MAX_CHEAP_DEPTH = 16;
/** Schema nodes times value nodes that the main thread works through in one go: a few milliseconds at most. */
const MAX_CHEAP_WORK = 200_000;
/**
 * What may be sent to the worker. A value that fills its heap while it is being received ends the whole process and not
 * the thread (Node 20, seen with 3 million objects): native code does not stop at the limit. This much is 30 MB there.
 */
const MAX_WORKER_NODES = 250_000;
const MAX_WORKER_TEXT = 8 * 1024 * 1024;
/** Formats are regular expressions, some of them quadratic. */
const MAX_FORMATTED_TEXT = 512;
/** `maxLength` walks a string: this many characters count as one node. */
const TEXT_PER_NODE = 64;

/** Sub-schema positions of the keywords whose work is bounded by the tree they stand in. */
const SUBSCHEMA: ReadonlySet<string> = new Set([
  'additionalProperties',
  'additionalItems',
  'items',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const SUBSCHEMA_LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const SCALAR: ReadonlySet<string> = new Set([
  ...['type', 'nullable', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);
const LISTED: ReadonlySet<string> = new Set(['required', 'enum', 'const']);
const TEXT: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'format']);
const ANNOTATION: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['$schema', '$vocabulary', '$defs', 'definitions', 'contentMediaType', 'contentEncoding', 'contentSchema'],
  ...['id', 'minContains', 'maxContains', '$async'],
]);
/**
 * Keywords whose cost a schema's size does not bound (`(a+)+$`, doubling `allOf` through `$ref`, quadratic
 * `uniqueItems`), or that give a schema a name others could share. A test compares all these sets with Ajv's own list.
 */
const EXPENSIVE: ReadonlySet<string> = new Set([
  ...['$ref', '$dynamicRef', '$recursiveRef', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'],
  ...['pattern', 'patternProperties', 'uniqueItems', 'contains', 'dependencies', 'dependentRequired'],
  ...['dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
]);
/** Every keyword this file has an opinion about; unknown ones are annotations. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...SUBSCHEMA,
  ...SUBSCHEMA_LIST,
  ...SCALAR,
  ...LISTED,
  ...TEXT,
  ...ANNOTATION,
  ...EXPENSIVE,
  'properties',
]);
const CHEAP_FORMATS_REFUSED: ReadonlySet<unknown> = new Set(['url', 'uri-template', 'regex', 'byte']);

/** Reads a schema once, within bounds, and says where it may run. */
export function toSchemaCost(schema: JsonObject): SchemaCost {
  const size = measure(schema, MAX_SCHEMA_BYTES, 0);
  if (size === 'deep') return { kind: 'refused', reason: `is nested deeper than ${MAX_DEPTH} levels` };
  if (size < 0) return { kind: 'refused', reason: `is larger than ${MAX_SCHEMA_BYTES / 1024} KiB` };
  const bytes = MAX_SCHEMA_BYTES - size;
  if (bytes > MAX_CHEAP_BYTES) return { kind: 'worker', bytes };
  const tally: Tally = { nodes: 0, depth: 0, readsText: false, hasFormat: false };
  const isCheap = addSchema(schema, tally);
  const { nodes, readsText, hasFormat } = tally;
  return isCheap ? { kind: 'cheap', nodes, readsText, hasFormat } : { kind: 'worker', bytes };
}

/** Does this value keep a cheap schema cheap? Costs no more than the budget allows. */
export function isCheapValue(value: unknown, cost: SchemaCost & { readonly kind: 'cheap' }): boolean {
  return weigh(value, Math.floor(MAX_CHEAP_WORK / Math.max(1, cost.nodes)), cost) >= 0;
}

/** May this value be sent to the worker? */
export function isWorkerValue(value: unknown): boolean {
  return (
    weigh(value, MAX_WORKER_NODES, {
      readsText: true,
      hasFormat: false,
      textPerNode: MAX_WORKER_TEXT / MAX_WORKER_NODES,
    }) >= 0
  );
}

/** What is left of `budget` bytes after this value, negative when it is not enough. */
function measure(value: unknown, budget: number, depth: number): number | 'deep' {
  if (typeof value === 'string') return budget - value.length - 2;
  if (typeof value !== 'object' || value === null) return budget - 4;
  if (depth >= MAX_DEPTH) return 'deep';
  let left = budget - 2;
  const isList = Array.isArray(value);
  for (const [key, element] of Object.entries(value)) {
    const rest = measure(element, left - (isList ? 1 : key.length + 4), depth + 1);
    if (rest === 'deep' || rest < 0) return rest;
    left = rest;
  }
  return left;
}

interface Tally {
  nodes: number;
  depth: number;
  readsText: boolean;
  hasFormat: boolean;
}

/** False: not cheap. */
function addSchema(schema: unknown, tally: Tally): boolean {
  if (++tally.nodes > MAX_CHEAP_NODES || ++tally.depth > MAX_CHEAP_DEPTH) return false;
  if (typeof schema !== 'boolean') {
    if (!isObject(schema)) return false;
    for (const key of Object.keys(schema)) if (!addKeyword(key, schema[key], tally)) return false;
  }
  tally.depth--;
  return tally.nodes <= MAX_CHEAP_NODES;
}

function addKeyword(key: string, value: unknown, tally: Tally): boolean {
  if (EXPENSIVE.has(key)) return key === 'uniqueItems' && value === false;
  if (Array.isArray(value) && SUBSCHEMA_LIST.has(key)) return value.every((schema) => addSchema(schema, tally));
  if (SUBSCHEMA.has(key)) return addSchema(value, tally);
  if (SUBSCHEMA_LIST.has(key)) return false;
  if (key === 'properties')
    return isObject(value) && Object.keys(value).every((name) => addSchema(member(value, name), tally));
  if (LISTED.has(key)) {
    tally.nodes += MAX_CHEAP_NODES + 1 - weigh(value, MAX_CHEAP_NODES + 1, tally);
    return tally.nodes <= MAX_CHEAP_NODES;
  }
  if (ANNOTATION.has(key) || !KNOWN.has(key)) return true;
  tally.nodes++;
  if (TEXT.has(key)) tally.readsText = true;
  if (key === 'format') {
    tally.hasFormat = true;
    return !CHEAP_FORMATS_REFUSED.has(value);
  }
  return true;
}

interface TextCost {
  readonly readsText: boolean;
  readonly hasFormat: boolean;
  readonly textPerNode?: number;
}

/** What is left of `budget` nodes after this value, negative when it is not enough. */
function weigh(value: unknown, budget: number, text: TextCost): number {
  if (typeof value === 'string') {
    if (!text.readsText) return budget - 1;
    return text.hasFormat && value.length > MAX_FORMATTED_TEXT
      ? -1
      : budget - 1 - value.length / (text.textPerNode ?? TEXT_PER_NODE);
  }
  if (typeof value !== 'object' || value === null) return budget - 1;
  let left = budget - 1;
  if (Array.isArray(value)) {
    for (const element of value) {
      left = weigh(element, left, text);
      if (left < 0) return left;
    }
    return left;
  }
  for (const key in value) {
    if (text.textPerNode !== undefined) left -= key.length / text.textPerNode;
    left = weigh((value as JsonObject)[key], left, text);
    if (left < 0) return left;
  }
  return left;
}
