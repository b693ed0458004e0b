import type { Leaf } from './walk-leaves.ts';

/** Words that MCP itself puts under these names: they are nobody's data, and stand in every result and every answer. */
const WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['type', new Set(['text', 'image', 'audio', 'resource', 'resource_link', 'tool_use', 'tool_result'])],
  ['role', new Set(['user', 'assistant'])],
  ['action', new Set(['accept', 'decline', 'cancel'])],
  ['stopReason', new Set(['endTurn', 'stopSequence', 'maxTokens', 'toolUse'])],
]);

/** Names of members of answers to servers' questions, as long as data (`walk-leaves.ts`). */
const NAMES: ReadonlySet<string> = new Set([
  ...['action', 'content', 'stopReason', 'mimeType', 'annotations', 'resource', 'toolUseId', 'structuredContent'],
  ...['isError', 'message'],
]);

export function isProtocolWord(key: string, text: string): boolean {
  return WORDS.get(key)?.has(text) === true;
}

/** Is it what the protocol says of an answer, and not what the answer says? */
export function isOfProtocol({ key, text, isName }: Leaf): boolean {
  return isName ? NAMES.has(text) : isProtocolWord(key, text);
}
