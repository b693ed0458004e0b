import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { type HandleStore, type KeptText, type Later, toHandle } from './handle.ts';

/** Deeper than this, output schemas of real servers declare nothing. */
const MAX_DEPTH = 16;
/** Of one result. Numbers, yes and no stay in the open, and enough of them spell a text: sixteen letters want nothing. */
const MAX_PLAIN = 16;
/** Of one answer. A handle is longer than the item it may stand for: more items are kept as one. */
const MAX_ITEMS = 256;

/** Makes of an answer what a model may read of it: each `keep` gives the handle for a text. */
export type ToVeiled = (keep: (text: string) => string) => JsonObject;

/** The answer with handles, once their texts are kept. */
export function keepTexts(
  handles: HandleStore,
  { run, upstream }: { readonly run: string; readonly upstream: string },
  toVeiled: ToVeiled,
): Later<JsonObject> {
  const texts = new Map<string, KeptText>();
  const veiled = toVeiled((text) => {
    const id = handles.newId();
    texts.set(id, { text, upstream });
    return toHandle(id);
  });
  const kept = handles.keep(run, texts);
  return kept instanceof Promise ? kept.then(() => veiled) : veiled;
}

/** The result of a tool with a handle for every text of the server; what says nothing by itself (yes, no, numbers, a few of them) stays. */
export function veilResult(result: JsonObject, outputSchema: Json | undefined): ToVeiled {
  return (keep) => {
    const structured = result['structuredContent'];
    const counted = { plain: MAX_PLAIN, texts: MAX_ITEMS };
    const veiled =
      isObject(outputSchema) && isObject(structured)
        ? veil(structured, outputSchema, { keep, depth: 0, counted })
        : undefined;
    return {
      // Members this version does not know may hold texts as well.
      ...pick(result),
      content: objectsOf(result['content']).map((item) => ({ type: 'text', text: describe(item, keep) })),
      ...(veiled === undefined ? {} : { structuredContent: veiled }),
    };
  };
}

/** What resources/read gave (MCP resources#reading-resources). @param uri as it was asked for: what the server writes there are its words */
export function veilContents(result: JsonObject, uri: string): ToVeiled {
  return (keep) => ({
    ...pick(result),
    contents: objectsOf(result['contents']).map((item) => ({
      uri,
      mimeType: 'text/plain',
      text: describe({ ...item, type: 'resource' }, keep),
    })),
  });
}

/** What prompts/get gave (MCP prompts#getting-a-prompt). */
export function veilMessages(result: JsonObject): ToVeiled {
  return (keep) => ({
    ...pick(result),
    messages: objectsOf(result['messages']).map(({ role, content }) => ({
      role: role === 'assistant' ? role : 'user',
      content: { type: 'text', text: describe(isObject(content) ? content : { content: content ?? null }, keep) },
    })),
  });
}

function pick(result: JsonObject): JsonObject {
  const known = (['isError', 'resultType'] as const).filter(
    (key) => Object.hasOwn(result, key) && (result[key] === true || result[key] === 'complete'),
  );
  return Object.fromEntries(known.map((key) => [key, result[key]])) as JsonObject; // true or a text of ours
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  const all = Array.isArray(value) ? value.filter(isObject) : [];
  return all.length <= MAX_ITEMS ? all : [...all.slice(0, MAX_ITEMS - 1), { rest: all.slice(MAX_ITEMS - 1) }];
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

function describe(item: JsonObject, keep: (text: string) => string): string {
  const { type, text, data, blob } = item;
  const whole = [text, data, blob].find((one) => typeof one === 'string');
  const kept = typeof whole === 'string' ? whole : JSON.stringify(item);
  const kind = KINDS.has(type) ? String(type) : 'content';
  return `${keep(kept)} (${kind}, at most ${toSize(kept.length)} characters; use the handle alone as an argument)`;
}

/** A power of ten: exact sizes of many items would be numbers that spell a text. */
function toSize(length: number): number {
  let size = 10;
  while (size < length) size *= 10;
  return size;
}

interface Veil {
  readonly keep: (text: string) => string;
  readonly depth: number;
  readonly counted: { plain: number; texts: number };
}

/** Only what the approved output schema declares keeps its name: names are texts of the server, too. */
function veil(value: Json, schema: Json | undefined, { keep, depth, counted }: Veil): Json {
  if (typeof value === 'string') return counted.texts-- > 0 ? keep(value) : null;
  if (typeof value !== 'object' || value === null) return counted.plain-- > 0 ? value : null;
  const declared = isObject(schema) ? schema : {};
  const deeper = { keep, depth: depth + 1, counted };
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((one) => veil(one, declared['items'], deeper));
  const properties = isObject(declared['properties']) ? declared['properties'] : {};
  const members = Object.entries(value)
    .filter(([key]) => Object.hasOwn(properties, key))
    .map(([key, one]): [string, Json] => [key, veil(one ?? null, properties[key], deeper)]);
  return Object.fromEntries(members);
}
