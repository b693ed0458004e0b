import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../test/cpu-time.ts';
import { readFastHead } from './fast-request.ts';

const head = (...lines: string[]) =>
  ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Length: 2', ...lines].join('\r\n');
const read = (text: string) => readFastHead(text, 100);

describe('plain heads are read', () => {
  test('names in lower case, values without the white space around them', () => {
    expect(read(head('Accept:\t a, b \t', 'X-Mine:'))).toEqual({
      url: '/mcp',
      bodyLength: 2,
      headers: { host: 'localhost', 'content-length': '2', accept: 'a, b', 'x-mine': '' },
    });
  });

  test.each([
    ['Connection: keep-alive'],
    ['Connection: Keep-Alive'],
    ['X-Latin: caf\xe9'],
    ['constructor: x'],
    ['Mcp-Name: =?base64?5LiW?='],
  ])('%j', (line) => {
    expect(read(head(line))?.bodyLength).toBe(2);
  });

  test('the same spelling of a name means the same every time', () => {
    expect(read(head('Mcp-METHOD: a'))?.headers).toMatchObject({ 'mcp-method': 'a' });
    expect(read(head('Mcp-METHOD: b'))?.headers).toMatchObject({ 'mcp-method': 'b' });
  });
});

describe('whatever two programs could read in two ways is left to node:http', () => {
  test.each([
    ['another method', head().replace('POST', 'GET')],
    ['a method in lower case', head().replace('POST', 'post')],
    ['another version', head().replace('HTTP/1.1', 'HTTP/1.0')],
    ['an absolute target', head().replace('/mcp', 'http://localhost/mcp')],
    ['two spaces', head().replace('POST ', 'POST  ')],
    ['a space in the target', head().replace('/mcp', '/mcp /x')],
    ['a tab in the target', head().replace('/mcp', '/mc\tp')],
    ['no host', head().replace('Host: localhost\r\n', '')],
    ['two hosts', head('host: localhost')],
    ['no length', head().replace('Content-Length: 2', 'X: 2')],
    ['two lengths', head('content-length: 2')],
    ['a list of lengths', head().replace('Length: 2', 'Length: 2, 2')],
    ['a length with a sign', head().replace('Length: 2', 'Length: +2')],
    ['a length in hexadecimal', head().replace('Length: 2', 'Length: 0x2')],
    ['an empty length', head().replace('Length: 2', 'Length:')],
    ['chunks', head('Transfer-Encoding: chunked')],
    ['a coding nobody knows', head('transfer-encoding: identity')],
    ['a compressed body', head('Content-Encoding: gzip')],
    ['a question before the body', head('Expect: 100-continue')],
    ['an upgrade', head('Upgrade: h2c')],
    ['a browser', head('Origin: https://evil.example')],
    ['a last request', head('Connection: close')],
    ['headers that end at the next hop', head('Connection: keep-alive, authorization')],
    ['any header twice', head('X-Mine: a', 'x-mine: b')],
    ['a folded value', head('X-Mine: a', ' b')],
    ['a space before the colon', head('X-Mine : a')],
    ['a space before the name', head(' X-Mine: a')],
    ['a line without a colon', head('X-Mine')],
    ['a line without a name', head(': a')],
    ['a line feed alone', head('X-Mine: a\nContent-Length: 5')],
    ['a carriage return alone', head('X-Mine: a\rContent-Length: 5')],
    ['a space that is none to HTTP', head('X-Mine: a\xa0')],
    ['a zero byte', head('X-Mine: a\0b')],
    ['an escape character', head('X-Mine: \x1b[0m')],
    ['a name outside ASCII', head('X-Min\xe9: a')],
    ['an empty line before', `\r\n${head()}`],
  ])('%s', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });

  test('more headers than the limit', () => {
    const lines = Array.from({ length: 98 }, (_, index) => `X-${index}: a`);
    expect(read(head(...lines))).toBeDefined();
    expect(read(head(...lines, 'Y: a'))).toBeUndefined();
  });
});

test('a long head is read in time that grows with its length', () => {
  const lines = [`X: ${' '.repeat(16_000)}\0`, `${'X'.repeat(16_000)}\0`, `X:${'a:'.repeat(8_000)}\0`];
  const used = cpuTimeOf(() => {
    for (const line of lines) expect(read(head(line))).toBeUndefined();
  });
  // Quadratic time would be some hundred times this.
  expect(used).toBeLessThan(500);
});
