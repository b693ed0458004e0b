import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';

/** A longer answer than this is no receipt. Characters without spaces. */
const MAX_RECEIPT = 512;
/** Of the texts a call was given: more is not searched. */
const MAX_SEARCHED = 100_000;
/** So many characters in a row are no chance. */
const PIECE = 8;
const SHORTEST = 4;

/**
 * Might an answer say again what the call was given by a handle? A receipt ("sent") may be read; what is long, or holds a
 * piece of the text, is kept as the text is: else a model would read strangers' words by way of whoever was sent them.
 */
export function mayEcho(result: JsonObject, texts: readonly string[]): boolean {
  const said = fold(wordsOf(result));
  if (said.length > MAX_RECEIPT) return true;
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_SEARCHED) return true;
  return texts.some((text) => holdsPiece(said, fold(text)));
}

function holdsPiece(said: string, text: string): boolean {
  if (text.length < PIECE) return text.length >= SHORTEST && said.includes(text);
  for (let i = 0; i + PIECE <= said.length; i++) if (text.includes(said.slice(i, i + PIECE))) return true;
  return false;
}

/** All that can be read, names of members included; stops where it is too long anyway. */
function wordsOf(result: JsonObject): string {
  let all = '';
  const visit = (value: Json | undefined): void => {
    // Spaces and marks go when it is folded; four times as much is more than a receipt.
    if (all.length > 4 * MAX_RECEIPT) return;
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isObject(value))
      for (const [key, one] of Object.entries(value)) {
        all += key;
        visit(one);
      }
    else if (value !== null && value !== undefined) all += String(value);
  };
  const { content, structuredContent, ...others } = result;
  const items = Array.isArray(content) ? content : [content];
  // The type of a text is the protocol's word.
  for (const item of items) visit(isObject(item) && item['type'] === 'text' ? withoutType(item) : item);
  visit(structuredContent);
  visit(others);
  return all;
}

function withoutType({ type: _, ...item }: JsonObject): JsonObject {
  return item;
}

/** Case, spaces and marks are what mailers and lists change. */
function fold(text: string): string {
  return text.toLowerCase().replace(/[\s\p{P}\p{S}\p{Cf}]/gu, '');
}
