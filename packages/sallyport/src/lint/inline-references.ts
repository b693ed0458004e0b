import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { mapInner } from './walk-schema.ts';

/** What a reference may say beside itself: it replaces what its target says. */
const WORDS = new Set(['description', 'title', 'default', 'examples', 'deprecated']);
/** They change what a reference points to. */
const ANCHORS = /"\$(?:id|anchor|dynamicRef|dynamicAnchor|recursiveRef|recursiveAnchor)":/;
/** A schema that names its parts ten times is ten times as long; beyond this it stays as it is. */
const MAX_SCHEMAS = 2_000;
const MAX_DEPTH = 32;

/** Thrown and caught in this file only. */
class CannotInlineError extends Error {}

/**
 * The schema with every `$ref` replaced by its target and without `$defs`.
 * `undefined`: there is no reference, or one is recursive, external, or says more than its target can take.
 */
export function inlineReferences(root: Json | undefined): JsonObject | undefined {
  if (!isObject(root)) return undefined;
  const text = JSON.stringify(root);
  if (!text.includes('"$ref":') || ANCHORS.test(text)) return undefined;
  let left = MAX_SCHEMAS;
  const inline = (schema: Json, from: readonly string[]): Json => {
    if (!isObject(schema)) return schema;
    if (--left < 0 || from.length > MAX_DEPTH) throw new CannotInlineError();
    const ref = member(schema, '$ref');
    if (ref === undefined) return mapInner(schema, (inner) => inline(inner, from));
    if (typeof ref !== 'string' || from.includes(ref)) throw new CannotInlineError();
    const target = inline(resolve(root, ref), [...from, ref]);
    const { $ref: _, ...beside } = schema;
    if (!isObject(target)) throw new CannotInlineError();
    if (Object.keys(beside).some((key) => !WORDS.has(key) && member(target, key) !== undefined))
      throw new CannotInlineError();
    return { ...target, ...mapInner(beside, (inner) => inline(inner, from)) };
  };
  try {
    const { $defs: _defs, definitions: _definitions, ...written } = inline(root, []) as JsonObject;
    return JSON.stringify(written) === text ? undefined : written;
  } catch (error) {
    if (error instanceof CannotInlineError) return undefined;
    throw error;
  }
}

/** @throws CannotInlineError when the reference leads elsewhere, or nowhere */
function resolve(root: JsonObject, ref: string): Json {
  if (!ref.startsWith('#/')) throw new CannotInlineError();
  let found: Json | undefined = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = Array.isArray(found) ? (found as readonly Json[])[Number(key)] : member(found, key);
  }
  if (found === undefined) throw new CannotInlineError();
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
