/** What a word of a text is for those who follow it. */
export interface FoundWord {
  readonly text: string;
  readonly isLink: boolean;
}

/** Bits of a character: part of a word, digit, letter, sign that makes a word an address or a path. */
const PART = 1;
const DIGIT = 2;
const LETTER = 4;
const AT = 8;
const SLASH = 16;

const CLASSES = makeClasses();

/** Shorter ones are in every text; longer ones are looked at as text. */
export const SHORTEST = 5;
const LONGEST = 512;
const LONG_WORD = 20;

/** Scheme and host of a link, in lower case. */
export function originOf(link: string): string {
  const start = link.indexOf('://');
  const rest = start < 0 ? -1 : link.slice(start + 3).search(/[/?#]/);
  return (rest < 0 ? link : link.slice(0, start + 3 + rest)).toLowerCase();
}

/**
 * The words of a text that tell where it is from: addresses, links, paths, numbers and names with digits. Plain words are
 * in every text. One pass without patterns, since it reads every result that is remembered.
 */
export function findWords(text: string, visit: (word: FoundWord) => void): void {
  const { length } = text;
  let start = -1;
  let seen = 0;
  let digits = 0;
  let colon = -1;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? text.charCodeAt(i) : 32;
    let kind = code < 128 ? (CLASSES[code] ?? 0) : PART | LETTER;
    // "https://": the colon belongs to the word only there.
    if (code === 58 && start >= 0 && text.charCodeAt(i + 1) === 47 && text.charCodeAt(i + 2) === 47) {
      colon = i;
      kind = PART;
    }
    // Inside a link, what elsewhere ends a word is part of it.
    if (kind === 0 && colon >= 0 && IN_LINK.has(code)) kind = PART;
    if (kind !== 0) {
      if (start < 0) start = i;
      seen |= kind;
      if ((kind & DIGIT) !== 0) digits++;
      continue;
    }
    if (start >= 0 && i - start >= SHORTEST && i - start <= LONGEST && tells(seen, digits, i - start, colon >= 0)) {
      const word = trim(text.slice(start, i));
      if (word.length >= SHORTEST && !isDate(word)) visit({ text: word, isLink: colon >= 0 });
    }
    start = -1;
    seen = 0;
    digits = 0;
    colon = -1;
  }
}

function tells(seen: number, digits: number, size: number, isLink: boolean): boolean {
  if (isLink || (seen & AT) !== 0 || size >= LONG_WORD) return true;
  if ((seen & LETTER) === 0) return digits >= 5;
  return (seen & SLASH) !== 0 || (digits >= 2 && size >= 6) || (digits >= 1 && size >= 8);
}

const FEWEST_DIGITS = 7;
const LONGEST_NUMBER = 64;

/** Numbers that people write in groups: cards, accounts, telephones. Up to four letters and two signs stand between digits. */
export function findNumbers(text: string, visit: (number: string) => void): void {
  const { length } = text;
  for (let i = 0; i < length; i++) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let digits = 1;
    let letters = 0;
    let signs = 0;
    let last = i;
    for (let j = i + 1; j < length && j - i < LONGEST_NUMBER; j++) {
      const code = text.charCodeAt(j);
      if (isDigit(code)) {
        digits++;
        letters = 0;
        signs = 0;
        last = j;
      } else if (code >= 65 && code <= 90 && letters < 4) letters++;
      else if ((code === 32 || code === 45 || code === 46 || code === 40 || code === 41) && signs < 2) signs++;
      else if ((code === 44 || code === 39) && letters + signs === 0 && isThousand(text, j)) signs++;
      else break;
    }
    if (digits >= FEWEST_DIGITS) {
      const number = text.slice(startOf(text, i), last + 1);
      if (!isDate(number)) visit(number);
    }
    i = last;
  }
}

/** `7,719,004`, `7'719'004`: between fields of a table commas stand before any number of digits. */
function isThousand(text: string, at: number): boolean {
  const isThree =
    isDigit(text.charCodeAt(at + 1)) && isDigit(text.charCodeAt(at + 2)) && isDigit(text.charCodeAt(at + 3));
  return isThree && !isDigit(text.charCodeAt(at + 4)) && isDigit(text.charCodeAt(at - 1));
}

/** "GB12 …" begins with its letters. */
function startOf(text: string, at: number): number {
  let start = at;
  while (at - start < 2 && start > 0 && isUpper(text.charCodeAt(start - 1))) start--;
  return start > 0 && isUpper(text.charCodeAt(start - 1)) ? at : start;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const DATE = /^(?:19|20)\d\d[-/.]?[01]\d[-/.]?[0-3]\d(?:[T ]?[\d:.,+Z-]{0,24})?$/;

function isDate(word: string): boolean {
  const first = word.charCodeAt(0);
  return (first === 49 || first === 50) && DATE.test(word);
}

/** A sentence's signs are no part of its last word. */
function trim(word: string): string {
  let start = 0;
  let end = word.length;
  while (end > start && EDGE.has(word.charCodeAt(end - 1))) end--;
  while (start < end && EDGE.has(word.charCodeAt(start))) start++;
  return start === 0 && end === word.length ? word : word.slice(start, end);
}

const EDGE: ReadonlySet<number> = new Set([...'.,;:!?\'"*_-'].map((sign) => sign.charCodeAt(0)));
const IN_LINK: ReadonlySet<number> = new Set([...'?&=#,;:!$*(|'].map((sign) => sign.charCodeAt(0)));

function makeClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  for (let code = 48; code <= 57; code++) classes[code] = PART | DIGIT;
  for (let code = 65; code <= 90; code++) classes[code] = classes[code + 32] = PART | LETTER;
  for (const sign of '.-_+%$#~') classes[sign.charCodeAt(0)] = PART;
  classes[64] = PART | AT;
  classes[47] = classes[92] = PART | SLASH;
  return classes;
}
