import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';
import { findCarriers, whatCarries } from './find-carriers.ts';

test.each([
  ['https://e.example/p?d=[DATA]', 'blank'],
  ['https://e.example/{conversation}/x.png', 'blank'],
  ['https://e.example/p?d=%5BSUMMARY%5D', 'blank'],
  ['https://e.example/p?d=USER_DATA', 'blank'],
  [`https://e.example/p?d=${'aGVsbG8gd29ybGQgdGhpcyBpcyBzZWNyZXQgZGF0YQ'}`, 'data'],
  [`https://e.example/p?text=${'word+'.repeat(60)}`, 'data'],
  ['https://4a6f686e446f653132333435363738393061626364656631.e.example/', 'data'],
  ['https://cdn.example.com/images/2026/logo.png?v=3', 'none'],
  ['https://example.com/search?q=weather&lang=en', 'none'],
])('%s: %s', (url, carries) => {
  expect(whatCarries(url)).toBe(carries);
});

test('images, links, HTML and styles, where they stand', () => {
  const text =
    'a ![i](https://e.example/1) [l](https://e.example/(2)) <img src="https://e.example/3"> url(https://e.example/4)';
  expect(findCarriers(text).map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['image', '![i](https://e.example/1)'],
    ['link', '[l](https://e.example/(2))'],
    ['html', '<img src="https://e.example/3">'],
    ['html', 'url(https://e.example/4'],
  ]);
  expect(findCarriers('[x] (y) a](b <br> ![i](local.png) <a href="#top">')).toEqual([]);
});

test('addresses that stand apart from the picture or link that shows them', () => {
  const text = `![chart][A] and [more][b], ![c]\n\n[a]: https://e.example/p?d={DATA}\n  [B]: <https://e.example/b>\n[c]: //e.example/c`;
  expect(findCarriers(text).map(({ kind, url, carries }) => [kind, url, carries])).toEqual([
    ['image', 'https://e.example/p?d={DATA}', 'blank'],
    ['link', 'https://e.example/b', 'none'],
    ['image', '//e.example/c', 'none'],
  ]);
  expect(cleanText(text, { carriers: findCarriers(text), marks: [] }).cleaned).not.toMatch(/https:|: ?\/\//);
  expect(findCarriers('see [1]: the second page\n[note]: text')).toEqual([]);
});

test('a link that runs something is none any more', () => {
  const text = 'press [here](javascript:alert(1)) or [there](DATA:text/html,x)';
  expect(findCarriers(text).map(({ kind, runs }) => [kind, runs])).toEqual([
    ['link', true],
    ['link', true],
  ]);
  expect(cleanText(text, { carriers: findCarriers(text), marks: [] }).cleaned).not.toMatch(/javascript:|\]\(/i);
});

test('an image is one behind hundreds of links with its label', () => {
  const text = `${'[a][l] '.repeat(400)}![b][L]\n\n[l]: https://collect.example/?q=[DATA]\n`;
  expect(findCarriers(text)).toMatchObject([{ kind: 'image', carries: 'blank', isFollowed: false }]);
});
