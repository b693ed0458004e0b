import { expect, test } from 'vitest';
import { toUnits } from '../../decode/text-units.ts';
import { knowCut, knowMixed, knowUnits, knowWord, mayBeWord, mayKnow } from './know-words.ts';
import { LEXICON } from './lexicon.ts';

const WORDS = [...LEXICON.keys()].filter((word) => /^[a-z]{2}[a-z\d]*$/.test(word));
/** Words of the lexicon with a letter more, less or other, which most of them are not. */
const OTHERS = WORDS.flatMap((word) => [
  `${word}x`,
  word.slice(1),
  word.slice(0, -1),
  `${word.slice(0, 2)}q${word.slice(3)}`,
  [...word].reverse().join(''),
]).filter((word) => /^[a-z]{2}/.test(word));

test.each([
  ['as they are', (word: string) => word],
  ['in capitals', (word: string) => word.toUpperCase()],
  ['at the beginning of a sentence', (word: string) => word.charAt(0).toUpperCase() + word.slice(1)],
])('words are known from units as from strings: %s', (_, write) => {
  for (const word of [...WORDS, ...OTHERS]) {
    const units = toUnits(`.${write(word)}.`);
    const known = knowWord(word, false);
    expect([word, knowUnits(units, 1, word.length + 1)]).toEqual([word, known]);
    // Those filters may say yes in vain, and never no.
    if (known.kind !== 0)
      expect([word, mayKnow(units, 1, word.length + 1), mayBeWord(word, 0, word.length)]).toEqual([word, true, true]);
  }
});

test('with digits for letters', () => {
  for (const word of WORDS.filter((one) => /[oieast]/.test(one.slice(2)))) {
    const written =
      word.slice(0, 2) + word.slice(2).replace(/[oieast]/g, (one) => '013457'['oieast'.indexOf(one)] ?? one);
    expect([written, knowMixed(toUnits(written), 0, written.length)]).toEqual([written, knowWord(written, true)]);
  }
});

test.each([
  ["don't", 'dont'],
  ['DON’T', 'dont'],
  ["you're", 'youre'],
  ["user's", 'users'],
  ["xyzzy's", 'xyzzys'],
])('with an apostrophe: %s', (written, read) => {
  const quote = written.search(/['’]/);
  const found = knowCut(toUnits(` ${written}`), {
    start: 1,
    quote: quote + 1,
    end: written.length + 1,
    isMixed: false,
  });
  expect(found).toEqual(knowWord(read, false));
});
