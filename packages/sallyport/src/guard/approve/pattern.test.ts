import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../../test/cpu-time.ts';
import { checkPattern, matchesPattern, type Pattern } from './pattern.ts';

const long = 'a'.repeat(3_000);

describe('matches', () => {
  test.each<[string, Pattern, Record<string, unknown>]>([
    ['anything', 'any', { a: 1, b: [2] }],
    ['equal values', { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }],
    ['one step of a path', { path: '/reports/*' }, { path: '/reports/may.csv' }],
    ['an empty step', { path: '/reports/*' }, { path: '/reports/' }],
    ['many steps', { path: '/reports/**' }, { path: '/reports/2026/may.csv' }],
    ['a star in the middle', { path: '/a/*/c' }, { path: '/a/b/c' }],
    ['two stars', { to: '*@example.*' }, { to: 'bob@example.org' }],
    ['a text inside', { a: { to: 'b*' } }, { a: { to: 'bob' } }],
    ['two dots that climb nowhere', { name: '*' }, { name: 'a..b' }],
    ['a name every object has', { constructor: 1 }, { constructor: 1 }],
  ])('%s', (_, pattern, given) => expect(matchesPattern(pattern, given as never)).toBe(true));
});

describe('does not match', () => {
  test.each<[string, Pattern, Record<string, unknown>]>([
    ['another value', { a: 1 }, { a: 2 }],
    ['a number for a text', { a: '1' }, { a: 1 }],
    ['an argument more', { a: 1 }, { a: 1, force: true }],
    ['an argument less', { a: 1, b: 2 }, { a: 1 }],
    ['a step more', { path: '/reports/*' }, { path: '/reports/a/b' }],
    ['a step more, backwards', { path: 'C:\\r\\*' }, { path: 'C:\\r\\a\\b' }],
    ['a text too long to be walked', { a: '**x**y' }, { a: `${'x'.repeat(4_000_000)}y` }],
    ['climbing out', { path: '/reports/**' }, { path: '/reports/../etc/passwd' }],
    ['climbing at the end', { path: '/reports/**' }, { path: '/reports/..' }],
    ['climbing backwards', { path: '/reports/**' }, { path: '/reports/..\\..\\etc' }],
    ['climbing in disguise', { path: '/reports/**' }, { path: '/reports/%2e%2e/etc' }],
    ['climbing in double disguise', { path: '/reports/**' }, { path: '/reports/%252e%252e/etc' }],
    ['a line break', { to: '*@example.org' }, { to: 'x@evil.test\n@example.org' }],
    ['a NUL', { path: '/reports/**' }, { path: '/reports/a\0.png' }],
    ['a list for a text', { path: '/**' }, { path: ['/a'] }],
    ['an object for a text', { path: '**' }, { path: { a: 1 } }],
    ['another case', { path: '/Reports/*' }, { path: '/reports/a' }],
    ['a prefix only', { path: '/reports' }, { path: '/reports2' }],
    ['a name nobody wrote', {}, JSON.parse('{"__proto__":1}')],
  ])('%s', (_, pattern, given) => expect(matchesPattern(pattern, given as never)).toBe(false));
});

test('a pattern that would not cover its own call is refused', () => {
  expect(() => checkPattern({ b: 1 }, { a: 1 })).toThrow('does not cover');
  expect(() => checkPattern('all', { a: 1 })).toThrow('A pattern is');
});

test('many stars on a long text end soon', () => {
  const used = cpuTimeOf(() => expect(matchesPattern({ a: `${'**a'.repeat(40)}b` }, { a: long })).toBe(false));
  expect(used).toBeLessThan(2_000);
});
