import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

test.each<[string, string, boolean]>([
  ['read_*', 'read_file', true],
  ['read_*', 'read_', true],
  ['read_*', 'Read_file', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*_issue', 'create_issue', true],
  ['*_issue', 'create_issues', false],
  ['a*b*c', 'a1b2b3c', true],
  ['a*b*c', 'a1b2b3', false],
  // No character but * and ? means anything: what looks like an expression is a name.
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['constructor', 'constructor', true],
  ['__proto__', '__proto__', true],
  [`${'a*'.repeat(30)}b`, 'a'.repeat(5_000), false],
])('%j matches %j: %j', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});
