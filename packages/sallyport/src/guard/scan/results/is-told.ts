/**
 * Is something demanded of the reader, or told of somebody? "Ignore all previous instructions" is a demand; "attackers who
 * ignore instructions" and a phrase in quotation marks are not. Texts about attacks are full of both.
 */

/** A quotation longer than this is a text of its own. */
const MAX_QUOTE = 240;
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
  ['「', '」'],
]);

/** Words before a verb that make it somebody's: what "they", "which" or "attempts to" do is not asked of the reader. */
const TELLING: ReadonlySet<string> = new Set(
  (
    'to can could may might would will shall should cannot that which who they it or not never dont without by of for from not ' +
    'attackers attacker users agents models llms adversaries injections prompts the a an this these is are was were'
  ).split(' '),
);
const ADDRESSED =
  /\b(?:you|assistant|agent|ai|please|must|need|have|task\s{1,8}is|job\s{1,8}is|goal\s{1,8}is|instructed|asked|told)\s{1,8}to\s{0,8}$/i;

/** Does the word at `start` demand, as the words before it have it? */
export function isDemanded(text: string, start: number): boolean {
  // A noun: "override of the cache".
  if (/^\p{L}{2,20} of\b/u.test(text.slice(start, start + 24))) return false;
  const before = text.slice(Math.max(0, start - 40), start);
  const word = /([\p{L}'’]{1,20})[ \t]{1,3}$/u.exec(before)?.[1];
  if (word === undefined) return true;
  const plain = word.toLowerCase().replace(/['’]/, '');
  if (!TELLING.has(plain)) return true;
  return plain === 'to' && ADDRESSED.test(before);
}

/**
 * Does this part stand in quotation marks within a sentence? The value of a member of JSON does not.
 * @param isReport the words before it tell of attacks, so that a colon before the quotation marks introduces an example
 */
export function isQuoted(text: string, start: number, end: number, isReport = false): boolean {
  const from = Math.max(0, start - MAX_QUOTE);
  for (let i = start - 1; i >= from; i--) {
    const open = text[i] ?? '';
    if (open === '\n') return false;
    const close = QUOTES.get(open);
    if (close === undefined) continue;
    // Pairs of their own show by themselves where they end; an apostrophe does not.
    const isPair = close !== open && close !== '’';
    if (
      !isPair &&
      !(open === '`' && text[i - 1] === ' ') &&
      !opensQuotation(text, i) &&
      !(isReport && isExample(text, i))
    )
      continue;
    const stop = isPair ? endOfPair(text, i + 1, close) : endOfQuotation(text, i + 1, close);
    // It ended before: what follows stands outside.
    if (stop < end) continue;
    return stop - i <= MAX_QUOTE && !text.slice(i, stop).includes('\n');
  }
  return false;
}

/** An apostrophe within a word ends nothing. Past the text where nothing does. */
function endOfQuotation(text: string, from: number, close: string): number {
  const stop = Math.min(text.length, from + MAX_QUOTE * 2);
  for (let i = from; i < stop; i++) if (text[i] === close && !/[\p{L}\p{N}]/u.test(text[i + 1] ?? '')) return i;
  return text.length + MAX_QUOTE * 2;
}

function endOfPair(text: string, from: number, close: string): number {
  const stop = text.slice(from, from + MAX_QUOTE).indexOf(close);
  return stop < 0 ? text.length + MAX_QUOTE * 2 : from + stop;
}

/** After a word or a bracket, and right before one: after a colon, a comma or a brace it begins a value. */
export function opensQuotation(text: string, at: number): boolean {
  const next = text[at + 1];
  if (next === undefined || next === ' ' || next === '\n') return false;
  const before = text[at - 1];
  // Function calls and bracketed remarks quote; so do raw strings of programs.
  if (before === '(' || before === '#' || before === '*' || before === '|') return true;
  if (before !== ' ') return false;
  let i = at - 2;
  while (i >= 0 && text[i] === ' ') i--;
  // In prose a comma before a quotation follows a word; in data it follows a value.
  if (text[i] === ',') return /\p{Ll}/u.test(text[i - 1] ?? '');
  return i >= 0 && /[\p{L}\p{N}=)|–—-]/u.test(text[i] ?? '');
}

/** After a colon that ends a clause: `a common pattern is: "…"`, not `"message": "…"` or `message: "…"`. */
function isExample(text: string, at: number): boolean {
  return /\p{L} \p{L}{1,20}: $/u.test(text.slice(Math.max(0, at - 40), at));
}

/** Does it run over a list of quotations? Phrases that are listed make no sentence with each other. */
export function isListed(part: string): boolean {
  return /["'`”](?:\s?[,|]\s?|\s(?:or|and)\s)["'`“]/.test(part);
}

const MAX_FENCES = 1_000;

/** The fenced blocks of a text in Markdown, looked for when somebody asks. */
export class Fences {
  readonly #text: string;
  #places: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Is this place within one? */
  has(at: number): boolean {
    this.#places ??= placesOf(this.#text);
    let before = 0;
    for (const place of this.#places) if (place < at) before++;
    return before % 2 === 1;
  }
}

function placesOf(text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf('```'); at >= 0 && places.length < MAX_FENCES; at = text.indexOf('```', at + 3))
    places.push(at);
  return places;
}

/** A regular expression that looks for such words. */
export function isPattern(part: string): boolean {
  return /\)\?|\(\?[:i]|\\[bsw]|\w\|\w/.test(part);
}
