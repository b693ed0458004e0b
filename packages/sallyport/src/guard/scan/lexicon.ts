import { DEEDS, HINTS } from './hint-words.ts';
import { MATTERS } from './matter-words.ts';

/**
 * Words by what they are about, found by one look-up per word: cheaper than a pattern, as wide as need be, and nothing can be
 * slow. Reads canonical text.
 */
export type Matter = keyof typeof MATTERS;
export type Hint = keyof typeof HINTS;
export type Kind = Matter | Hint;

export interface WordHit {
  readonly start: number;
  readonly kind: Kind;
}

interface Phrase {
  readonly rest: readonly string[];
  readonly kind: Kind;
}

const PHRASES = new Map<string, Phrase[]>();
const STEMS = new Map<string, Kind[]>();
const HAN_KINDS = new Map<string, Kind[]>();
const MATTER_NAMES: ReadonlySet<Kind> = new Set(Object.keys(MATTERS) as Matter[]);
for (const [kind, { words, han }] of [...Object.entries(MATTERS), ...Object.entries(HINTS)] as [
  Kind,
  { readonly words: string; readonly han: string },
][]) {
  for (const word of words.split(' ')) {
    const [first = '', ...rest] = word.split('_');
    if (word.endsWith('*')) push(STEMS, word.slice(0, -1), kind);
    else for (const form of toForms(first)) push(PHRASES, form, { rest, kind });
  }
  for (const word of han.split(' ')) push(HAN_KINDS, word, kind);
}
const WORD = /[a-z](?:[a-z'-]{0,22}[a-z])?/g;
const HAN = new RegExp([...HAN_KINDS.keys()].sort((a, b) => b.length - a.length).join('|'), 'g');
const HAS_HAN = /\p{Script=Han}/u;
const NOT =
  /^(?:not|never|no|nothing|without|cannot|nor|neither|nie|nicht|kein|keine|ohne|ne|pas|sans|jamais|sin|nunca|non|senza|.{2,8}n't)$/;
const HAN_NOT = /[不勿别未無无禁]/;
/** So many words after a negation are denied. */
const REACH = 3;
const STEM_FROM = 3;
const STEM_TO = 9;

export function isMatter(kind: Kind): kind is Matter {
  return MATTER_NAMES.has(kind);
}

export function findWords(text: string): readonly WordHit[] {
  const hits: WordHit[] = [];
  let denied = 0;
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const [word] = match;
    const start = match.index;
    denied = NOT.test(word) ? REACH : denied - 1;
    const add = (kind: Kind) => {
      if (denied < 0 || !DEEDS.has(kind)) hits.push({ start, kind });
    };
    const phrases = PHRASES.get(word);
    if (phrases === undefined) for (const kind of stemKinds(word)) add(kind);
    else
      for (const { rest, kind } of phrases)
        if (rest.length === 0 || follows(text, start + word.length, rest)) add(kind);
  }
  if (HAS_HAN.test(text))
    for (const { 0: word, index } of text.matchAll(HAN))
      for (const kind of HAN_KINDS.get(word) ?? [])
        if (!DEEDS.has(kind) || !HAN_NOT.test(text.slice(Math.max(0, index - 3), index)))
          hits.push({ start: index, kind });
  return hits;
}

/** The words of a phrase, each after one character that is no letter. */
function follows(text: string, from: number, rest: readonly string[]): boolean {
  let at = from;
  for (const word of rest) {
    if (isLetter(text.charCodeAt(at)) || !text.startsWith(word, at + 1)) return false;
    at += 1 + word.length;
  }
  return !isLetter(text.charCodeAt(at)) || (text.charAt(at) === 's' && !isLetter(text.charCodeAt(at + 1)));
}

const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;

/** Remembered: texts repeat their words. Bounded, since strangers write them. */
const KNOWN = new Map<string, readonly Kind[]>();
const MAX_KNOWN = 16_384;

function stemKinds(word: string): readonly Kind[] {
  const known = KNOWN.get(word);
  if (known !== undefined) return known;
  const kinds: Kind[] = [];
  for (let length = STEM_FROM; length <= Math.min(word.length, STEM_TO + 4); length++)
    kinds.push(...(STEMS.get(word.slice(0, length)) ?? []));
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(word, kinds);
  return kinds;
}

/** send, sends, sended, sending; carry, carries, carried; put, putting: what is no word is in no text. */
function toForms(word: string): readonly string[] {
  const stem = word.slice(0, -1);
  const doubled = /[^aeiou][aeiou][bdgklmnprt]$/.test(word) ? word + word.slice(-1) : word;
  if (/[^a-z]/.test(word) || word.length < 3) return [word, `${word}s`];
  if (/[^aeiou]y$/.test(word)) return [word, `${stem}ies`, `${stem}ied`, `${word}ing`];
  if (word.endsWith('e')) return [word, `${word}s`, `${word}d`, `${stem}ing`];
  return [...new Set([word, `${word}s`, `${word}es`, `${word}ed`, `${word}ing`, `${doubled}ed`, `${doubled}ing`])];
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
