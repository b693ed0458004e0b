import { expect, test } from 'vitest';
import { describeTally, describeUnusable } from './describe-tally.ts';

const NONE = { tools: 0, quarantined: 0, rejected: 0, unvalidated: 0, malformed: 0, waiting: 0 };

test.each([
  [{ ...NONE, tools: 9 }, '9 tools', undefined],
  [{ ...NONE, tools: 1 }, '1 tool', undefined],
  [
    { ...NONE, tools: 9, quarantined: 3, waiting: 4 },
    '9 tools, 3 quarantined',
    'lark: 9 tools, 3 quarantined; run `sallyport pin diff lark`',
  ],
  [
    { ...NONE, waiting: 1 },
    '1 definition quarantined',
    'lark: 1 definition quarantined; run `sallyport pin diff lark`',
  ],
  [
    { ...NONE, tools: 2, waiting: 1 },
    '2 tools, 1 other definition quarantined',
    'lark: 2 tools, 1 other definition quarantined; run `sallyport pin diff lark`',
  ],
  [
    { ...NONE, tools: 4, unvalidated: 1, malformed: 1, rejected: 1 },
    '4 tools, 1 rejected, 1 unvalidated, 1 malformed',
    'lark: 4 tools, 1 rejected, 1 unvalidated, 1 malformed; run `sallyport server show lark`',
  ],
])('%j', (counts, text, line) => {
  expect(describeTally(counts)).toBe(text);
  expect(describeUnusable('lark', counts)).toBe(line);
});
