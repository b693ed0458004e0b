import { isObject, type Json, type JsonObject } from '../core/json.ts';

/**
 * The union of what servers declare: objects member by member, flags that any of them sets. Of values that cannot be
 * united the first counts.
 */
export function mergeCapabilities(all: readonly JsonObject[]): JsonObject {
  let merged: JsonObject = {};
  for (const capabilities of all) merged = mergeObjects(merged, capabilities);
  return merged;
}

function mergeObjects(one: JsonObject, other: JsonObject): JsonObject {
  const merged = new Map<string, Json | undefined>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const present = merged.get(key);
    if (isObject(present) && isObject(value)) merged.set(key, mergeObjects(present, value));
    else if (present === undefined || (present === false && value === true)) merged.set(key, value);
  }
  // fromEntries defines members: a key like __proto__ stays a plain one.
  return Object.fromEntries(merged);
}

/** Each server's instructions under a heading with its name, so that a model knows whom they concern. */
export function joinInstructions(
  parts: readonly { readonly server: string; readonly instructions: string | undefined }[],
): string | undefined {
  const written = parts.filter((part) => part.instructions !== undefined && part.instructions.trim() !== '');
  if (written.length === 0) return undefined;
  return written.map(({ server, instructions }) => `## ${server}\n\n${instructions?.trim()}`).join('\n\n');
}
