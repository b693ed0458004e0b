import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { memoryOf, openFiles, resetPeak } from './process-table.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

type Answer = (response: ServerResponse, message: Incoming) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const result = (id: unknown, text: string) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const json = (response: ServerResponse, message: unknown) =>
  void response.writeHead(200, JSON_TYPE).end(JSON.stringify(message));

/** Says the same for as long as it is listened to. */
function flood(response: ServerResponse, text: string): void {
  const { socket } = response;
  const on = () => {
    if (socket !== null && !socket.destroyed) socket.write(text.repeat(100), () => setTimeout(on, 5));
  };
  on();
}

/** Writes until the other side has had enough. */
async function writeOn(response: ServerResponse, parts: number, part: string): Promise<void> {
  for (let i = 0; i < parts && !response.destroyed; i++) {
    if (!response.write(part))
      await new Promise<void>((resolve) => response.once('drain', resolve).once('close', resolve).setMaxListeners(0));
  }
  response.end();
}

const LATE = /did not answer tools\/call in time\. The call may have run/;
const NO_ANSWER = /mcp ended its answer without a JSON-RPC answer to the request\./;
const UNREADABLE = /answered, but the answer cannot be read: A JSON-RPC /;
const NO_HTTP = /mcp: The server does not speak HTTP\/1\.1 as it should: .+\. Correct its url or the server\./;
/** A response as bytes; the connection stays open. */
const raw = (bytes: string) => (response: ServerResponse) => void response.socket?.write(bytes, 'latin1');
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** What a server may do to one call, and what its caller is told. */
const WAYS: Readonly<Record<string, { answer: Answer; message?: RegExp; text?: string }>> = {
  reset: { answer: (response) => void response.destroy(), message: /talking: it closed the connection/ },
  'reset-in-head': {
    answer: (response) => void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Ty'),
    message: /talking: it closed the connection/,
  },
  'reset-in-body': {
    answer: (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
      response.write('{"jsonrpc":"2.0",', () => response.destroy());
    },
    message: /talking: it closed the connection/,
  },
  'no-http': {
    answer: (response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
    message: NO_HTTP,
  },
  'two-lengths': { answer: raw(`${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`), message: NO_HTTP },
  'length-and-chunks': {
    answer: raw(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
    message: NO_HTTP,
  },
  'signed-length': { answer: raw(`${HEAD}Content-Length: +2\r\n\r\n{}`), message: NO_HTTP },
  'bad-chunk': { answer: raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`), message: NO_HTTP },
  'long-chunk': { answer: raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`), message: NO_HTTP },
  'bare-line-feeds': { answer: raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`), message: NO_HTTP },
  'other-coding': { answer: raw(`${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`), message: NO_HTTP },
  'more-than-its-length': {
    answer: (response, { id }) => {
      const body = JSON.stringify(result(id, 'sense'));
      raw(`${HEAD}Content-Length: ${body.length}\r\n\r\n${body}${HEAD}Content-Length: 2\r\n\r\n{}`)(response);
    },
    text: 'sense',
  },
  'announcements-without-end': {
    answer: (response) => flood(response, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    message: LATE,
  },
  'trailers-without-end': {
    answer: (response) => {
      raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`)(response);
      flood(response, 'X-Trailer: a\r\n');
    },
    message: LATE,
  },
  hang: { answer: () => {}, message: LATE },
  'hang-in-body': {
    answer: (response) => void response.writeHead(200, JSON_TYPE).write('{"jsonrpc"'),
    message: LATE,
  },
  'hang-in-stream': {
    answer: (response) => void response.writeHead(200, EVENTS).write(': wait\n\n'),
    message: LATE,
  },
  'status-500': {
    answer: (response) => void response.writeHead(500).end('a bug'),
    message: /answered HTTP 500: a bug/,
  },
  'status-503': { answer: (response) => void response.writeHead(503).end('down'), message: /answered HTTP 503: down/ },
  'status-429': {
    answer: (response) => void response.writeHead(429).end('slow down'),
    message: /answered HTTP 429: slow down/,
  },
  'status-401': {
    answer: (response) => void response.writeHead(401).end(),
    message: /answered 401: it wants credentials/,
  },
  'status-403': {
    answer: (response) => void response.writeHead(403).end(),
    message: /answered 403: the credentials it was given do not allow this/,
  },
  redirect: {
    answer: (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/steal' }).end(),
    message: /redirects \(307\) to http:\/\/127\.0\.0\.1:1\/steal\. Redirects are not followed/,
  },
  accepted: { answer: (response) => void response.writeHead(202).end(), message: NO_ANSWER },
  empty: {
    answer: (response) => void response.writeHead(200, JSON_TYPE).end(),
    message: NO_ANSWER,
  },
  'no-json': {
    answer: (response) => void response.writeHead(200, JSON_TYPE).end('<html>'),
    message: NO_ANSWER,
  },
  html: {
    answer: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    message: /answered with text\/html/,
  },
  'bad-utf8': {
    answer: (response) => void response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0x7d])),
    message: NO_ANSWER,
  },
  'wrong-id': {
    answer: (response) => json(response, result(99_999, 'stolen')),
    message: NO_ANSWER,
  },
  'id-as-text': {
    answer: (response, { id }) => json(response, result(String(id), 'stolen')),
    message: NO_ANSWER,
  },
  'wrong-version': {
    answer: (response, { id }) => json(response, { ...result(id, 'x'), jsonrpc: '1.0' }),
    message: UNREADABLE,
  },
  'result-of-text': {
    answer: (response, { id }) => json(response, { jsonrpc: '2.0', id, result: 'x' }),
    message: UNREADABLE,
  },
  'stream-without-answer': {
    answer: (response) =>
      void response.writeHead(200, EVENTS).end(event({ jsonrpc: '2.0', method: 'notifications/x' })),
    message: NO_ANSWER,
  },
  compressed: {
    answer: (response) => void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end('x'),
    message: /sent a compressed answer \(gzip\) though none was asked for/,
  },
  'large-head': {
    answer: (response) => void response.writeHead(200, { ...JSON_TYPE, 'x-large': 'h'.repeat(70_000) }).end('{}'),
    message: /: The server does not speak HTTP\/1\.1 as it should: its headers are larger than 64 KiB\. Correct/,
  },
  huge: {
    answer: (response) => void writeOn(response.writeHead(200, JSON_TYPE), 200, 'h'.repeat(1024 * 1024)),
    message: /mcp: Its answer is larger than 64 MiB\. Ask for less\./,
  },
  'huge-event': {
    answer: (response) => void writeOn(response.writeHead(200, EVENTS), 200, `data: ${'h'.repeat(1024 * 1024)}\n`),
    message: /mcp: An event of its stream is larger than 16 MiB\. Ask for less\./,
  },
  'huge-line': {
    answer: (response) => void writeOn(response.writeHead(200, EVENTS), 200, 'h'.repeat(1024 * 1024)),
    message: /mcp: An event of its stream is larger than 16 MiB\. Ask for less\./,
  },
  twice: {
    answer: (response, { id }) =>
      void response.writeHead(200, EVENTS).end(event(result(id, 'first')) + event(result(id, 'second'))),
    text: 'first',
  },
  noisy: {
    answer: (response, { id }) =>
      void response
        .writeHead(200, EVENTS)
        .end(
          `: hi\n\ndata: {\n\ndata: []\n\nevent: x\ndata: y\n\n${event({ jsonrpc: '2.0', id: 'q', method: 'no/such' })}${event(result(id, 'sense'))}`,
        ),
    text: 'sense',
  },
  flood: {
    answer: (response, { id }) =>
      void writeOn(
        response.writeHead(200, EVENTS),
        32,
        event({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data: 'x'.repeat(1000) },
        }).repeat(1000),
      ).then(() => id),
    message: NO_ANSWER,
  },
  lingering: {
    answer: (response, { id }) => void response.writeHead(200, EVENTS).write(event(result(id, 'done'))),
    text: 'done',
  },
};

let gateway: RunningGateway;
let client: PlainClient;
let server: HttpUpstream;

beforeAll(async () => {
  server = await startHttpUpstream({
    tools: ['echo', ...Object.keys(WAYS)],
    behave: (message, response) => {
      const way = message.method === 'tools/call' ? WAYS[message.params?.name ?? ''] : undefined;
      if (way === undefined) return false;
      way.answer(response, message);
      return true;
    },
  });
  // One entry per way: their breakers and deadlines do not meet.
  const entries = Object.keys(WAYS).map((name) => [
    name,
    { url: server.url, prefix: name, timeoutMs: WAYS[name]?.message === LATE ? 1_000 : 20_000 },
  ]);
  gateway = await startGateway({
    mcpServers: { ...Object.fromEntries(entries), good: misbehaving({ tools: ['echo'] }) },
  });
  client = await new PlainClient(gateway).initialize();
  await client.request('tools/list');
});

describe('an HTTP upstream that answers a call badly', () => {
  const rows = Object.entries(WAYS).map(([name, way]) => ({ name, ...way }));
  it.each(rows)('$name', async ({ name, message, text }) => {
    const own = await new PlainClient(gateway, gateway.servers[name]).initialize();
    const calls = server.calls.get(name) ?? 0;
    await resetPeak(gateway.pid);
    const before = memoryOf(gateway.pid).peak;
    const [answer] = await Promise.all([own.call(name), client.call('good_echo')]);
    if (message === undefined) expect(textOf(answer)).toBe(text);
    else expect(answer.error).toMatchObject({ code: -32000, message: expect.stringMatching(message) });
    // Whatever happened to the answer, the call may have been carried out: it is not sent again.
    expect(server.calls.get(name)).toBe(calls + 1);
    expect(textOf(await own.call('echo'))).toBe('echo done');
    expect(memoryOf(gateway.pid).peak - before).toBeLessThan(name === 'huge' ? 160 : 64);
  });

  it('leaves no connection behind', async () => {
    const files = openFiles(gateway.pid);
    for (const name of ['hang-in-stream', 'lingering', 'reset', 'huge']) await client.call(`${name}_${name}`);
    await waitFor(() => expect(openFiles(gateway.pid)).toBeLessThanOrEqual(files + 2));
    await gateway.process.stop();
    await waitFor(() => expect(server.sockets()).toBe(0));
  });
});

describe('a server whose session ends', () => {
  it('is asked in a new session, and no call runs twice', async () => {
    let session = 'one';
    const restarting = await startHttpUpstream({ session: () => session });
    const own = await startGateway({ mcpServers: { restarting: { url: restarting.url } } });
    const caller = await new PlainClient(own).initialize();
    expect(textOf(await caller.call('restarting_echo'))).toBe('echo done');
    session = 'two';
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.call('restarting_echo')));
    expect(answers.map(textOf)).toEqual(answers.map(() => 'echo done'));
    expect(restarting.heard.filter((method) => method === 'initialize').length).toBeLessThanOrEqual(3);
  });
});
