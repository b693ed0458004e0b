import { describe, expect, test } from 'vitest';
import { Http1Parser, ResponseHead } from './http1-parser.ts';

interface Seen {
  status: number;
  type: string | undefined;
  body: string;
  ends: boolean[];
}

function read(pieces: readonly (string | Buffer)[], options: { close?: boolean } = {}): Seen {
  const seen: Seen = { status: 0, type: undefined, body: '', ends: [] };
  const parser = new Http1Parser({
    head: (head) => Object.assign(seen, { status: head.status, type: head.header('content-type') }),
    data: (chunk) => {
      seen.body += chunk.toString('latin1');
    },
    end: (reusable) => seen.ends.push(reusable),
  });
  parser.expect();
  for (const piece of pieces) parser.push(Buffer.from(piece as string, 'latin1'));
  if (options.close === true) parser.finish();
  return seen;
}

const FIXED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-LENGTH:  5 \r\n\r\nhello';
const CHUNKED =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhell\r\n1;x=y\r\no\r\n0\r\ntrailer: x\r\n\r\n';
const CONTINUED = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${FIXED}`;

describe('well-formed responses, whole and cut at every byte', () => {
  for (const [name, text] of Object.entries({ FIXED, CHUNKED, CONTINUED })) {
    test(name, () => {
      const whole = read([text]);
      expect(whole).toMatchObject({ status: 200, body: 'hello', ends: [true] });
      for (let at = 1; at < text.length; at++) expect(read([text.slice(0, at), text.slice(at)])).toEqual(whole);
      expect(read([...text])).toEqual(whole);
    });
  }
});

test('a body that came in one piece is handed on without a copy', () => {
  const bytes = Buffer.from(FIXED);
  let handed: Buffer | undefined;
  const parser = new Http1Parser({
    head: () => {},
    data: (chunk) => {
      handed = chunk;
    },
    end: () => {},
  });
  parser.expect();
  parser.push(bytes);
  expect(handed?.buffer).toBe(bytes.buffer);
});

test('bodies end by length, by chunks, by status, or with the connection', () => {
  expect(read(['HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'])).toMatchObject({
    status: 202,
    body: '',
    ends: [true],
  });
  expect(read(['HTTP/1.1 204 No Content\r\n\r\n'])).toMatchObject({ ends: [true] });
  expect(read(['HTTP/1.1 200 OK\r\n\r\nto the ', 'end'], { close: true })).toMatchObject({
    body: 'to the end',
    ends: [false],
  });
  expect(read(['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'], { close: true }).ends).toEqual([]);
});

test('a connection is used again only when both sides may', () => {
  expect(read(['HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 0\r\n\r\n']).ends).toEqual([false]);
  expect(read(['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n']).ends).toEqual([false]);
  expect(read(['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n']).ends).toEqual([true]);
});

describe('what two readers could read differently is refused', () => {
  const rows: [string, string][] = [
    ['length and chunks at once', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\n'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 999 What\r\n\r\n'],
    ['more than the answer', `${FIXED}HTTP/1.1 200 OK\r\n\r\n`],
    ['a chunk size that is no number', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\nab'],
    ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
    ['an endless chunk line', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'y'.repeat(5_000)}`],
  ];
  test.each(rows)('%s', (_name, text) => {
    expect(() => read([text])).toThrow(
      expect.objectContaining({
        code: 'upstream_protocol',
        message: expect.stringContaining('does not speak HTTP/1.1'),
      }) as Error,
    );
  });
});

test('header values are found whatever the case, and only whole names match', () => {
  const head = new ResponseHead(
    'HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie:b \r\nSet-Cookie2: c\r\nX: set-cookie: d',
  );
  expect(head.values('set-cookie')).toEqual(['a', 'b']);
  expect(head.header('set-cookie')).toBe('a');
  expect(head.values('cookie')).toEqual([]);
  expect(head.header('cookie')).toBeUndefined();
});

test('a head like the one before it is read anew when it differs', () => {
  const heads: (number | undefined)[] = [];
  const parser = new Http1Parser({ head: ({ status }) => heads.push(status), data() {}, end() {} });
  for (const [status, body] of [
    [200, 'a'],
    [200, 'b'],
    [201, 'c'],
  ] as const) {
    parser.expect();
    parser.push(Buffer.from(`HTTP/1.1 ${status} OK\r\ncontent-length: 1\r\n\r\n${body}`));
  }
  expect(heads).toEqual([200, 200, 201]);
});
