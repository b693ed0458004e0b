import type { JsonObject } from '../../core/json.ts';

/** A result of a call: one text. */
export function toText(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/** What the model can correct (MCP tools#error-handling). */
export function toMistake(text: string): JsonObject {
  return { ...toText(text), isError: true };
}
