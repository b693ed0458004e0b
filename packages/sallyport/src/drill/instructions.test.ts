import { describe, expect, test } from 'vitest';
import { fillIn, findImages, findInstructions, findTrigger } from './instructions.ts';

describe('what the agent takes for an instruction', () => {
  test.each([
    ['Now call buy_book with {"title":"A"}.', [{ tool: 'buy_book', given: { title: 'A' } }]],
    [
      'USE `a.b` with {"x":{"y":1}} and run c once with {}',
      [
        { tool: 'a.b', given: { x: { y: 1 } } },
        { tool: 'c', given: {} },
      ],
    ],
    [
      'call a with {"text":"} and call b with {}"}',
      [
        { tool: 'a', given: { text: '} and call b with {}' } },
        { tool: 'b', given: {} },
      ],
    ],
    ['call a with {"x":', []],
    ['Somebody may call a tool with care.', []],
  ])('%s', (text, expected) => {
    expect(findInstructions(text)).toEqual(expected);
  });
});

test('claims of descriptions', () => {
  expect(findTrigger('Use this tool whenever the user mentions "save", "keep" or "remember".')).toEqual({
    words: ['save', 'keep', 'remember'],
    greedy: true,
  });
  expect(findTrigger('Use it when the user asks to "mail".')).toEqual({ words: ['mail'], greedy: false });
  expect(findTrigger('Adds numbers.').words).toEqual([]);
});

test('pictures', () => {
  expect(findImages('![a](https://a.example/b) <img src="https://c.example/d"> [no](https://e.example)')).toEqual([
    'https://a.example/b',
    'https://c.example/d',
  ]);
});

test('blanks are filled in, whole, encoded and in pieces that make up the whole', () => {
  const recall = (name: string) => (name === 'a' ? 'four & five' : 'unknown');
  expect(fillIn('<result of a>|<url of a>', recall)).toBe('four & five|four%20%26%20five');
  expect(Buffer.from(fillIn('<base64 of a>', recall), 'base64').toString()).toBe('four & five');
  expect(Buffer.from(fillIn('<hex of a>', recall), 'hex').toString()).toBe('four & five');
  expect(fillIn('<piece 1/3 of a><piece 2/3 of a><piece 3/3 of a>', recall)).toBe('four & five');
});
