import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../core/pace.ts';
import { waysOf } from './pattern-literals.ts';
import { SCAN_WORDS } from './scan-words.ts';
import { WordFilter } from './word-filter.ts';

/** Over few letters, so that texts made by chance match now and then. */
const PATTERNS = {
  words: /\b(?:abc|bca) (?:cab|abb)s?\b/g,
  repeated: /ab{2,3}c?aab|(?:cab){2}/g,
  around: /(?:aab|ba(?!c))[ab]cab|(?<!c )bbc(?= a)|(?<=a)cca/g,
  whatever: /aab.{0,3}(?:bcc|cbb)?(?:ccc)*abb/g,
  nested: /(?:(?:abc|a (?:bc|cb)) (?:b|c)|cc(?:ab|ba){1,2})b/g,
  escaped: /abc\.\w{1,2}\bcab|\sbba\n?c/g,
  foreign: /告诉b?|b密码|ca。?b/g,
  short: /ab|cc/g,
  unread: /(?<name>abc)\k<name>|\u0061bc/g,
} as const;
const NAMES = Object.keys(PATTERNS) as (keyof typeof PATTERNS)[];
const filter = runAtOnce(WordFilter.build(PATTERNS));
const texts = fc.string({ unit: fc.constantFrom(...'aaabbbcc  .\n告诉密码。'), maxLength: 60 });

describe('word filter', () => {
  test('says yes wherever a pattern matches', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const mayHold = filter.read(text);
        for (const name of NAMES)
          if (text.search(PATTERNS[name]) >= 0) expect([name, mayHold(name)]).toEqual([name, true]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('says no where what a pattern needs is not there', () => {
    const mayHold = filter.read('aaaa bbbb cccc');
    expect(NAMES.filter((name) => mayHold(name))).toEqual(['short', 'unread']);
  });

  test('knows of nearly all word tables what they need', () => {
    const mayHold = runAtOnce(WordFilter.build(SCAN_WORDS)).read('Zzz.');
    const always = Object.keys(SCAN_WORDS).filter((name) => mayHold(name as keyof typeof SCAN_WORDS));
    expect(always.length).toBeLessThan(20);
  });

  test.each([
    [
      /\b(?:tell|telling|inform) (?:the )?users?\b/g,
      [[['tell ', 'telling ', 'inform '].flatMap((one) => [`${one}user`, `${one}the user`])]],
    ],
    [/\bkeep (?:it|this) (?:\w{1,20} ){0,2}secret\b|hush/g, [[['keep it ', 'keep this '], ['secret']], [['hush']]]],
    [/别(?:说|提)/g, [[['别说', '别提']]]],
    [/\w+@\w+/g, [[]]],
    [/abc/gi, [[]]],
  ])('%s needs %j', (pattern, ways) => {
    expect(waysOf(pattern)).toEqual(ways);
  });
});
