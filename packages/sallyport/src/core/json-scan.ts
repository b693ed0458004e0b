/**
 * Finds where things stand in JSON bytes without building objects, so that a relay can replace a few members and
 * forward the rest exactly as it was written. Grammar is not checked here: `JSON.parse` does that on the same bytes.
 */

/** Half-open byte range `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One `"key": value` of an object; the span is the value's. */
export interface Member extends Span {
  readonly key: string;
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

/** Less than this between two edits is cheaper copied than written on its own. Bytes. */
const SMALL_PIECE = 256;
/** Short strings are walked byte by byte; from here on the native search is faster. */
const NATIVE_SEARCH_AFTER = 48;
const LONGEST_WALK = 4_096;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(bytes: Buffer, at: number): number {
  let i = at;
  while (isSpace(bytes[i])) i++;
  return i;
}

/** `at` is the opening quote; returns the index after the closing one, or the length when there is none. */
export function skipString(bytes: Buffer, at: number): number {
  const length = bytes.length;
  let i = at + 1;
  let walk = NATIVE_SEARCH_AFTER;
  let native = i + walk;
  while (i < length) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    i += byte === BACKSLASH ? 2 : 1;
    if (i < native) continue;
    // `i` is not inside an escape, so the backslashes right before a quote tell whether it ends the string.
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0) return length;
    let escapes = quote;
    while (escapes > i && bytes[escapes - 1] === BACKSLASH) escapes--;
    i = quote + 1;
    if ((quote - escapes) % 2 === 0) return i;
    // Where escapes are dense, each search would end after a few bytes.
    walk = Math.min(walk * 2, LONGEST_WALK);
    native = i + walk;
  }
  return length;
}

/** `at` is the first byte of a value; returns the index after its last one. Iterative: depth cannot exhaust the stack. */
export function skipValue(bytes: Buffer, at: number): number {
  const length = bytes.length;
  let i = at;
  let depth = 0;
  while (i < length) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = skipString(bytes, i);
      if (depth === 0) return i;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      i++;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return i;
      i++;
      if (--depth === 0) return i;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) {
      return i;
    } else {
      i++;
    }
  }
  return length;
}

/** Where each value of the object at `at` stands, in order. Empty when `at` is not an object. */
export function objectMembers(bytes: Buffer, at: number): Member[] {
  const members: Member[] = [];
  let i = skipSpace(bytes, at);
  if (bytes[i] !== OPEN_BRACE) return members;
  i = skipSpace(bytes, i + 1);
  while (i < bytes.length && bytes[i] === QUOTE) {
    const keyEnd = skipString(bytes, i);
    const key = decodeKey(bytes, i, keyEnd);
    i = skipSpace(bytes, keyEnd);
    if (bytes[i] !== COLON) break;
    const start = skipSpace(bytes, i + 1);
    const end = skipValue(bytes, start);
    members.push({ key, start, end });
    i = skipSpace(bytes, end);
    if (bytes[i] !== COMMA) break;
    i = skipSpace(bytes, i + 1);
  }
  return members;
}

/** Where each element of the array at `at` stands, in order. Empty when `at` is not an array. */
export function arrayElements(bytes: Buffer, at: number): Span[] {
  const elements: Span[] = [];
  let i = skipSpace(bytes, at);
  if (bytes[i] !== OPEN_BRACKET) return elements;
  i = skipSpace(bytes, i + 1);
  while (i < bytes.length && bytes[i] !== CLOSE_BRACKET) {
    const end = skipValue(bytes, i);
    elements.push({ start: i, end });
    i = skipSpace(bytes, end);
    if (bytes[i] !== COMMA) break;
    i = skipSpace(bytes, i + 1);
  }
  return elements;
}

/** Names that nearly every message has: told by their bytes, without a string and a pattern for each. By length. */
const COMMON: readonly (readonly string[] | undefined)[] = [
  ...[
    undefined,
    undefined,
    ['id'],
    undefined,
    ['name', 'type', 'text'],
    ['_meta', 'error'],
    ['method', 'params', 'result'],
  ],
  ...[['jsonrpc', 'content', 'isError'], undefined, ['arguments']],
];

function findCommon(bytes: Buffer, start: number, length: number): string | undefined {
  const names = COMMON[length];
  if (names === undefined) return undefined;
  next: for (const name of names) {
    for (let i = 0; i < length; i++) if (bytes[start + i] !== name.charCodeAt(i)) continue next;
    return name;
  }
  return undefined;
}

export function decodeKey(bytes: Buffer, start: number, end: number): string {
  const common = findCommon(bytes, start + 1, end - start - 2);
  if (common !== undefined) return common;
  const plain = bytes.toString('latin1', start + 1, end - 1);
  // An escaped or non-ASCII key must not slip past a comparison with its plain spelling.
  if (!/[\\\x80-\xff]/.test(plain)) return plain;
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    return plain;
  }
}

/** The number of own keys in all objects of a parsed value: fewer than the pairs written means a key stood twice. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countKeys(element);
    return count;
  }
  // Object.keys makes an array; what JSON.parse made inherits nothing that is enumerable.
  for (const key in value) {
    count++;
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object') count += countKeys(member);
  }
  return count;
}

/** One replacement in a byte string; an empty range inserts. */
export interface Edit extends Span {
  /** Binary string: one character per byte. Use {@link toBinary} for text that may not be ASCII. */
  readonly text: string;
}

/**
 * Applies edits (any order, not overlapping) to a binary string: one character per byte, to be written with the `latin1`
 * encoding. Binary strings keep a relay's bytes exact, and their pieces are put together without being copied.
 */
export function splice(text: string, edits: readonly Edit[]): string {
  let out = '';
  let at = 0;
  for (const edit of inOrder(edits)) {
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at);
}

function inOrder(edits: readonly Edit[]): readonly Edit[] {
  for (let i = 1; i < edits.length; i++) {
    // Both are there by the bounds of the loop.
    if ((edits[i - 1] as Edit).start > (edits[i] as Edit).start) return [...edits].sort((a, b) => a.start - b.start);
  }
  return edits;
}

/** Like {@link splice}, as bytes: one allocation, no decoding, for large answers. */
export function spliceBytes(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const ordered = inOrder(edits);
  let length = bytes.length;
  for (const edit of ordered) length += edit.text.length - (edit.end - edit.start);
  const out = Buffer.allocUnsafe(length);
  let from = 0;
  let to = 0;
  for (const edit of ordered) {
    to += bytes.copy(out, to, from, edit.start);
    to += out.write(edit.text, to, 'latin1');
    from = edit.end;
  }
  bytes.copy(out, to, from);
  return out;
}

/** Like {@link splice}, without copying what stays: pieces of `bytes` and new ones between them. */
export function spliceInPieces(bytes: Buffer, edits: readonly Edit[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  let text = '';
  for (const edit of inOrder(edits)) {
    if (edit.start - at > SMALL_PIECE) {
      if (text !== '') pieces.push(Buffer.from(text, 'latin1'));
      pieces.push(bytes.subarray(at, edit.start));
      text = '';
    } else text += bytes.toString('latin1', at, edit.start);
    text += edit.text;
    at = edit.end;
  }
  if (text !== '') pieces.push(Buffer.from(text, 'latin1'));
  pieces.push(bytes.subarray(at));
  return pieces;
}

/** Text as a binary string of its UTF-8 bytes. */
export function toBinary(text: string): string {
  return isAsciiText(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Short texts are walked: starting a pattern costs more. */
function isAsciiText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "every ASCII character".
  if (text.length > NATIVE_SEARCH_AFTER) return /^[\x00-\x7f]*$/.test(text);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** The text behind a binary string. */
export function fromBinary(binary: string): string {
  return Buffer.from(binary, 'latin1').toString('utf8');
}
