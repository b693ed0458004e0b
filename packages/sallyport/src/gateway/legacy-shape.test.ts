import { expect, test } from 'vitest';
import { Answer } from '../core/message.ts';
import { toLegacyResult } from './legacy-shape.ts';

const content = [{ type: 'text', text: '[1]' }];

test.each([
  ['an array of a modern server', { resultType: 'complete', content, structuredContent: [1] }, undefined],
  ['an object of a modern server', { resultType: 'complete', content, structuredContent: { a: 1 } }, { a: 1 }],
  ['an array of a legacy server', { content, structuredContent: [1] }, [1]],
])('%s for a legacy client', (_what, result, structuredContent) => {
  const made = toLegacyResult(Answer.result('1', result));
  expect(made.result?.['structuredContent']).toEqual(structuredContent);
  expect(made.result?.['content']).toEqual(content);
});
