import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { exchange, messageIn, RawConnection } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { memoryOf, resetPeak } from './process-table.ts';
import { misbehaving, newTestFolder, type RunningGateway, StdioGateway, startGateway } from './running-sallyport.ts';

const LIMIT = 4 * 1024 * 1024;
const MIB = Buffer.alloc(1024 * 1024, 0x20);
let gateway: RunningGateway;
let client: PlainClient;

beforeAll(async () => {
  const mcpServers = { bad: misbehaving({ tools: ['echo'] }) };
  gateway = await startGateway({ mcpServers, taint: { mode: 'off' }, results: { characters: 0 } });
  client = await new PlainClient(gateway).initialize();
  // The first large answer grows buffers that stay; what is measured comes after it.
  await client.call('bad_echo', { a: 'x'.repeat(1_000_000) });
});

function headOf(length: string, path = '/mcp'): string {
  const { host } = new URL(gateway.origin);
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
}

/** Sends up to 100 MB, as fast as they are taken; stops when the other side has answered or closed. */
async function pour(connection: RawConnection, part: Buffer): Promise<void> {
  for (let sent = 0; sent < 100 && connection.statuses.length === 0 && !connection.isClosed; sent++) {
    if (!connection.socket.write(part)) await Promise.race([once(connection.socket, 'drain'), connection.answered()]);
  }
}

/** How much the highest resident memory grows while `work` runs, in MiB. */
async function peakGrowth(work: () => Promise<void>): Promise<number> {
  await resetPeak(gateway.pid);
  const before = memoryOf(gateway.pid).peak;
  await work();
  return memoryOf(gateway.pid).peak - before;
}

describe('a body of 100 MB', () => {
  const KINDS = [
    ['by Content-Length', `Content-Length: ${100 * MIB.length}`, MIB],
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      Buffer.concat([Buffer.from(`${MIB.length.toString(16)}\r\n`), MIB, Buffer.from('\r\n')]),
    ],
  ] as const;

  it.each(KINDS)('%s is refused and costs no memory', async (_name, length, part) => {
    const growth = await peakGrowth(async () => {
      for (let i = 0; i < 5; i++) {
        const connection = new RawConnection(gateway.origin).send(headOf(length));
        await pour(connection, part);
        expect(await connection.answered()).toEqual([413]);
        expect(connection.received).toContain('The request body is larger than 4194304 bytes.');
        connection.socket.destroy();
      }
    });
    expect(growth).toBeLessThan(32);
    expect((await client.request('ping')).result).toEqual({});
  });

  it('is refused on /message, too, and without a key before anything else is looked at', async () => {
    const growth = await peakGrowth(async () => {
      const unknown = new RawConnection(gateway.origin).send(
        headOf(`Content-Length: ${100 * MIB.length}`, '/message?sessionId=x'),
      );
      await pour(unknown, MIB);
      expect(await unknown.answered()).toEqual([404]);
      const stranger = new RawConnection(gateway.origin).send(
        headOf(`Content-Length: ${100 * MIB.length}`).replace('Bearer sp_', 'Bearer xx_'),
      );
      await pour(stranger, MIB);
      expect(await stranger.answered()).toEqual([401]);
      for (const each of [unknown, stranger]) each.socket.destroy();
    });
    expect(growth).toBeLessThan(32);
  });

  it('ten at once are refused while others are served', async () => {
    const growth = await peakGrowth(async () => {
      const connections = Array.from({ length: 10 }, () =>
        new RawConnection(gateway.origin).send(headOf('Transfer-Encoding: chunked')),
      );
      const pouring = connections.map((connection) => pour(connection, KINDS[1][2]));
      for (let i = 0; i < 20; i++) expect((await client.request('ping')).result).toEqual({});
      await Promise.all(pouring);
      for (const connection of connections) {
        expect(await connection.answered()).toEqual([413]);
        connection.socket.destroy();
      }
    });
    // Each may have read its 4 MiB before it went too far.
    expect(growth).toBeLessThan(80);
  });

  it('clients that nobody here wrote see the status', async () => {
    const file = join(newTestFolder(), 'large');
    writeFileSync(file, Buffer.alloc(20 * MIB.length, 0x20));
    const args = [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      `Authorization: Bearer ${gateway.key}`,
      '-H',
      'Content-Type: application/json',
      '-H',
      'Expect:',
      '--data-binary',
      `@${file}`,
      gateway.url,
    ];
    const { stdout } = await promisify(execFile)('curl', args);
    expect(stdout).toBe('413');
    const chunked = await promisify(execFile)('curl', ['-H', 'Transfer-Encoding: chunked', ...args]);
    expect(chunked.stdout).toBe('413');
    for (let i = 0; i < 10; i++) {
      const answer = await fetch(gateway.url, {
        method: 'POST',
        headers: gateway.headers,
        body: new Uint8Array(20 * MIB.length),
      });
      expect(answer.status).toBe(413);
      await answer.text();
    }
  });
});

describe('what is compressed', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024, 0x20);
  const BOMBS: readonly [encoding: string, bytes: () => Buffer][] = [
    ['gzip', () => gzipSync(zeros)],
    ['deflate', () => deflateSync(zeros)],
    ['br', () => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ];

  it.each(BOMBS)('64 MB in a little %s are refused at the limit', async (encoding, bytes) => {
    const bomb = bytes();
    expect(bomb.length).toBeLessThan(300_000);
    const growth = await peakGrowth(async () => {
      for (let i = 0; i < 5; i++) {
        const answer = await client.post(bomb, { ...client.session, 'content-encoding': encoding });
        expect(answer.status).toBe(413);
        expect(messageIn(answer)).toMatchObject({
          id: null,
          error: { code: -32600, message: expect.stringMatching(/larger than 4194304 bytes/) },
        });
      }
    });
    expect(growth).toBeLessThan(64);
  });

  it('is read up to the limit', async () => {
    const text = callOf(LIMIT);
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['GZIP', gzipSync],
    ] as const) {
      const answer = await client.post(compress(Buffer.from(text)), {
        ...client.session,
        'content-encoding': encoding,
      });
      expect(textOf(messageIn(answer))?.length).toBeGreaterThan(LIMIT - 10);
    }
  });

  it('is refused when it is damaged or of an encoding nobody knows', async () => {
    for (const [encoding, body, message] of [
      ['gzip', 'not compressed', 'The compressed body cannot be read.'],
      ['gzip', gzipSync('{}').subarray(0, 10), 'The compressed body cannot be read.'],
      ['br', '', 'The compressed body cannot be read.'],
      [
        'gzip, gzip',
        gzipSync(gzipSync('{}')),
        'Content-Encoding gzip, gzip is not supported; use gzip, deflate, br or none.',
      ],
      ['compress', '{}', 'Content-Encoding compress is not supported; use gzip, deflate, br or none.'],
      ['__proto__', '{}', 'Content-Encoding __proto__ is not supported; use gzip, deflate, br or none.'],
    ] as const) {
      const answer = await client.post(body, { ...client.session, 'content-encoding': encoding });
      expect(answer.status).toBe(400);
      expect(messageIn(answer)).toMatchObject({ error: { code: -32600, message } });
    }
  });
});

/** A call of exactly this many bytes. */
function callOf(length: number, modern = false): string {
  const params = { name: 'bad_echo', arguments: { a: '' } };
  const empty = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: modern ? modernParams(params) : params,
  });
  return empty.replace('"a":""', `"a":"${'x'.repeat(length - empty.length)}"`);
}

describe('a body of exactly the limit', () => {
  it('works in both eras, by length and in chunks, and one byte more does not', async () => {
    const wide = { ...gateway.headers, ...modernHeaders('tools/call', { name: 'bad_echo' }) };
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
      for (const [more, status] of [
        [0, 200],
        [1, 413],
      ] as const) {
        expect((await client.post(callOf(LIMIT + more), { ...client.session, ...headers })).status).toBe(status);
        const modern = await exchange({
          url: gateway.url,
          headers: { ...wide, ...headers },
          body: callOf(LIMIT + more, true),
        });
        expect(modern.status).toBe(status);
      }
    }
    const answer = await client.post(callOf(LIMIT), client.session);
    expect(textOf(messageIn(answer))?.length).toBeGreaterThan(LIMIT - 10);
  });

  it('works on stdio, and a longer line is refused, not kept', async () => {
    const stdio = new StdioGateway({ mcpServers: { bad: misbehaving({ tools: ['echo'] }) }, taint: { mode: 'off' } });
    stdio.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }),
    );
    await stdio.line('"id":0');
    stdio.send(callOf(LIMIT));
    expect(await stdio.line('"id":1')).toHaveLength((await stdio.line('"id":1')).length);
    await resetPeak(stdio.process.pid);
    const before = memoryOf(stdio.process.pid).peak;
    const { stdin } = stdio.process.child;
    for (let i = 0; i < 100; i++) if (stdin?.write(MIB) === false) await once(stdin, 'drain');
    stdio.send('', '{"jsonrpc":"2.0","id":2,"method":"ping"}');
    expect(await stdio.line('"id":2')).toBe('{"jsonrpc":"2.0","id":2,"result":{}}');
    expect(stdio.lines.filter((line) => line.includes('"id":null'))).toEqual([
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message is larger than 4194304 bytes."}}',
    ]);
    expect(memoryOf(stdio.process.pid).peak - before).toBeLessThan(32);
  });
});
