import { expect, test } from 'vitest';
import { joinSentences } from './join-sentences.ts';

test.each([
  [['Archive it instead', 'Ask.'], 'Archive it instead. Ask.'],
  [['Archive it instead. ', 'Ask'], 'Archive it instead. Ask'],
  [['Why?', 'Say "no!"', '不行。', 'Ask.'], 'Why? Say "no!" 不行。 Ask.'],
  [['Alone'], 'Alone'],
  [[], ''],
])('%j', (texts, joined) => {
  expect(joinSentences(texts)).toBe(joined);
});
