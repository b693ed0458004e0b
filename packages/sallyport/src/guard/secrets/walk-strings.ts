import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** One text of a message. */
export interface PlacedText {
  readonly text: string;
  /** JSON pointer. */
  readonly pointer: string;
  /** The nearest name above it; of an element of a list the list's. */
  readonly field: string;
}

/** Deeper nesting is refused at the door; this is for those who come another way. */
const MAX_DEPTH = 600;

/** Visits every text of a message in the order it is written. Names of members are not visited. */
export function eachText(root: Json, visit: (placed: PlacedText) => void): void {
  walk(root, { pointer: '', field: '' }, { visit, depth: 0 });
}

interface Walk {
  readonly visit: (placed: PlacedText) => void;
  readonly depth: number;
}

function walk(value: Json | undefined, at: Omit<PlacedText, 'text'>, { visit, depth }: Walk): void {
  if (typeof value === 'string') visit({ text: value, ...at });
  else if (typeof value !== 'object' || value === null) return;
  else if (depth > MAX_DEPTH) throw new RangeError('nested too deep to be read');
  else if (Array.isArray(value))
    for (let i = 0; i < value.length; i++)
      walk(value[i], { pointer: `${at.pointer}/${i}`, field: at.field }, { visit, depth: depth + 1 });
  else if (!isBinary(value as JsonObject)) {
    const object = value as JsonObject; // True: neither a list nor null.
    for (const key of Object.keys(object))
      walk(object[key], { pointer: `${at.pointer}/${toStep(key)}`, field: key }, { visit, depth: depth + 1 });
  }
}

/** Pictures and sounds (MCP content of type image and audio): nothing in them is text. */
function isBinary(object: JsonObject): boolean {
  const { type, data } = object;
  return (type === 'image' || type === 'audio') && typeof data === 'string' && typeof object['mimeType'] === 'string';
}

/** RFC 6901. */
function toStep(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

/** A copy with some texts replaced, by JSON pointer; what holds none of them is not copied. */
export function replaceTexts(root: JsonObject, texts: ReadonlyMap<string, Json>): JsonObject {
  // An object stays one: only texts within it are replaced.
  return replace(root, '', texts) as JsonObject;
}

function replace(value: Json | undefined, pointer: string, texts: ReadonlyMap<string, Json>): Json | undefined {
  const replaced = texts.get(pointer);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) {
    const copy = value.map((one: Json, i) => replace(one, `${pointer}/${i}`, texts) as Json);
    return copy.some((one, i) => one !== value[i]) ? copy : value;
  }
  if (!isObject(value)) return value;
  let copy: Record<string, Json | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const member = replace(value[key], `${pointer}/${toStep(key)}`, texts);
    if (member === value[key]) continue;
    copy ??= Object.assign(Object.create(null) as Record<string, Json | undefined>, value);
    copy[key] = member;
  }
  return copy ?? value;
}

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @param edits in order and without overlaps */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
