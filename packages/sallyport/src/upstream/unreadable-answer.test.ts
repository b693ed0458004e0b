import { expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { toUnreadableAnswer } from './unreadable-answer.ts';

const idIn = (text: string) => toUnreadableAnswer('a', Buffer.from(text), new FaultError('parse', 'Not JSON.'))?.id;

test.each([
  ['a value that is no JSON', '{"jsonrpc":"2.0","id":3,"result":{"a":NaN}}'],
  ['the id before a cut', '{"jsonrpc":"2.0","id":3,"result":{"a":'],
  ['an error without a code', '{"jsonrpc":"2.0","id":3,"error":"no"}'],
])('%s is an answer to its request', (_name, text) => {
  expect(idIn(text)).toBe(3);
});

test.each([
  ['a log line with an id', '{"id":3,"level":"info"}'],
  ['a log line with a result', '{"id":3,"result":"ok"}'],
  ['a request', '{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}'],
  ['no id', '{"jsonrpc":"2.0","result":{}}'],
  ['an id that is none of ours', '{"jsonrpc":"2.0","id":"3","result":{'],
  ['words', 'listening on 3'],
  ['nothing', ''],
])('%s is not', (_name, text) => {
  expect(idIn(text)).toBeUndefined();
});

test('says whose answer it was, and what is wrong with it', () => {
  const answered = toUnreadableAnswer(
    'a',
    Buffer.from('{"jsonrpc":"2.0","id":3,"result":'),
    new FaultError('parse', 'Not JSON.'),
  );
  expect(answered?.fault).toMatchObject({
    code: 'upstream_protocol',
    message: '"a" answered, but the answer cannot be read: Not JSON.',
  });
});
