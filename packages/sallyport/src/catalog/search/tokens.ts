/** Words of one text beyond this are not read: an index is for finding tools, not for keeping their manuals. */
const MAX_WORDS = 400;
const MAX_WORD = 40;
/** Letters without a space, which a Chinese sentence may be. */
const MAX_RUN = 400;

const WORD = /[\p{L}\p{N}]+/gu;
const PLAIN_WORD = /[A-Za-z0-9]+/g;
const PLAIN_PART = /[A-Z]{1,64}(?![a-z])|[A-Z]?[a-z]{1,64}|\d{1,64}/g;
const PLAIN = /^[\x20-\x7e\s]*$/;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Word as it is written -> its terms: texts of tools are made of few words. */
const known = new Map<string, readonly string[]>();
const MAX_KNOWN = 50_000;

/**
 * What a text is about, as terms: characters in their usual form (NFKC), words split at camel and snake case, lower case, lightly stemmed; Chinese, Japanese and
 * Korean as single characters and pairs, because nothing separates their words.
 */
export function toTerms(text: string): string[] {
  const terms: string[] = [];
  for (const word of (PLAIN.test(text) ? text.match(PLAIN_WORD) : text.normalize('NFKC').match(WORD)) ?? []) {
    if (terms.length >= MAX_WORDS) break;
    if (word.length > MAX_RUN) continue;
    let found = known.get(word);
    if (found === undefined) {
      found = splitWord(word);
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(word, found);
    }
    for (const term of found) terms.push(term);
  }
  return terms;
}

function splitWord(word: string): readonly string[] {
  if (/^[a-z0-9]{1,40}$/.test(word)) return [stem(word)];
  const terms: string[] = [];
  for (const part of splitCase(word).split(' ')) {
    if (!PLAIN.test(part) && CJK.test(part)) addCharacters(part.toLowerCase(), terms);
    else if (part.length <= MAX_WORD) terms.push(stem(part.toLowerCase()));
  }
  return terms;
}

/** The words of a name in their order, as written but for case: `getHTTPUser2` is get, http, user, 2. */
export function toNameWords(name: string): string[] {
  const words = PLAIN.test(name) ? name.match(PLAIN_PART) : splitCase(name).match(/\p{L}+|\p{N}+/gu);
  return (words ?? []).slice(0, MAX_WORD).map((word) => word.toLowerCase());
}

function splitCase(text: string): string {
  return text.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ').replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ');
}

function addCharacters(word: string, terms: string[]): void {
  let before = '';
  for (const character of word) {
    if (terms.length >= MAX_WORDS) return;
    if (!CJK.test(character)) {
      before = '';
      continue;
    }
    terms.push(character);
    if (before !== '') terms.push(before + character);
    before = character;
  }
}

/** Endings of English inflection, nothing more: "searching", "searched" and "searches" are found by "search". */
export function stem(word: string): string {
  return word.length < 4 ? word : cutEnding(word);
}

function cutEnding(word: string): string {
  if (/[^a-z]/.test(word)) return word;
  let rest = word;
  if (/(?:ss|us|is)$/.test(rest)) return rest;
  if (/(?:x|ch|sh|ss|z)es$/.test(rest)) rest = rest.slice(0, -2);
  else if (/[^aeiou]ies$/.test(rest)) rest = `${rest.slice(0, -3)}y`;
  else if (rest.endsWith('s')) rest = rest.slice(0, -1);
  const cut = rest.replace(/(?:ing|ed)$/, '');
  if (cut !== rest && cut.length >= 3 && /[aeiouy]/.test(cut))
    rest = /([^aeiouls])\1$/.test(cut) ? cut.slice(0, -1) : cut;
  else if (rest.length > 7) rest = rest.replace(/(at|iz|is)(?:ion|or|er)$/, '$1');
  return rest.length > 4 && rest.endsWith('e') ? rest.slice(0, -1) : rest;
}
