import { expect, test } from 'vitest';
import { compareAnswers } from './compare.ts';
import type { RpcAnswer } from './mcp-client.ts';

const text = (...texts: string[]) => texts.map((one) => ({ type: 'text', text: one }));
const own: RpcAnswer = { result: { content: text('a', 'b'), structuredContent: { n: 1 } } };
const refused = (kind: string): RpcAnswer => ({
  result: {
    content: text('no'),
    isError: true,
    _meta: { 'dev.sallyport/verdict': { kind, guard: 'taint', reason: 'R' } },
  },
});

test.each<[string, RpcAnswer, RpcAnswer | undefined, string]>([
  ['the same bytes', own, own, 'same'],
  ['only _meta is new', { result: { ...own.result, _meta: { 'dev.sallyport/scan': {} } } }, own, 'same'],
  ['one text before it', { result: { ...own.result, content: text('Note', 'a', 'b') } }, own, 'warned'],
  ['two texts before it', { result: { ...own.result, content: text('N', 'M', 'a', 'b') } }, own, 'altered'],
  ['one text after it', { result: { ...own.result, content: text('a', 'b', 'N') } }, own, 'altered'],
  ['another text', { result: { ...own.result, content: text('a', 'c') } }, own, 'altered'],
  ['other structured content', { result: { ...own.result, structuredContent: { n: 2 } } }, own, 'altered'],
  [
    'a resource',
    { result: { contents: [{ uri: 'x', text: 'b' }] } },
    { result: { contents: [{ uri: 'x', text: 'a' }] } },
    'altered',
  ],
  ['asked', refused('ask'), undefined, 'asked'],
  ['denied', refused('deny'), undefined, 'refused'],
  ['ran, and its result was kept', refused('deny'), own, 'withheld'],
  ['an error of the gateway', { error: { code: -32602, message: 'Unknown tool' } }, undefined, 'refused'],
  ['an error of the server', { error: { code: 1, message: 'x' } }, { error: { code: 1, message: 'x' } }, 'same'],
  ['another error', { error: { code: 1, message: 'y' } }, { error: { code: 1, message: 'x' } }, 'altered'],
  [
    'refused by an error',
    { error: { code: 1, message: 'y', data: { 'dev.sallyport/verdict': { kind: 'ask' } } } },
    undefined,
    'asked',
  ],
])('%s', (_, received, from, kind) => {
  expect(compareAnswers(received, from).kind).toBe(kind);
});
