import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeForms } from './decode-forms.ts';
import { findNumbers, findWords } from './find-words.ts';
import { createPrinter, GRAM, WINDOW } from './fingerprints.ts';
import { fold } from './normalise.ts';
import { PrintList } from './print-list.ts';

const printer = createPrinter(Buffer.alloc(32, 9));

function gramsOf(text: string, all = false, by = printer): Set<string> {
  const list = new PrintList();
  by.addGrams(fold(text), list, all);
  return new Set(Array.from({ length: list.size }, (_, i) => `${list.high[i]}.${list.low[i]}`));
}

function printOf(text: string, by = printer): string {
  const list = new PrintList();
  by.add('value', text, list);
  return `${list.high[0]}.${list.low[0]}`;
}

const letters = fc.string({ unit: fc.constantFrom(...'abcdefghij0123456789 ÄéЖ漢'), maxLength: 80 });

describe('rows', () => {
  test('a row of words has the print of what it says', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom(...'ab1é漢\0'), maxLength: 6 }), { maxLength: 24 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 8 }), (row, size) => {
        const found = new PrintList();
        printer.addRows(row, size, found);
        const wanted = new PrintList();
        for (let i = 0; row.length > 0 && (i === 0 || i + size <= row.length); i++)
          printer.add('typed', row.slice(i, i + size).join(''), wanted);
        expect(found.high.slice(0, found.size)).toEqual(wanted.high.slice(0, wanted.size));
        expect(found.low.slice(0, found.size)).toEqual(wanted.low.slice(0, wanted.size));
      }),
    );
  });
});

describe('pieces', () => {
  test('texts that share enough characters share a piece, wherever they stand', () => {
    const shared = fc
      .string({
        unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
        minLength: GRAM + WINDOW - 1,
        maxLength: 60,
      })
      .filter((text) => fold(text).size >= GRAM + WINDOW - 1);
    fc.assert(
      fc.property(letters, shared, letters, letters, letters, (a, common, b, c, d) => {
        const kept = gramsOf(a + common + b);
        expect([...gramsOf(c + common + d, true)].some((gram) => kept.has(gram))).toBe(true);
      }),
    );
  });

  test('of a long text two of seven are kept', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => ((i * 7_919 + (i % 613) * 31) % 36).toString(36)).join('');
    expect(gramsOf(text).size / text.length).toBeLessThan(0.35);
  });

  test('case, spaces, widths, accents and punctuation change nothing', () => {
    const kept = gramsOf('The café in Łódź opens at seven o’clock sharp.');
    expect(gramsOf('ＴＨＥ  cafe\u0301, in łódź: opens-at-seven.oclock\u200b SHARP', true)).toEqual(
      expect.objectContaining({ size: expect.any(Number) }),
    );
    expect(
      [...gramsOf('ＴＨＥ  cafe\u0301, in łódź: opens-at-seven.oclock\u200b SHARP', true)].some((one) => kept.has(one)),
    ).toBe(true);
  });

  test('another key makes other prints', () => {
    const other = createPrinter(Buffer.alloc(32, 10));
    expect(printOf('a value', other)).not.toBe(printOf('a value'));
    const text = 'a sentence that is long enough for pieces';
    const kept = gramsOf(text);
    expect([...gramsOf(text, true, other)].some((one) => kept.has(one))).toBe(false);
  });

  test('no two of 200,000 values share a print', () => {
    const seen = new Set(Array.from({ length: 200_000 }, (_, i) => printOf(`value-${i}`)));
    expect(seen.size).toBe(200_000);
  });

  test('a value is the same print whether it is plain ASCII or not on the way', () => {
    expect(printOf('JÖRG_77')).toBe(printOf('jo\u0308rg 77'));
  });

  test('a character that becomes many ends nothing', () => {
    expect(fold('\ufdfa'.repeat(50)).size).toBeGreaterThan(50);
  });
});

describe('words that tell where a text is from', () => {
  const wordsOf = (text: string) => {
    const found: string[] = [];
    findWords(text, ({ text: word }) => found.push(word));
    return found;
  };
  test.each<[string, readonly string[]]>([
    ['write to ann.b@team.example.', ['ann.b@team.example']],
    ['see https://x.example/a?b=1&c=2, please', ['https://x.example/a?b=1&c=2']],
    ['the guest is "night_guest_77" (door 4)', ['night_guest_77']],
    ['it was the best of times, it was the age', []],
    ['on 2026-05-01 at 10:30', []],
    ['in /etc/passwd and ~/.ssh/id_rsa', ['/etc/passwd', '~/.ssh/id_rsa']],
    ['account 44119988', ['44119988']],
  ])('%s', (text, words) => expect(wordsOf(text)).toEqual(words));

  const numbersOf = (text: string) => {
    const found: string[] = [];
    findNumbers(text, (number) => found.push(number));
    return found;
  };
  test.each<[string, readonly string[]]>([
    ['card 4111 1111 1111 1111, thanks', ['4111 1111 1111 1111']],
    ['to GB12 CRDT 0000 4411 9988 77', ['GB12 CRDT 0000 4411 9988 77']],
    ['call +41 44 668 18 00 or 3', ['41 44 668 18 00']],
    ['on 2026-05-01', []],
    ['1 2 3', []],
  ])('%s', (text, numbers) => expect(numbersOf(text)).toEqual(numbers));
});

describe('decoded forms', () => {
  const text = 'account 4411998877 of nobody';
  const base64 = (plain: string) => Buffer.from(plain).toString('base64');
  test.each<[string, string]>([
    ['base64', base64(text)],
    ['base64 of links, in a link', `https://x.example/p?d=${Buffer.from(text).toString('base64url')}`],
    ['base64 three times', base64(base64(base64(text)))],
    ['hex', Buffer.from(text).toString('hex')],
    ['percent signs', [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')],
    ['entities', [...text].map((c) => `&#${c.charCodeAt(0)};`).join('')],
    ['escapes', [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
    ['base64 in a path', `/tmp/log/${base64(text)}`],
  ])('%s', (_, encoded) => expect(decodeForms(encoded)).toContain(text));

  test('prose has none', () => {
    expect(decodeForms('It was the best of times, it was the worst of times, and 100 % of it went by.')).toEqual([]);
  });

  test('whatever comes in, what comes out is bounded', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'%41aGVsbG8+/=&#;x\\u0'), maxLength: 2_000 }), (given) => {
        const all = decodeForms(given);
        expect(all.reduce((sum, one) => sum + one.length, 0)).toBeLessThanOrEqual(262_144);
      }),
    );
  });
});
