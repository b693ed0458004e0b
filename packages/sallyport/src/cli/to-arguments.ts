import { nearestName } from '../config/nearest-name.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { fromStep } from '../core/json-pointer.ts';

/**
 * `key=value` words as the arguments of a tool, each value read as its schema wants it: `count=3`, `deep=true`,
 * `tags=a tags=b`, `where={"x":1}`, `a.b=1` for an object within an object. `key:=json` takes JSON as it is.
 * @throws FaultError `usage` for a word without `=`, `schema` for a value that does not fit.
 */
export function toArguments(words: readonly string[], inputSchema: JsonObject): JsonObject {
  const root: Branch = new Map();
  for (const word of words) {
    const { key, text, raw } = splitWord(word);
    const { path, schema } = findField(key, inputSchema);
    const value = raw ? parseRaw(key, text) : coerce(key, text, resolveReference(schema, inputSchema));
    place(root, { path, key }, { value, gathers: !raw && isList(schema, inputSchema) && !text.startsWith('[') });
  }
  return toObject(root);
}

/**
 * Names every property the schema requires and the arguments lack. The server checks the rest.
 * @throws FaultError `schema`.
 */
export function assertComplete(given: JsonObject, inputSchema: JsonObject): void {
  const required = member(inputSchema, 'required');
  if (!Array.isArray(required)) return;
  const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(given, name));
  if (missing.length > 0) {
    throw new FaultError(
      'schema',
      `The tool also needs ${missing.join(', ')}; write ${missing.map((name) => `${name}=…`).join(' ')}.`,
    );
  }
}

type Branch = Map<string, Json | Branch>;

function splitWord(word: string): { readonly key: string; readonly text: string; readonly raw: boolean } {
  const at = word.indexOf('=');
  if (at < 1)
    throw new FaultError(
      'usage',
      `${JSON.stringify(word.slice(0, 40))} is no key=value; or give all arguments as --args '{…}'.`,
    );
  const raw = word[at - 1] === ':' && at > 1;
  return { key: word.slice(0, raw ? at - 1 : at), text: word.slice(at + 1), raw };
}

function findField(
  key: string,
  schema: JsonObject,
): { readonly path: readonly string[]; readonly schema: JsonObject | undefined } {
  const direct = propertyOf(schema, key);
  if (direct !== undefined || !key.includes('.')) {
    if (direct === undefined) assertAllowed(key, schema);
    return { path: [key], schema: direct };
  }
  const path = key.split('.');
  let at: JsonObject | undefined = schema;
  for (const step of path) {
    const next: JsonObject | undefined =
      at === undefined ? undefined : propertyOf(resolveReference(at, schema) ?? {}, step);
    if (next === undefined && at !== undefined) assertAllowed(step, at);
    at = next;
  }
  return { path, schema: at };
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const found = member(member(schema, 'properties'), name);
  return isObject(found) ? found : undefined;
}

function assertAllowed(key: string, schema: JsonObject): void {
  if (member(schema, 'additionalProperties') !== false) return;
  const properties = member(schema, 'properties');
  const known = isObject(properties) ? Object.keys(properties) : [];
  const near = nearestName(key, known);
  throw new FaultError(
    'schema',
    `The tool has no argument "${key}"${near === undefined ? `; it has ${known.join(', ') || 'none'}.` : `; did you mean "${near}"?`}`,
  );
}

/** Follows a local `$ref`, a bounded number of times. */
function resolveReference(schema: JsonObject | undefined, root: JsonObject): JsonObject | undefined {
  let at = schema;
  for (let hops = 0; hops < 16; hops++) {
    const reference = member(at, '$ref');
    if (typeof reference !== 'string') return at;
    if (!reference.startsWith('#/')) return undefined;
    const steps = reference.slice(2).split('/').map(fromStep);
    const found: Json | undefined = steps.reduce<Json | undefined>((node, step) => member(node, step), root);
    at = isObject(found) ? found : undefined;
  }
  return undefined;
}

function isList(schema: JsonObject | undefined, root: JsonObject): boolean {
  return typesOf(resolveReference(schema, root)).includes('array');
}

/** The types a schema allows, from `type`, `enum`, `const`, `anyOf` and `oneOf`; empty: anything. */
function typesOf(schema: JsonObject | undefined): readonly string[] {
  const type = member(schema, 'type');
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  const choices =
    member(schema, 'enum') ??
    (schema !== undefined && Object.hasOwn(schema, 'const') ? [member(schema, 'const') ?? null] : undefined);
  if (Array.isArray(choices))
    return [...new Set(choices.map((choice: Json) => (choice === null ? 'null' : typeof choice)))];
  const variants = member(schema, 'anyOf') ?? member(schema, 'oneOf');
  if (!Array.isArray(variants)) return [];
  return variants.flatMap((variant: Json) => (isObject(variant) ? typesOf(variant) : []));
}

/** Tried in this order: `string` takes everything, so it comes last. */
const READERS: ReadonlyMap<string, (text: string) => Json | undefined> = new Map<
  string,
  (text: string) => Json | undefined
>([
  ['null', (text) => (text === 'null' ? null : undefined)],
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : undefined)],
  ['integer', (text) => (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined)],
  ['number', (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined)],
  ['object', (text) => parseIf(text, isObject)],
  ['array', (text) => (text.startsWith('[') ? parseIf(text, Array.isArray) : undefined)],
  ['string', (text) => text],
]);

function coerce(key: string, text: string, schema: JsonObject | undefined): Json {
  const types = typesOf(schema);
  // Nothing is known: JSON where it is JSON, else text.
  if (types.length === 0) return parseIf(text, () => true) ?? text;
  for (const [type, read] of READERS) {
    if (!types.includes(type)) continue;
    const value = read(text);
    if (value !== undefined) return checkChoice(key, value, schema);
  }
  const items = member(schema, 'items');
  if (types.includes('array') && !text.startsWith('[')) return coerce(key, text, isObject(items) ? items : undefined);
  throw new FaultError('schema', `The argument "${key}" must be ${types.join(' or ')}.`);
}

function checkChoice(key: string, value: Json, schema: JsonObject | undefined): Json {
  const choices = member(schema, 'enum');
  if (!Array.isArray(choices) || choices.includes(value)) return value;
  const same = choices.find((choice: Json) => String(choice) === String(value));
  if (same !== undefined) return same;
  throw new FaultError(
    'schema',
    `The argument "${key}" must be one of ${choices.map((choice: Json) => JSON.stringify(choice)).join(', ')}.`,
  );
}

function parseIf(text: string, fits: (value: unknown) => boolean): Json | undefined {
  try {
    const value = JSON.parse(text) as Json; // JSON.parse gives nothing else
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseRaw(key: string, text: string): Json {
  const value = parseIf(text, () => true);
  if (value === undefined)
    throw new FaultError('usage', `What follows "${key}:=" is not JSON; use "${key}=" for text.`);
  return value;
}

function place(
  root: Branch,
  { path, key }: { readonly path: readonly string[]; readonly key: string },
  { value, gathers }: { readonly value: Json; readonly gathers: boolean },
): void {
  let at = root;
  for (const step of path.slice(0, -1)) {
    const next = at.get(step) ?? new Map();
    if (!(next instanceof Map)) throw new FaultError('usage', `The argument "${key}" is given twice.`);
    at.set(step, next);
    at = next;
  }
  const last = path.at(-1) ?? key;
  const standing = at.get(last);
  if (gathers) at.set(last, [...(Array.isArray(standing) ? (standing as readonly Json[]) : []), value]);
  else if (standing === undefined) at.set(last, value);
  else throw new FaultError('usage', `The argument "${key}" is given twice.`);
}

function toObject(branch: Branch): JsonObject {
  return Object.fromEntries([...branch].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]));
}
