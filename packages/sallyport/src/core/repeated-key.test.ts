import { expect, test } from 'vitest';
import { findRepeatedKey } from './repeated-key.ts';

test.each([
  ['{"a":1,"a":1}', 'a'],
  ['{"a":{"b":[{"c":1,"d":2,"c":3}]}}', 'c'],
  ['{"a" : 1, "\\u0061"\n:2}', 'a'],
  ['{"é":1,"\\u00e9":2}', 'é'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['[{"a":"}"},{"b":"\\"","b":1}]', 'b'],
])('%s has a key twice', (text, key) => {
  expect(findRepeatedKey(Buffer.from(text))).toBe(key);
});

test.each([
  '{}',
  '"a"',
  '{"a":1,"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":["a","a"]}',
  '{"a":"\\"b\\":1","b":1}',
])('%s has none', (text) => {
  expect(findRepeatedKey(Buffer.from(text))).toBeUndefined();
});
