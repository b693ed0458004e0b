import { expect, test } from 'vitest';
import type { Mark } from '../../decode/unseen.ts';
import { cleanText } from './clean-text.ts';
import { findCarriers } from './find-carriers.ts';

test('what nobody sees is spelled out before and behind an image, and the changes are in the order of the text', () => {
  const text = 'a\u200b ![x](https://e.example/p) \u200bb';
  const marks = [1, text.length - 2].map((start): Mark => ({ kind: 'invisible', start, end: start + 1, decoded: '' }));
  const { cleaned, changes } = cleanText(text, { carriers: findCarriers(text), marks });
  expect(cleaned).toBe('a[U+200B] [image not shown: x - https[:]//e.example/p] [U+200B]b');
  expect(changes).toEqual([
    'characters that nobody sees are spelled out at character 1',
    'an image that would be fetched is shown as text at character 3',
    'characters that nobody sees are spelled out at character 29',
  ]);
});
