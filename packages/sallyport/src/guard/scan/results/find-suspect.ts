import type { Span } from '../../../core/json-scan.ts';
import { kindsOf } from './lexicon.ts';
import { IS_JOINED, IS_TAGGED, type Words } from './words.ts';

/**
 * Where a text is worth reading for signs: around a word for a model, what is called the reader's own ("your task"), what is
 * not to be told, and what sets a task aside. Most of most texts is none.
 */

/** Characters that are read before and behind such a word. */
const BEFORE = 80;
const AFTER = 280;
const MODELS = kindsOf('model');
const ALONE = kindsOf('suspect');
/** Of scripts without blanks: all that takes part. */
const JOINED = kindsOf('model', 'override', 'order', 'conceal', 'send', 'call', 'secret');
/** Words of the first stand soon before one of the second. */
const PAIRS: readonly (readonly [Uint8Array, Uint8Array])[] = [
  [
    kindsOf('your', 'you'),
    kindsOf('order', 'task', 'told', 'user', 'memory', 'duty', 'carry', 'drop', 'send', 'conceal'),
  ],
  [kindsOf('your'), kindsOf('response')],
  [kindsOf('you'), kindsOf('user_is', 'none')],
  [kindsOf('told', 'someone', 'user_is'), kindsOf('you')],
  [kindsOf('model'), kindsOf('respond', 'all', 'are')],
  [kindsOf('conceal'), kindsOf('user')],
  [kindsOf('none'), kindsOf('carry', 'duty')],
  [kindsOf('now'), kindsOf('respond')],
  [kindsOf('your', 'override', 'drop', 'stop', 'fresh'), kindsOf('order', 'task', 'tool')],
  [kindsOf('not', 'without'), kindsOf('conceal')],
  [kindsOf('made'), kindsOf('you')],
  [kindsOf('decode'), kindsOf('carry', 'obey', 'order', 'memory')],
  [kindsOf('must', 'now'), kindsOf('override', 'reveal')],
];
const HEAD = Uint8Array.from(ALONE, (_, kind) => (PAIRS.some(([heads]) => heads[kind] === 1) ? 1 : 0));
const FAR = 4;

/** In order, without overlaps. */
export function findSuspect(text: string, words: Words): readonly Span[] {
  const found: Span[] = [];
  let from = 0;
  let to = -1;
  for (let at = 0; at < words.count; at++) {
    if (!isSuspect(words, at) && !isCalled(text, words, at)) continue;
    const start = Math.max(0, (words.starts[at] ?? 0) - BEFORE);
    const end = Math.min(text.length, (words.ends[at] ?? 0) + AFTER);
    if (to >= 0 && start > to) found.push({ start: from, end: to });
    if (to < 0 || start > to) from = start;
    to = end;
  }
  if (to >= 0) found.push({ start: from, end: to });
  return found;
}

function isSuspect({ kinds, places, sentences, marks, count }: Words, at: number): boolean {
  const kind = kinds[at] ?? 0;
  const mark = marks[at] ?? 0;
  if (ALONE[kind] === 1 || (mark & IS_TAGGED) !== 0 || ((mark & IS_JOINED) !== 0 && JOINED[kind] === 1)) return true;
  if (HEAD[kind] !== 1) return false;
  for (let next = at + 1; next < count && next <= at + FAR; next++) {
    if (sentences[next] !== sentences[at] || (places[next] ?? 0) > (places[at] ?? 0) + FAR) return false;
    for (const [heads, tails] of PAIRS) if (heads[kind] === 1 && tails[kinds[next] ?? 0] === 1) return true;
  }
  return false;
}

const NEAR = kindsOf('must', 'reader', 'fresh');
const LED = kindsOf('if', 'all');
/** Characters. */
const LEAD = 24;
const TURNS =
  /(?:^|[\n.:;!?("*#>[{,—-])\s{0,3}(?:to|for|dear|hey|hi|hello|attention|attn|note|an|für|à|al|para|per)\s(?:\p{L}{1,9}\s){0,2}$|[@>\n]$/iu;

/** Is a model called, or told what it has to do? Most texts only speak of models. */
function isCalled(text: string, { kinds, places, sentences, starts, ends, count }: Words, at: number): boolean {
  if (MODELS[kinds[at] ?? 0] !== 1) return false;
  const end = ends[at] ?? 0;
  if (CALLS.has(text.charCodeAt(end)) || (text[end] === ' ' && CALLS.has(text.charCodeAt(end + 1)))) return true;
  const place = places[at] ?? 0;
  for (let next = at + 1; next < count && (places[next] ?? 0) <= place + 3 && sentences[next] === sentences[at]; next++)
    if (NEAR[kinds[next] ?? 0] === 1) return true;
  for (let last = at - 1; last >= 0 && (places[last] ?? 0) >= place - 3 && sentences[last] === sentences[at]; last--)
    if (LED[kinds[last] ?? 0] === 1) return true;
  return TURNS.test(text.slice(Math.max(0, (starts[at] ?? 0) - LEAD), starts[at]));
}

const CALLS = new Set([...':,!：，！、—'].map((one) => one.charCodeAt(0)));
