import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../test/wait-for.ts';
import { FastPath } from './fast-path.ts';
import type { FastRequest } from './fast-request.ts';
import type { FastResponse } from './fast-response.ts';

const KEEP_ALIVE_MS = 1_500;
/** Of 60 kB of answer each: far more than the system's buffers hold. */
const REQUESTS = 600;
let server: Server;
let served: { request: FastRequest; response: FastResponse }[];
/** Bodies that node:http read. */
let handed: string[];
let leaving: boolean;
let serve: (request: FastRequest, response: FastResponse) => void;
const clients: Socket[] = [];

beforeEach(async () => {
  leaving = false;
  served = [];
  handed = [];
  serve = (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`fast ${request.url} ${request.body}`);
  };
  const limits = { headersTimeout: 400, requestTimeout: 800, connectionsCheckingInterval: 100 };
  server = createHttpServer(limits, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      handed.push(Buffer.concat(parts).toString());
      response.end(`node ${request.method} ${request.url}`);
    });
  });
  const [serveConnection] = server.listeners('connection');
  server.removeAllListeners('connection');
  const path = new FastPath({
    limits: () => ({ headerBytes: 16_384, headerCount: 100, headerMs: 400 }),
    keepAliveMs: KEEP_ALIVE_MS,
    isLeaving: () => leaving,
    isWelcome: ({ headers }) => headers['authorization'] !== 'wrong',
    serve: (request, response) => {
      served.push({ request, response });
      serve(request, response);
    },
    handOver: (socket) => serveConnection?.call(server, socket),
  });
  server.on('connection', (socket) => path.accept(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

class Client {
  readonly socket: Socket;
  text = '';
  readonly ended: Promise<void>;
  #heard: () => void = () => {};

  constructor() {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.socket.setNoDelay(true);
    clients.push(this.socket);
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
      this.#heard();
    });
    this.socket.on('error', () => {});
    this.ended = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return this.text;
  }
}

const post = (body: string, more = '', path = '/mcp') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const flush = (socket: Socket, text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve()));

test('a plain POST is answered in one piece, and the connection stays', async () => {
  const client = new Client();
  client.socket.write(post('{}'));
  const text = await client.until(/fast \/mcp \{\}$/);
  expect(text).toMatch(
    /^HTTP\/1\.1 200 OK\r\ncontent-type: text\/plain\r\ncontent-length: 12\r\ndate: \w{3}, .{20,25} GMT\r\nconnection: keep-alive\r\nkeep-alive: timeout=1\r\n\r\n/,
  );
  client.socket.write(post('{"a":1}'));
  await client.until(/fast \/mcp \{"a":1\}$/);
  expect(handed).toEqual([]);
});

test('while it is left, the next answer of a connection is its last, and says so', async () => {
  const client = new Client();
  client.socket.write(post('{}'));
  await client.until(/fast \/mcp \{\}$/);
  leaving = true;
  client.socket.write(post('{"a":1}'));
  expect(await client.until(/fast \/mcp \{"a":1\}$/)).toMatch(/GMT\r\nconnection: close\r\n\r\nfast/);
  await client.ended;
});

test('requests sent ahead are answered in order, one at a time', async () => {
  const client = new Client();
  client.socket.write(post('1') + post('2') + post('3'));
  const text = await client.until(/fast \/mcp 3$/);
  expect(text.match(/fast \/mcp \d/g)).toEqual(['fast /mcp 1', 'fast /mcp 2', 'fast /mcp 3']);
});

test('a body may come in pieces', async () => {
  const client = new Client();
  const text = post('hello');
  for (const piece of [text.slice(0, -5), text.slice(-5, -2), text.slice(-2)]) {
    await flush(client.socket, piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await client.until(/fast \/mcp hello$/);
});

test.each([
  ['another method', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n', 'node GET /x'],
  ['chunks', 'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n', 'node POST /x'],
  ['a browser', post('{}', 'Origin: http://localhost\r\n'), 'node POST /mcp'],
  ['a large body', post('a'.repeat(100_000)), 'node POST /mcp'],
])(
  '%s goes to node:http, with every byte, and so does what follows on that connection',
  async (_name, text, answer) => {
    const client = new Client();
    client.socket.write(text + post('after'));
    await client.until(new RegExp(`${answer}[^]*node POST /mcp`));
    expect(served).toEqual([]);
    expect(handed.at(-1)).toBe('after');
  },
);

test('after plain requests a connection can still be handed over', async () => {
  const client = new Client();
  client.socket.write(post('1'));
  await client.until(/fast \/mcp 1$/);
  client.socket.write('DELETE /mcp HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.until(/node DELETE \/mcp$/);
  client.socket.write(post('2'));
  await client.until(/node POST \/mcp$/);
  expect(handed).toEqual(['', '2']);
});

test.each([
  ['half a head', 'POST /mcp HTTP/1.1\r\nHo'],
  ['bare line feeds', post('{}').replaceAll('\r', '')],
  ['half a body of one who will be refused', post('{}', 'Authorization: wrong\r\n').slice(0, -1)],
])('%s is Node’s to answer', async (_name, text) => {
  const client = new Client();
  client.socket.write(text);
  await client.ended;
  expect(client.text).toMatch(/^HTTP\/1\.1 4/);
  expect(client.text).not.toContain('keep-alive');
  expect(served).toEqual([]);
});

test('a body cut in many pieces goes to node:http whole', async () => {
  const client = new Client();
  const text = post('x'.repeat(40));
  for (const character of text) {
    await flush(client.socket, character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await client.until(/(node|fast)/);
  expect([...handed, ...served.map(({ request }) => String(request.body))]).toEqual(['x'.repeat(40)]);
});

test('a stream is sent in chunks', async () => {
  serve = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.write('data: 1\n\n', 'latin1');
    response.write('', 'latin1');
    response.end('data: caf\xc3\xa9\n\n');
  };
  const client = new Client();
  client.socket.write(post('{}'));
  const text = await client.until(/\r\n0\r\n\r\n$/);
  expect(text).toContain('transfer-encoding: chunked\r\n');
  expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('9\r\ndata: 1\n\n\r\nd\r\ndata: caf\xc3\xa9\n\n\r\n0\r\n\r\n');
});

test('whoever waits hears when the client goes away', async () => {
  const closed = new Promise<void>((resolve) => {
    serve = (_request, response) => response.on('close', resolve);
  });
  const client = new Client();
  client.socket.write(post('{}'));
  while (served.length === 0) await new Promise((resolve) => setImmediate(resolve));
  client.socket.end();
  await closed;
  expect(served[0]?.response.destroyed).toBe(true);
});

test.each([
  ['nothing', ''],
  ['half a body', post('{}').slice(0, -1)],
])('%s is waited for no longer than the limit', async (_name, text) => {
  const client = new Client();
  client.socket.write(text);
  await client.ended;
  expect(client.text).toMatch(/^HTTP\/1\.1 408 /);
});

test('an idle connection is closed without a word', async () => {
  const client = new Client();
  client.socket.write(post('{}'));
  const text = await client.until(/fast \/mcp \{\}$/);
  await client.ended;
  expect(client.text).toBe(text);
});

test('a client that asks on and on and never reads is not read from for ever', async () => {
  serve = (_request, response) => response.writeHead(200).end('x'.repeat(60_000));
  const client = new Client();
  client.socket.pause();
  const many = post('{}').repeat(REQUESTS);
  client.socket.write(many);
  let before = -1;
  while (before !== served.length) {
    before = served.length;
    // Nothing tells that nothing more comes; a tenth of a second without any is long beside a request.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // What the system's buffers hold, not what was asked for.
  expect(served.length).toBeLessThan(REQUESTS / 2);
  client.socket.resume();
  await waitFor(() => expect(served).toHaveLength(REQUESTS));
});
