import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';
import { mayHoldSecret } from './may-hold-secret.ts';

/** Of the vectors of BIP-39, but of other entropy than one byte again and again. */
const TWELVE = 'scheme spot photo card baby mountain device kick cradle pact join borrow';
const EIGHTEEN =
  'gravity machine north sort system female filter attitude volume fold club stay feature office ecology stable narrow fog';
const TWENTY_FOUR =
  'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length';
const make = (bytes: number) =>
  entropyToMnemonic(
    Uint8Array.from({ length: bytes }, (_, i) => (i * 73 + 41) & 0xff),
    wordlist,
  );
/** The same words, and another sum. */
const EXCHANGED = 'spot scheme photo card baby mountain device kick cradle pact join borrow';

function found(text: string, field?: string): readonly string[] {
  expect(mayHoldSecret(text, field)).toBe(true);
  return findSecrets(text, { field })
    .filter(({ kind }) => kind === 'seed-phrase')
    .map(({ start, end }) => text.slice(start, end));
}

const list = (phrase: string, write: (word: string, place: number) => string) => phrase.split(' ').map(write).join('');

describe('attacks', () => {
  test.each([
    ['of 12 words', TWELVE],
    ['of 15', make(20)],
    ['of 18', EIGHTEEN],
    ['of 21', make(28)],
    ['of 24', TWENTY_FOUR],
    ['in capitals', TWELVE.toUpperCase()],
    ['with capitals', TWELVE.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())],
    ['with commas', TWELVE.replaceAll(' ', ', ')],
    ['in a URL', `https://x.test/?p=${TWELVE.replaceAll(' ', '%20')}`],
    ['in a form', `p=${TWELVE.replaceAll(' ', '+')}&a=1`],
    ['with dashes', TWELVE.replaceAll(' ', '-')],
    ['over lines', TWELVE.replaceAll(' ', '\n')],
    ['over lines of four', TWENTY_FOUR.replace(/((?:\w+ ){3}\w+) /g, '$1\r\n  ')],
    ['over lines in a literal', `"${TWELVE.replaceAll(' ', '\\n')}"`],
    ['in a numbered list', list(TWELVE, (word, i) => `${i + 1}. ${word} `)],
    ['in a numbered list over lines', list(TWENTY_FOUR, (word, i) => `${i + 1}) ${word}\n`)],
    ['in a list with dashes', list(TWELVE, (word) => `- ${word}\n`)],
    ['in a table', list(TWELVE, (word, i) => `|  ${i + 1} | ${word.padEnd(8)} |\n`)],
    ['in JSON', JSON.stringify(TWELVE.split(' '))],
    ['with wide blanks', TWELVE.replaceAll(' ', '\u3000')],
    ['with bullets', list(TWELVE, (word) => `\u2022 ${word}\n`)],
    ['in a sentence', `please say to the others that it is ${TWELVE}, and tell nobody else of it`],
    ['among other words of the list', `your secret wallet seed phrase: ${TWELVE} keep safe`],
    ['after many other words of the list', `${'valley '.repeat(300)}${TWENTY_FOUR}`],
  ])('a phrase %s', (_, text) => {
    expect(
      found(text)
        .join(' ')
        .toLowerCase()
        .match(/[a-z]{3,}/g)?.length,
    ).toBeGreaterThanOrEqual(12);
  });

  test.each([
    ['seed phrase: ', EXCHANGED],
    ['Mnemonic = "', `${EXCHANGED}"`],
    ['My recovery words are\n', EXCHANGED.replaceAll(' ', '\n')],
    ['Recovery phrase: ', list(EXCHANGED, (word, i) => `${i + 1}. ${word} `)],
    ['助记词：', EXCHANGED],
    // Of Monero, which has a list and a sum of its own.
    ['wallet seed: ', 'acidic zeal lucky irony tamper older pirate reef bumper ammo oval avatar'],
  ])('%s announces what has no sum', (label, phrase) => {
    expect(found(label + phrase)).toHaveLength(1);
  });

  test('the name of a field announces it as well, and the whole value is told', () => {
    expect(found(EXCHANGED, 'seedPhrase')).toEqual([EXCHANGED]);
  });

  test('all of a phrase is told, and what is around it where that cannot be parted', () => {
    expect(found(`the phrase "${TWELVE}"`)).toEqual([TWELVE]);
    expect(found(`seed ${TWELVE} wallet`).join()).toContain(TWELVE);
  });

  test('a flood of such words is told as a whole', () => {
    const [one = ''] = found('valley zoo abandon '.repeat(20_000));
    expect(one.length).toBeGreaterThan(100_000);
  });
});

describe('harmless', () => {
  test.each([
    ['the words in another order', EXCHANGED],
    ['eleven of them', TWELVE.slice(0, -' borrow'.length)],
    ['the list', wordlist.join('\n')],
    ['the list with numbers', wordlist.map((word, i) => `${i + 1}. ${word}`).join('\n')],
    [
      'prose about them',
      'Keep your seed phrase secret: never share these twelve words with anyone, store them offline.',
    ],
    [
      'prose behind a label',
      'Recovery phrase\n\nStore the words somewhere only you know and never type them anywhere.',
    ],
    ['a command', 'npm run seed: reset the database, then seed some sample users orders products items carts'],
    ['prose', 'there were once seven brothers living near some dark woods beyond eleven hills'],
    ['a table of names', 'apple banana orange lemon cherry grape mango melon kiwi lime peach olive'],
    ['fields of JSON', '{"type":"object","title":"order","state":"open","area":"east","unit":"piece","local":true}'],
  ])('%s', (_, text) => {
    expect(findSecrets(text).map(({ kind }) => kind)).not.toContain('seed-phrase');
  });

  test.each([`${'abandon '.repeat(11)}about`, `${'test '.repeat(11)}junk`, `${'zoo '.repeat(11)}wrong`])(
    '%s is a sample',
    (text) => {
      expect(findSecrets(text)).toMatchObject([{ kind: 'seed-phrase', isSample: true }]);
    },
  );
});
