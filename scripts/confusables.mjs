// Writes packages/sallyport/src/core/confusables.ts: characters of other scripts that people read as an ASCII letter or digit.
//
// Sources, both under the Unicode Licence v3 (https://www.unicode.org/license.txt), © Unicode, Inc.:
// - UTS 39 confusables (https://www.unicode.org/Public/security/), as Debian's python3-confusable-homoglyphs 3.2.0 carries them;
// - UnicodeData.txt 15.0 of Debian's unicode-data, for small capitals, which UTS 39 does not call confusable.
// Run: apt-get install python3-confusable-homoglyphs unicode-data && node scripts/confusables.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const [
  CONFUSABLES = '/usr/lib/python3/dist-packages/confusable_homoglyphs/confusables.json',
  NAMES = '/usr/share/unicode/UnicodeData.txt',
] = process.argv.slice(2);
const TARGET = 'packages/sallyport/src/core/confusables.ts';

const names = new Map();
for (const line of readFileSync(NAMES, 'utf8').split('\n')) {
  const [code, name] = line.split(';');
  if (name !== undefined) names.set(parseInt(code, 16), name);
}

/** NFKC and stripped accents do these already. */
const isFoldedAnyway = (text) => /^[\p{ASCII}]+$/u.test(text.normalize('NFKD').replace(/\p{M}/gu, ''));
const isCapital = (code) => /CAPITAL|ROMAN NUMERAL/.test(names.get(code) ?? '');

const found = new Map();
const add = (code, letter) => {
  if (code > 0x7f && !found.has(code) && !isFoldedAnyway(String.fromCodePoint(code))) found.set(code, letter);
};

for (const [code, name] of names) {
  const small = /^LATIN LETTER SMALL CAPITAL ([A-Z])$/.exec(name) ?? /^MODIFIER LETTER SMALL ([A-Z])$/.exec(name);
  if (small !== null) add(code, small[1].toLowerCase());
}
for (const [from, others] of Object.entries(JSON.parse(readFileSync(CONFUSABLES, 'utf8')))) {
  const code = from.codePointAt(0);
  if (String.fromCodePoint(code) !== from || !/\p{L}|\p{N}|\p{So}/u.test(from)) continue;
  const letters = others.map(({ c }) => c).filter((c) => /^[A-Za-z0-9]$/.test(c));
  if (letters.length === 0) continue;
  // UTS 39 lets capital I, digit 1 and small l be one; who wrote a capital meant I.
  const letter = letters.includes('l') && isCapital(code) ? 'i' : (letters.find((c) => /[a-z]/.test(c)) ?? letters[0]);
  add(code, letter.toLowerCase());
}

const byLetter = new Map();
for (const [code, letter] of [...found].sort((a, b) => a[0] - b[0]))
  byLetter.set(letter, [...(byLetter.get(letter) ?? []), code.toString(16)]);
const rows = [...byLetter]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([letter, codes]) => `  ['${letter}', '${codes.join(' ')}'],`);

writeFileSync(
  TARGET,
  `// Written by scripts/confusables.mjs from UTS 39 and UnicodeData.txt (© Unicode, Inc., Unicode Licence v3). Do not edit.

/** What is read as an ASCII letter or digit, by that character: code points in hexadecimal. NFKC and stripped accents are not repeated. */
export const CONFUSABLES: readonly (readonly [string, string])[] = [
${rows.join('\n')}
];
`,
);
process.stdout.write(`${found.size} characters\n`);
