import { expect, test } from 'vitest';
import { headerOf, ResponseReader } from './response-reader.ts';

/** Everything reported for `bytes` when they arrive in pieces of `size`. */
function readInPieces(bytes: string, size: number): string[] {
  const seen: string[] = [];
  let body = '';
  const reader = new ResponseReader({
    onHead: (status) => seen.push(`head ${status}`),
    onBody: (piece) => {
      body += piece.toString('latin1');
    },
    onEnd: () => {
      seen.push(`end ${body}`);
      body = '';
    },
  });
  const data = Buffer.from(bytes, 'latin1');
  for (let at = 0; at < data.length; at += size) reader.read(data.subarray(at, at + size));
  return seen;
}

const RESPONSES =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
  'HTTP/1.1 202 Accepted\r\nDate: now\r\n\r\n' +
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n' +
  'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno';

test.each([1, 2, 3, 7, 64, 10_000])('responses that follow each other are told apart in pieces of %i bytes', (size) => {
  expect(readInPieces(RESPONSES, size)).toEqual([
    'head 200',
    'end hello',
    'head 202',
    'end ',
    'head 200',
    'end abc0123456789',
    'head 404',
    'end no',
  ]);
});

test('header names have no case, values keep theirs', () => {
  expect(headerOf('HTTP/1.1 200 OK\r\nMcp-Session-Id: aBc\r\nX: y', 'mcp-session-id')).toBe('aBc');
  expect(headerOf('HTTP/1.1 200 OK\r\nX: y', 'mcp-session-id')).toBeUndefined();
});
