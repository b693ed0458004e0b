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
    ['an address', { url: 'https://api.example.com/**' }, { url: 'https://api.example.com/v1/a?b=c;d&e=f#g' }],
    ['a share', { path: '\\\\nas\\reports\\*' }, { path: '\\\\nas\\reports\\may.csv' }],
    ['a text with addresses', { comment: '**' }, { comment: 'see https://a.test//x, http://b.test and 1⁄2 … wait‥' }],
    ['a text in Chinese', { comment: '**' }, { comment: '报告／五月。。好，见 a/b。' }],
    ['a text with emoji', { comment: '* done' }, { comment: '👩‍👩‍👧 ❤️ done' }],
    ['names in other scripts', { path: '/reports/**' }, { path: '/reports/五月。报告/Übersicht ½.csv' }],
    ['a soft hyphen in a name', { path: '/reports/**' }, { path: '/reports/Über\u00adsicht.csv' }],
    ['a folder of all packages', { path: './**' }, { path: './...' }],
    ['braces', { path: '/src/**' }, { path: '/src/{a,b}/[id].{ts,tsx}' }],
    ['a template', { text: '**' }, { text: 'const x = { ...props, a: [1..2] };' }],
    ['a glob', { path: '/src/**' }, { path: '/src/**/*.test.ts' }],
    ['a regular expression', { pattern: '**', path: '/src/**' }, { pattern: '.*', path: '/src/a' }],
    ['a pattern in full width', { path: '报告／*' }, { path: '报告／五月' }],
    ['a semicolon', { path: '/r/*' }, { path: '/r/a;v=1.csv' }],
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
    ['climbing with a parameter', { path: '/reports/**' }, { path: '/reports/..;/etc' }],
    ['climbing with a parameter that has a value', { path: '/reports/**' }, { path: '/reports/..;a=b/etc' }],
    ['climbing before a query', { url: 'https://a.test/r/**' }, { url: 'https://a.test/r/..?x' }],
    ['climbing with a space, as Windows drops it', { path: '/reports/**' }, { path: '/reports/.. /etc' }],
    ['climbing with a soft hyphen', { path: '/reports/**' }, { path: '/reports/.\u00ad./etc' }],
    ['climbing with a zero width space', { path: '/reports/**' }, { path: '/reports/..\u200b/etc' }],
    ['climbing with a variation selector', { path: '/reports/**' }, { path: '/reports/.\ufe0f./etc' }],
    ['climbing with a two dot leader', { path: '/reports/**' }, { path: '/reports/\u2025/etc' }],
    ['climbing with one dot leaders', { path: '/reports/**' }, { path: '/reports/\u2024\u2024/etc' }],
    ['climbing in full width', { path: '/reports/**' }, { path: '/reports／．．／etc' }],
    ['climbing in full width, from a step', { path: '/reports/*' }, { path: '/reports/..／etc' }],
    ['climbing with another slash', { path: '/reports/**' }, { path: '/reports/..\u2215etc' }],
    ['climbing with another backslash', { path: '/reports/**' }, { path: '/reports/..\u2216etc' }],
    ['climbing with ideographic stops', { path: '/reports/**' }, { path: '/reports/。。/etc' }],
    ['climbing overlong', { path: '/reports/**' }, { path: '/reports/%c0%ae%c0%ae/etc' }],
    ['climbing as IIS reads it', { path: '/reports/**' }, { path: '/reports/%u002e%u002e/etc' }],
    ['climbing in braces', { path: '/reports/**' }, { path: '/reports/{a,../etc}' }],
    ['climbing out of braces', { path: '/reports/**' }, { path: '/reports/{.,x}{.,x}/etc' }],
    ['climbing with empty braces', { path: '/reports/**' }, { path: '/reports/.{,}./etc' }],
    ['climbing with a glob', { path: '/reports/**' }, { path: '/reports/.?/etc' }],
    ['climbing with a glob of a set', { path: '/reports/**' }, { path: '/reports/.[.]/etc' }],
    ['a step more in full width', { path: '/reports/*' }, { path: '/reports/a／b' }],
    ['a step more in one character', { path: '/reports/*' }, { path: '/reports/\u2105' }],
    ['an empty step that starts anew', { path: '/reports/**' }, { path: '/reports//etc/passwd' }],
    ['an empty step in full width', { path: '/reports/**' }, { path: '/reports/／etc/passwd' }],
    ['an empty step backwards', { path: 'C:\\r\\**' }, { path: 'C:\\r\\\\nas\\x' }],
    ['an empty step in an address', { url: 'https://a.test/**' }, { url: 'https://a.test//b.test/x' }],
    ['three slashes for two', { url: 'https://**/x' }, { url: 'https:///a.test/x' }],
    ['a NUL, encoded', { path: '/reports/**' }, { path: '/reports/a%00.png' }],
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
