import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Span } from '../../core/json-scan.ts';
import { OUTCOME_WORDS } from './outcome-words.ts';

/**
 * The parts of a text that only repeat the arguments of its own call, in order and without overlaps. Whoever made the call
 * wrote them, so they are not untrusted content: an echo, a file as it was written, an error that quotes its argument.
 */
export function ownSpans(text: string, args: JsonObject): readonly Span[] {
  if (text.length > MAX_TEXT) return NONE;
  const spans: Span[] = [];
  let left = MAX_SPANS;
  for (const own of ownOf(args).texts) {
    if (own.trim().length < MIN_OWN) continue;
    const head = own.slice(0, HEAD);
    for (let at = text.indexOf(head); at >= 0 && left > 0; at = text.indexOf(head, at + 1)) {
      left--;
      const end = endOfRepeat(text, at, own);
      // Servers quote long values cut off; a short one is repeated whole or not at all.
      if (end - at < own.length && end - at < MIN_CUT) continue;
      spans.push({ start: at, end });
      at = end - 1;
    }
  }
  return merge(spans);
}

/** The same text with blanks where it repeats the arguments; places stay as they were. */
export function withoutOwnWords(text: string, args: JsonObject): string {
  const spans = ownSpans(text, args);
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { start, end } of spans) {
    out += text.slice(at, start) + ' '.repeat(end - start);
    at = end;
  }
  return out + text.slice(at);
}

/**
 * Does the text only say that the call worked or failed: "Successfully wrote to notes/a.md", "ENOENT: no such file or
 * directory, open '/home/ada/notes/b.md'"? Beside the caller's own words it then has only words that say how calls end, local
 * paths to the file that was named, and small numbers. Such a text gives no order and names no recipient.
 * @param strip takes out what else is no content, such as times
 */
export function isBareOutcome(text: string, args: JsonObject, strip?: (rest: string) => string): boolean {
  if (text.length > MAX_OUTCOME) return false;
  const others = withoutOwnWords(withoutOwnPaths(text, args), args);
  const rest = strip === undefined ? others : strip(others);
  const { words: own } = ownOf(args);
  WORD.lastIndex = 0;
  for (let count = 0; ; count++) {
    const word = WORD.exec(rest)?.[0];
    if (word === undefined) return !VALUE.test(rest);
    const plain = word.toLowerCase();
    const isKnown = OUTCOME_WORDS.has(plain) || own.has(plain) || SMALL_NUMBER.test(plain) || CODE.test(word);
    if (!isKnown || count === MAX_WORDS) return false;
  }
}

const NONE: readonly Span[] = Object.freeze([]);
/** Larger texts are read as what the server sent. Characters. */
const MAX_TEXT = 1_048_576;
const MAX_OWN_TEXTS = 64;
const MAX_SPANS = 2_000;
/** A shorter value, such as "a" or "on", is in most texts by chance. */
const MIN_OWN = 4;
const HEAD = 40;
const MIN_CUT = 40;
const MAX_OUTCOME = 1_000;
const MAX_WORDS = 60;
const WORD = /[\p{L}\p{N}]+/gu;
const SMALL_NUMBER = /^\d{1,6}(?:ms|s|kb|mb|b|px)?$/;
/** Names of system errors and of error classes: ENOENT, EACCES, E404, NotFoundError. */
const CODE = /^(?:E[A-Z]{3,15}|ERR|E?\d{3}|[A-Z][a-z]+(?:[A-Z][a-z]+){0,3}(?:Error|Exception))$/;
/** Addresses of mail, links and signs beyond those of messages are values, and say more than that a call ended. */
const VALUE = /@|:\/\/|www\.|[^\p{L}\p{N}\p{P}\p{Zs}\s=<>|+$^~`]/u;

interface Own {
  /** The values of the arguments, and each as it is written inside JSON. */
  readonly texts: readonly string[];
  /** In lower case. */
  readonly words: ReadonlySet<string>;
}

/** Asked for with each text of a result. */
const known = new WeakMap<JsonObject, Own>();

function ownOf(args: JsonObject): Own {
  let own = known.get(args);
  if (own === undefined) {
    const texts = textsOf(args);
    own = { texts, words: new Set(texts.flatMap((one) => one.toLowerCase().match(WORD) ?? [])) };
    known.set(args, own);
  }
  return own;
}

function textsOf(args: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (value: Json | undefined): void => {
    if (found.length >= MAX_OWN_TEXTS) return;
    if (typeof value === 'string' || typeof value === 'number') add(String(value));
    else if (Array.isArray(value)) for (const one of value) visit(one as Json);
    else if (isObject(value)) for (const one of Object.values(value)) visit(one);
  };
  const add = (text: string): void => {
    if (text.trim() === '') return;
    found.push(text);
    const escaped = JSON.stringify(text).slice(1, -1);
    if (escaped !== text) found.push(escaped);
  };
  visit(args);
  return found;
}

function endOfRepeat(text: string, at: number, own: string): number {
  if (text.startsWith(own, at)) return at + own.length;
  let length = 0;
  while (length < own.length && text.charCodeAt(at + length) === own.charCodeAt(length)) length++;
  return at + length;
}

/** A server resolves "notes/a.md" to "/home/ada/notes/a.md": a local path that ends with the named one is the same file. */
function withoutOwnPaths(text: string, args: JsonObject): string {
  if (!SEPARATOR.test(text)) return text;
  const names = ownOf(args).texts.map((one) => one.replace(/^(?:\.\/)+/, ''));
  return text.replace(LOCAL_PATH, (path) => {
    const isOwn = names.some(
      (name) => name !== '' && (path.endsWith(`/${name}`) || path === name || name.includes(path)),
    );
    return isOwn ? ' '.repeat(path.length) : path;
  });
}

const SEPARATOR = /[\\/]/;
const LOCAL_PATH = /(?<![\p{L}\p{N}/:.])(?:~|\.\.?|[A-Za-z]:)?[\\/][^\s'"`<>|]{0,400}(?<![.,:;)\]])/gu;

function merge(spans: Span[]): readonly Span[] {
  spans.sort((a, b) => a.start - b.start);
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
