import { toBareLink, toBarePath } from './other-forms.ts';
import { toHeads } from './read-request.ts';

/** Words in a row that are told apart; a longer value is the user's where every such row of it is. */
export const ROW = 8;
const MAX_WORDS = 4_096;

/**
 * What a user wrote, as values are compared with it: words in lower case without the signs around them, numbers without
 * currency and separators. What stands inside a word stays: `pay@bank.example` is not `pay.bank@example`.
 */
export function toTypedWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [found] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const plain = plainWord(found);
    if (plain !== undefined) {
      words.push(plain);
      if (words.length >= MAX_WORDS) break;
      continue;
    }
    const word = found
      .replace(/^[^\p{L}\p{N}~/.@#+-]{1,16}|^\.(?=[\p{L}\p{N}])(?!\/)/u, '')
      .replace(/(?:'s|’s)$|[^\p{L}\p{N}/]{1,16}$/u, '')
      .replace(/\/$/, '');
    if (word === '') continue;
    words.push(toNumber(word) ?? word);
    if (words.length >= MAX_WORDS) break;
  }
  return words;
}

const WORD = /[^\s"“”‘`<>()[\]{}|]{1,512}/gu;

/** Small letters of ASCII with the signs of a sentence behind them: most words, and for these the patterns do no more. */
function plainWord(found: string): string | undefined {
  let end = found.length;
  while (end > 0 && '.,;:!?'.includes(found.charAt(end - 1))) end--;
  if (end === 0 || found.length - end > MAX_SIGNS) return undefined;
  for (let i = 0; i < end; i++) {
    const code = found.charCodeAt(i);
    if (code < 0x61 || code > 0x7a) return undefined;
  }
  return end === found.length ? found : found.slice(0, end);
}

const MAX_SIGNS = 16;

/** "$1,250.00" and 1250 are one amount. */
function toNumber(word: string): string | undefined {
  const bare = word.replace(/^[-+]?(?:\p{Sc}|[a-z]{3}(?=\d))/u, '');
  if (!/^\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,8})?$|^\d{1,15}\.\d{1,8}$|^\d{1,15}$/.test(bare)) return undefined;
  // Long numbers are names of things, whose zeros in front count.
  if (/^0\d/.test(bare) || bare.length > 12) return bare;
  const value = Number(bare.replaceAll(',', ''));
  return Number.isFinite(value) ? String(value) : undefined;
}

/** Every row of up to `ROW` words, each written together: an account number may be typed in groups. */
export function toTypedRows(text: string): ReadonlySet<string> {
  const rows = new Set<string>();
  const words = toTypedWords(text);
  const named = toNamingWords(text);
  for (let i = 0; i < words.length; i++) {
    let row = '';
    for (let n = 0; n < ROW && i + n < words.length; n++) {
      row += words[i + n];
      if (n > 0 || !LETTERS.test(row) || named.has(row)) rows.add(row);
    }
    for (const part of partsOf(words[i] ?? '')) rows.add(part);
  }
  return rows;
}

/** Whether the whole value stands in what the user wrote. */
export function isTypedIn(request: string, value: string): boolean {
  const typed = toTypedRows(request);
  const rows = toRowsOf(value);
  return rows.length > 0 && rows.every((row) => typed.has(row));
}

const LETTERS = /^\p{L}+$/u;

/**
 * Words of letters alone that can name something by themselves: not those a sentence begins with or that say what is to be
 * done ("Look", "Hello"), and not half of a name ("San" of San Marino).
 */
export function toNamingWords(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const heads = new Set(toHeads(text).flatMap(({ word, isStart }) => (isStart ? [word] : [])));
  const halves = countHalves(text.normalize('NFKC'));
  const counts = new Map<string, number>();
  for (const word of toTypedWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts)
    if (!heads.has(word) && !NAMELESS.has(word) && count > (halves.get(word) ?? 0)) found.add(word);
  return found;
}

/** Words that name nothing, whoever types them. */
const NAMELESS: ReadonlySet<string> = new Set(
  'a an the and or but if then than of in on at to from for with by as is are was were be been it its this that these those i me my we us our you your he him his she her they them their what which who how when where why please thanks thank yes no not do does did can could will would should may might must have has had one all any some more most there here so very just also into about'.split(
    ' ',
  ),
);

/** How often each word is a part of a name of several words. */
function countHalves(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (word: string) => counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
  let before: { readonly word: string; readonly end: number; isAdded: boolean } | undefined;
  for (const { 0: word, index } of text.matchAll(/\p{Lu}[\p{L}’']{0,40}/gu)) {
    const isNext = before !== undefined && index === before.end + 1 && text.charAt(before.end) === ' ';
    if (isNext && before?.isAdded === false) add(before.word);
    if (isNext) add(word);
    before = { word, end: index + word.length, isAdded: isNext };
  }
  return counts;
}

/** The parts a user names by naming the whole: owner and repository of a link, host of an address. */
function partsOf(word: string): readonly string[] {
  if (!/[/@:=#]/.test(word)) return [];
  const parts = word.split(/:\/\/|[/@:=?&#]/).filter((part) => part.length > 1);
  const bare = word.replace(/^[a-z]{2,10}:\/\//, '');
  return [...(bare === word ? parts : [...parts, bare]), toBareLink(word), toBarePath(word)];
}

/** What has to be among a user's rows for a value to be the user's; empty where it says nothing. */
export function toRowsOf(value: string): readonly string[] {
  const words = toTypedWords(value);
  if (words.length <= ROW) return words.length === 0 ? [] : [words.join('')];
  const rows: string[] = [];
  for (let i = 0; i + ROW <= words.length; i++) rows.push(words.slice(i, i + ROW).join(''));
  return rows;
}
