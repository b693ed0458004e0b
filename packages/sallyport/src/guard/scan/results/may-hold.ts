import { mayBeFilled } from './find-filled.ts';
import { knowWord, mayBeWord } from './know-words.ts';
import { kindsOf } from './lexicon.ts';

/**
 * Can there be anything to find in these bytes of JSON? Made for large results that are data: numbers, keys, identifiers.
 * False is certain for what `scan-text.ts` looks for; true costs a parse and a scan.
 */
export function mayHoldDemand(message: Buffer): boolean {
  const text = message.toString('latin1');
  if (isSuspicious(text, true) || text.includes('](') || text.includes('"resource')) return true;
  return hasSeveralTexts(text);
}

/** A demand may be cut in two, in the middle of the word that tells. */
function hasSeveralTexts(text: string): boolean {
  let at = -1;
  for (let count = 0; count < 3; count++) {
    at = text.indexOf('"text"', at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The same for one text that stands alone. */
export function mayTextHoldDemand(text: string): boolean {
  return isSuspicious(text, false) || text.includes('](') || text.includes('\n');
}

/** @param isJson only what stands in its strings can be codes of characters: lists of numbers are data */
function isSuspicious(text: string, isJson: boolean): boolean {
  const { length } = text;
  let run = 0;
  let singles = 0;
  let codes = 0;
  let isInString = !isJson;
  for (let i = 0; i < length; ) {
    const seen = CLASSES[text.charCodeAt(i)] ?? DOUBT;
    if (seen === OTHER) {
      run = 0;
      i++;
      continue;
    }
    if (seen === DOUBT) return true;
    if (seen === BACKSLASH) {
      if (isEscape(text, i + 1)) return true;
      // A line of a wrapped block goes on in the next one.
      if (run < MIN_LINE) run = 0;
      if (isLine(text, i + 1)) {
        if (isPivot(wordAt(text, i + 2))) return true;
        i += 1;
      }
      i += 2;
      continue;
    }
    if (seen !== WORD) {
      run = seen === JOINT ? run + 1 : 0;
      if (seen === QUOTE && isJson) {
        isInString = !isInString;
        codes = 0;
      }
      i += 1;
      continue;
    }
    let end = i + 1;
    while (CLASSES[text.charCodeAt(end)] === WORD) end++;
    const size = end - i;
    run += size;
    // Blocks of encoded text, words run together, letters one by one.
    if (run >= MAX_RUN || (size >= RUN_TOGETHER && LETTERS.test(text.slice(i, end)))) return true;
    singles = size === 1 ? singles + 1 : 0;
    codes = isInString && isCode(text, i, size) ? codes + 1 : 0;
    if (singles >= MAX_SINGLES || codes >= MAX_CODES) return true;
    if (size > 1) {
      const [from, to] = [startOfWord(text, i), endOfWord(text, end)];
      if ((mayBeWord(text, from, to - from) || isDisguise(text, i, end)) && isPivot(text.slice(from, to))) return true;
    }
    if (size >= MIN_SENTENCE && isSentence(text.slice(i, Math.min(end, i + MAX_SENTENCE)))) return true;
    i = end;
  }
  return TURNS.test(text) || MEMBERS.test(text) || mayBeFilled(text);
}

const UNDERSCORE = 0x5f;
/** The rest of a colour whose first character got lost: `[31mword`. */
const COLOUR = /\d{1,3}m/y;

/** Where a word begins behind signs of emphasis, or behind a colour. */
function startOfWord(text: string, at: number): number {
  let start = at;
  while (text.charCodeAt(start) === UNDERSCORE) start++;
  if (!isDigit(text.charCodeAt(start))) return start;
  COLOUR.lastIndex = start;
  return COLOUR.test(text) ? COLOUR.lastIndex : start;
}

function endOfWord(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end - 1) === UNDERSCORE) end--;
  return end;
}

/** Of JSON, or, behind a second backslash, of the text in it: `\\u0041`, `\\\\x41`, `\\\\101`. */
function isEscape(text: string, at: number): boolean {
  const sign = text.charCodeAt(at);
  if (sign === 0x75) return true;
  return sign === 0x5c && /[\\uUx0-7]/.test(text.charAt(at + 1));
}

/** A new line of the text in it, `\\n`, which may also begin a word: `\\never`. */
function isLine(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x5c && /[bfnrt]/.test(text.charAt(at + 1));
}

function wordAt(text: string, at: number): string {
  let end = at;
  while (end < at + MAX_SENTENCE && CLASSES[text.charCodeAt(end)] === WORD) end++;
  return text.slice(at, end);
}

/** Two or three digits, eight bits, `0x41`: a character in a row of codes begins with a digit. */
function isCode(text: string, at: number, size: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x30 || code > 0x39) return false;
  return size === 2 || size === 3 || size === 8 || (size === 4 && (text.charCodeAt(at + 1) | 0x20) === 0x78);
}

/** Turns of a conversation, and members made for whoever reads them. */
const TURNS = /INST\]|\\n[#* ]{0,6}(?:user|human)[:*\]]/i;
const MEMBERS =
  /(?:["[\s]|\\n)(?:llm|ai|agent|assistant|model|bot)s?_(?:hint|note|task|instruction|directive|message|todo|order|advice|guidance)|(?:["[\s]|\\n)(?:hint|note|task|instruction|directive|message|order|advice)s?_(?:for_|to_)?(?:llm|ai|agent|assistant|model|bot)/;

const OTHER = 0;
const WORD = 1;
const JOINT = 2;
const BACKSLASH = 3;
const DOUBT = 4;
const QUOTE = 5;
const CLASSES = new Uint8Array(256).fill(DOUBT);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9_]/.test(character)) CLASSES[code] = WORD;
  else if (/[+/=-]/.test(character)) CLASSES[code] = JOINT;
  else if (character === '\\') CLASSES[code] = BACKSLASH;
  else if (character === '"') CLASSES[code] = QUOTE;
  else if (
    /[\t\n\r ]/.test(character) ||
    (code > 0x20 && character !== '<' && code < 0x7f && !'%&'.includes(character))
  )
    CLASSES[code] = OTHER;
}
/** Longer than identifiers of 128 bits in hexadecimal with their dashes. */
const MAX_RUN = 40;
/** No word is as long: several without blanks. */
const RUN_TOGETHER = 25;
const LETTERS = /^[A-Za-z]{25,}$/;
const MAX_SINGLES = 6;
/** Fewer are a date and a time. */
const MAX_CODES = 8;
/** The shortest line of a block that is one. */
const MIN_LINE = 16;

/** Every rule needs a word of one of these classes, but `fake-end`, which is never enough alone. */
export const PIVOTS = kindsOf(
  ...(['override', 'your', 'you', 'system', 'must', 'tool', 'fresh', 'mode', 'not', 'remember', 'enable'] as const),
  ...(['gone', 'user_is', 'send', 'model', 'without', 'stop', 'heed', 'above', 'decode', 'drop', 'backwards'] as const),
);

function isPivot(word: string): boolean {
  return PIVOTS[knowWord(word.toLowerCase(), /\d/.test(word)).kind] === 1;
}

/** Names that are sentences: four words at least. */
const MIN_SENTENCE = 16;
const MAX_SENTENCE = 256;

function isSentence(name: string): boolean {
  const words = name.split(/_|(?<=[a-z])(?=[A-Z])/);
  return words.length >= 3 && words.some((word) => word.length > 1 && isPivot(word));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isDisguise(text: string, start: number, end: number): boolean {
  let digits = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) digits++;
  }
  return digits > 0 && digits * 2 <= end - start;
}
