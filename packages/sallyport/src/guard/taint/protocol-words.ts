import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** Words that MCP itself puts under these names: they are nobody's data, and stand in every result and every answer. */
const WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['type', new Set(['text', 'image', 'audio', 'resource', 'resource_link', 'tool_use', 'tool_result'])],
  ['role', new Set(['user', 'assistant'])],
  ['action', new Set(['accept', 'decline', 'cancel'])],
  ['stopReason', new Set(['endTurn', 'stopSequence', 'maxTokens', 'toolUse'])],
]);

export function isProtocolWord(key: string, text: string): boolean {
  return WORDS.get(key)?.has(text) === true;
}

/** A copy without them; what is left stands where it stood. */
export function withoutProtocolWords(value: JsonObject): JsonObject {
  return strip(value) as JsonObject; // an object stays one
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => strip(one));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, one]) => one !== undefined && !(typeof one === 'string' && isProtocolWord(key, one)),
  );
  return Object.fromEntries(kept.map(([key, one]) => [key, strip(one as Json)])); // left out above
}
