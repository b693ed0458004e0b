import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { toStep } from '../../core/json-pointer.ts';

/** One text of a message. */
export interface PlacedText {
  readonly text: string;
  /** JSON pointer. */
  readonly pointer: string;
  /** The nearest name above it; of an element of a list the list's. */
  readonly field: string;
}

/** A text, or what else of a message may say something. */
export interface PlacedValue extends PlacedText {
  readonly form: 'text' | 'name' | 'number' | 'flag';
}

/** Deeper nesting is refused at the door; this is for those who come another way. */
export const MAX_DEPTH = 600;

/** Visits every text of a message in the order it is written. Names of members are not visited. */
export function eachText(root: Json, visit: (placed: PlacedText) => void): void {
  walk(root, ROOT, { visit, hasAll: false });
}

/**
 * Visits everything of a message that can hold a secret: a key may be the name of a member, a card or a PIN a number. A
 * name has the pointer of its member.
 */
export function eachValue(root: Json, visit: (placed: PlacedValue) => void): void {
  walk(root, ROOT, { visit, hasAll: true });
}

interface Place extends Omit<PlacedText, 'text'> {
  readonly depth: number;
}

const ROOT: Place = { pointer: '', field: '', depth: 0 };

interface Walk {
  readonly visit: (placed: PlacedValue) => void;
  readonly hasAll: boolean;
}

function walk(value: Json | undefined, { pointer, field, depth }: Place, how: Walk): void {
  const { visit, hasAll } = how;
  if (typeof value === 'string') visit({ text: value, pointer, field, form: 'text' });
  else if (hasAll && typeof value === 'number') visit({ text: String(value), pointer, field, form: 'number' });
  else if (hasAll && typeof value === 'boolean') visit({ text: String(value), pointer, field, form: 'flag' });
  else if (typeof value !== 'object' || value === null) return;
  else if (depth > MAX_DEPTH) throw new RangeError('nested too deep to be read');
  else if (Array.isArray(value))
    for (let i = 0; i < value.length; i++) walk(value[i], { pointer: `${pointer}/${i}`, field, depth: depth + 1 }, how);
  else {
    const object = value as JsonObject; // True: neither a list nor null.
    for (const key of Object.keys(object)) {
      if (key === 'data' && isPicture(object)) continue;
      const inner = `${pointer}/${toStep(key)}`;
      if (hasAll) visit({ text: key, pointer: inner, field: '', form: 'name' });
      walk(object[key], { pointer: inner, field: key, depth: depth + 1 }, how);
    }
  }
}

/** PNG, JPEG, GIF, RIFF (WebP, WAV), MP3, Ogg, FLAC, MP4 and AAC, by the base64 of how they begin. */
const MEDIA = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|SUQz|\/\/[sPuvQ]|T2dnUw|ZkxhQw|AAAA[A-Za-z0-9+/]{2}Z0eX)/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Pictures and sounds (MCP content of type image and audio): nothing in their data is text. What only says so is read. */
function isPicture({ type, data }: JsonObject): boolean {
  return (type === 'image' || type === 'audio') && typeof data === 'string' && MEDIA.test(data) && BASE64.test(data);
}

/** Where a value stands in a map of replacements: a name beside the value it names. */
export function toPlace({ pointer, form }: Pick<PlacedValue, 'pointer' | 'form'>): string {
  // A pointer is empty or begins with a slash.
  return form === 'name' ? `#${pointer}` : pointer;
}

/** A copy with some values and names replaced, by {@link toPlace}; what holds none of them is not copied. */
export function replaceTexts(root: JsonObject, texts: ReadonlyMap<string, string>): JsonObject {
  // An object stays one: only texts within it are replaced.
  return replace(root, '', texts) as JsonObject;
}

function replace(value: Json | undefined, pointer: string, texts: ReadonlyMap<string, string>): Json | undefined {
  const replaced = texts.get(pointer);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) {
    const copy = value.map((one: Json, i) => replace(one, `${pointer}/${i}`, texts) as Json);
    return copy.some((one, i) => one !== value[i]) ? copy : value;
  }
  if (!isObject(value)) return value;
  const copy = Object.create(null) as Record<string, Json | undefined>;
  let isChanged = false;
  for (const key of Object.keys(value)) {
    const at = `${pointer}/${toStep(key)}`;
    const name = texts.get(`#${at}`) ?? key;
    const member = replace(value[key], at, texts);
    isChanged ||= name !== key || member !== value[key];
    copy[name === key ? key : toFreeName(name, value, copy)] = member;
  }
  return isChanged ? copy : value;
}

/** Two names may be removed for the same reason; none may take the place of another member. */
function toFreeName(name: string, before: JsonObject, copy: Readonly<Record<string, unknown>>): string {
  let free = name;
  for (let i = 2; Object.hasOwn(copy, free) || Object.hasOwn(before, free); i++) free = `${name} ${i}`;
  return free;
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
