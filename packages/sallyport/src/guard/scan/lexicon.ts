import { addTo } from '../../core/add-to.ts';
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
    if (word.endsWith('*')) addTo(STEMS, word.slice(0, -1), kind);
    else for (const form of toForms(first)) addTo(PHRASES, form, { rest, kind });
  }
  for (const word of han.split(' ')) addTo(HAN_KINDS, word, kind);
}
const HAN = new RegExp([...HAN_KINDS.keys()].sort((a, b) => b.length - a.length).join('|'), 'g');
const HAS_HAN = /\p{Script=Han}/u;
const NOT: ReadonlySet<string> = new Set(
  'not never no nothing without cannot nor neither nie nicht kein keine ohne ne pas sans jamais sin nunca non senza'.split(
    ' ',
  ),
);
const HAN_NOT = /[不勿别未無无禁]/;
/** So many words after a negation are denied. */
const REACH = 3;
const STEM_FROM = 3;

export function isMatter(kind: Kind): kind is Matter {
  return MATTER_NAMES.has(kind);
}

export function findWords(text: string): readonly WordHit[] {
  const hits: WordHit[] = [];
  let denied = 0;
  for (let start = 0; start < text.length; start++) {
    if (!isLetter(text.charCodeAt(start))) continue;
    let end = start + 1;
    while (isInside(text.charCodeAt(end))) end++;
    const word = text.slice(start, end);
    const { phrases, isNot } = entryOf(word);
    denied = isNot ? REACH : denied - 1;
    for (const { rest, kind } of phrases)
      if ((denied < 0 || !DEEDS.has(kind)) && (rest.length === 0 || follows(text, end, rest)))
        hits.push({ start, kind });
    start = end;
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

/** As `don't` and `e-mail` are one word. */
const isInside = (code: number) => isLetter(code) || code === 0x27 || code === 0x2d;

interface Entry {
  readonly phrases: readonly Phrase[];
  readonly isNot: boolean;
}

/** Remembered: texts repeat their words. Bounded, since strangers write them. */
const KNOWN = new Map<string, Entry>();
const MAX_KNOWN = 16_384;
const MAX_WORD = 40;

function entryOf(written: string): Entry {
  const known = KNOWN.get(written);
  if (known !== undefined) return known;
  const word = written.slice(0, MAX_WORD).replace(/['-]{1,40}$/, '');
  const phrases = [...(PHRASES.get(word) ?? [])];
  for (let length = STEM_FROM; length <= word.length && phrases.length === 0; length++)
    for (const kind of STEMS.get(word.slice(0, length)) ?? []) phrases.push({ rest: [], kind });
  const entry = { phrases, isNot: NOT.has(word) || word.endsWith("n't") };
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  if (written.length <= MAX_WORD) KNOWN.set(written, entry);
  return entry;
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
