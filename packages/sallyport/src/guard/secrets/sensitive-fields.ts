import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { fromStep } from '../../core/json-pointer.ts';

/** Fields a definition calls sensitive, as paths of names; `*` is every element of a list. */
export interface SensitiveFields {
  readonly input: readonly (readonly string[])[];
  readonly output: readonly (readonly string[])[];
}

/** Names or JSON pointers of fields in `_meta` of a tool, for those whose schemas cannot say it. */
const META_KEY = 'dev.sallyport/sensitive';
const MAX_NODES = 2_000;
const MAX_DEPTH = 12;
const MAX_FIELDS = 100;

const known = new WeakMap<JsonObject, SensitiveFields>();
const NO_FIELDS: SensitiveFields = Object.freeze({ input: [], output: [] });

/** Read once per definition. */
export function sensitiveFields(definition: JsonObject): SensitiveFields {
  let fields = known.get(definition);
  if (fields === undefined) {
    fields = readDefinition(definition);
    known.set(definition, fields);
  }
  return fields;
}

function readDefinition(definition: JsonObject): SensitiveFields {
  const named = readMeta(definition);
  const input = [...named, ...readSchema(member(definition, 'inputSchema'))];
  const output = [...named, ...readSchema(member(definition, 'outputSchema'))];
  return input.length === 0 && output.length === 0 ? NO_FIELDS : { input, output };
}

function readMeta(definition: JsonObject): readonly string[][] {
  const written = member(member(definition, '_meta'), META_KEY);
  if (!Array.isArray(written)) return [];
  return written
    .slice(0, MAX_FIELDS)
    .filter((one): one is string => typeof one === 'string' && one.length > 0)
    .map((one) => (one.startsWith('/') ? one.slice(1).split('/').map(fromStep) : [one]));
}

interface Reader {
  readonly root: JsonObject;
  readonly found: string[][];
  left: number;
}

function readSchema(schema: Json | undefined): readonly string[][] {
  if (!isObject(schema)) return [];
  const reader: Reader = { root: schema, found: [], left: MAX_NODES };
  look(schema, [], reader);
  return reader.found;
}

function look(schema: Json | undefined, path: readonly string[], reader: Reader): void {
  if (!isObject(schema) || path.length > MAX_DEPTH || reader.found.length >= MAX_FIELDS || reader.left-- <= 0) return;
  if (path.length > 0 && isMarked(schema)) {
    reader.found.push([...path]);
    return;
  }
  const properties = member(schema, 'properties');
  if (isObject(properties)) for (const [name, one] of Object.entries(properties)) look(one, [...path, name], reader);
  for (const key of ['items', 'additionalProperties']) look(member(schema, key), [...path, '*'], reader);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const parts = member(schema, key);
    if (Array.isArray(parts)) for (const part of parts) look(part, path, reader);
  }
  const reference = member(schema, '$ref');
  const name = typeof reference === 'string' ? /^#\/(\$defs|definitions)\/([^/]{1,256})$/.exec(reference) : null;
  if (name !== null) look(member(member(reader.root, name[1] ?? ''), name[2] ?? ''), path, reader);
}

function isMarked(schema: JsonObject): boolean {
  const sensitive = member(schema, 'x-sensitive');
  return (
    (sensitive !== undefined && sensitive !== false && sensitive !== null) ||
    member(schema, 'format') === 'password' ||
    member(schema, 'writeOnly') === true
  );
}

/** Whether the place a JSON pointer names is one of these fields or lies in one. */
export function isSensitive(fields: readonly (readonly string[])[], pointer: string): boolean {
  if (fields.length === 0) return false;
  const steps = pointer.slice(1).split('/').map(fromStep);
  return fields.some(
    (field) => field.length <= steps.length && field.every((step, i) => step === '*' || step === steps[i]),
  );
}
