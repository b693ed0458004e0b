import { describe, expect, test } from 'vitest';
import { isDeed, SYNONYMS, toMeanings } from './synonyms.ts';
import { stem } from './tokens.ts';

describe('words of one meaning are one term', () => {
  test.each([
    ['remove_staff', 'DeleteEmployee'],
    ['erase the directory', 'deletes folders'],
    ['新建账单', '创建发票'],
    ['fetch issue', 'get tickets'],
    ['Buy photos for clients', 'order pictures for customers'],
  ])('%s: %s', (one, other) => {
    const meaning = (text: string) => toMeanings(text).filter((term) => term.startsWith('='));
    expect(meaning(one)).toEqual(meaning(other));
    expect(meaning(one).length).toBeGreaterThan(1);
  });
});

test('what is not in the table stays as it is', () => {
  expect(toMeanings('tides of a harbour')).toEqual(['tide', 'of', 'a', 'harbour']);
  expect(toMeanings('潮汐')).toEqual(['潮', '汐', '潮汐']);
  expect(toMeanings('删除潮汐')).toEqual(['=delete', '潮', '汐', '潮汐']);
  expect(toMeanings('')).toEqual([]);
});

test('what is done counts less than what it is done to', () => {
  expect(toMeanings('cancel the subscription').map(isDeed)).toEqual([true, false, false]);
});

test('no word has two meanings', () => {
  const words = SYNONYMS.flatMap((line) => [...new Set(line.split(' ').map(stem))]);
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
});
