import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CAPABLE,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import type { HttpOrigin } from './http-origin.ts';
import type { ReplyReader } from './http-reply.ts';
import { openSseWire } from './sse-wire.ts';

/** A server of 2024-11-05, written by hand: GET /sse opens the stream, POST where `endpoint` says. */
class SseSubject {
  readonly streams: ServerResponse[] = [];
  readonly posted: {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly message: Record<string, never>;
  }[] = [];
  /** `undefined`: a session of its own for each stream. */
  endpoint: string | undefined;
  onCall: (id: number, say: (message: unknown) => void) => void = (id, say) =>
    say({ jsonrpc: '2.0', id, result: { ok: 1 } });
  postStatus = 202;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/sse`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #say(session: number, message: unknown): void {
    this.streams[session - 1]?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      this.streams.push(response);
      response.write(`event: endpoint\ndata: ${this.endpoint ?? `/message?sessionId=${this.streams.length}`}\n\n`);
      return;
    }
    if (request.method !== 'POST' || request.url === '/sse') return void response.writeHead(404).end('nothing here');
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body);
    const session = Number(new URL(request.url ?? '', 'http://x').searchParams.get('sessionId'));
    this.posted.push({ path: request.url ?? '', headers: request.headers, message });
    if (message.method === 'tools/call' && this.postStatus !== 202)
      return void response.writeHead(this.postStatus).end('no');
    response.writeHead(202).end('Accepted');
    if (message.method === 'initialize')
      this.#say(session, {
        jsonrpc: '2.0',
        id: message.id,
        result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 's', version: '1' } },
      });
    else if (message.method === 'tools/call') this.onCall(message.id, (said) => this.#say(session, said));
  }
}

let subject: SseSubject;
let url: string;
const opened: Opened[] = [];
beforeEach(async () => {
  subject = new SseSubject();
  url = await subject.listen();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await subject.close();
});

function open(own: Partial<ServerSettings> = {}, type: 'sse' | 'auto' = 'sse'): Opened {
  const upstreams = openUpstreams(httpSettings(url, own, type));
  opened.push(upstreams);
  return upstreams;
}
const call = (upstreams: Opened, exchange = new TestExchange()) => upstreams.send('subject', toCall('tool'), exchange);

describe('an HTTP+SSE upstream', () => {
  it('is spoken to where its first event says', async () => {
    const upstreams = open();
    expect((await call(upstreams)).result).toEqual({ ok: 1 });
    expect(subject.posted.map(({ path }) => path)).toEqual(Array(3).fill('/message?sessionId=1'));
    expect(upstreams.status('subject')).toMatchObject({ era: 'legacy', revision: '2024-11-05', connections: 1 });
  });

  it('is found behind an address that says nothing of its transport', async () => {
    const upstreams = open({}, 'auto');
    expect((await call(upstreams)).result).toEqual({ ok: 1 });
    expect(upstreams.status('subject')).toMatchObject({ revision: '2024-11-05' });
  });

  it.each([
    'http://127.0.0.1:1/message',
    'https://evil.example/m',
    '//evil.example/m',
    'http://[',
    'javascript:alert(1)',
  ])('may not send us elsewhere: %s', async (endpoint) => {
    subject.endpoint = endpoint;
    await expect(call(open())).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringContaining('another host'),
    });
    expect(subject.posted).toEqual([]);
  });

  it('must name its endpoint in time', async () => {
    subject.endpoint = '';
    // An empty endpoint resolves to the url itself, so none at all is what a silent server sends.
    const silent = createServer(
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const upstreams = openUpstreams(
      httpSettings(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/sse`, { startTimeoutMs: 200 }, 'sse'),
    );
    await expect(call(upstreams)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('no event stream with an endpoint'),
    });
    await upstreams.close();
    silent.closeAllConnections();
    silent.close();
  });

  it('fails the one request it does not take', async () => {
    const upstreams = open();
    await call(upstreams);
    subject.postStatus = 500;
    await expect(call(upstreams)).rejects.toMatchObject({
      code: 'upstream_protocol',
      message: expect.stringContaining('HTTP 500: no'),
    });
    subject.postStatus = 202;
    expect((await call(upstreams)).result).toEqual({ ok: 1 });
    expect(subject.streams).toHaveLength(1);
  });

  it('takes everything in flight along when its stream ends, and is connected anew', async () => {
    const upstreams = open();
    await call(upstreams);
    const { onCall } = subject;
    subject.onCall = () => subject.streams.at(-1)?.end();
    await expect(call(upstreams)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('closed its event stream'),
    });
    subject.onCall = onCall;
    expect((await call(upstreams)).result).toEqual({ ok: 1 });
    expect(subject.streams).toHaveLength(2);
  });

  it('is told when a call is cancelled', async () => {
    const upstreams = open();
    await call(upstreams);
    const exchange = new TestExchange();
    const arrived = new Promise<void>((resolve) => {
      subject.onCall = () => resolve();
    });
    const answer = call(upstreams, exchange);
    await arrived;
    exchange.cancel('enough');
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    subject.onCall = (id, say) => say({ jsonrpc: '2.0', id, result: {} });
    await call(upstreams);
    expect(subject.posted.map(({ message }) => message)).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: expect.any(Number), reason: 'enough' },
    });
  });

  it('gives clients that can be asked a session each', async () => {
    const upstreams = open();
    await Promise.all(['a', 'b'].map((key) => call(upstreams, new TestExchange({ client: createClient(key) }))));
    expect(subject.streams).toHaveLength(1);
    for (const key of ['c', 'd', 'c']) await call(upstreams, new TestExchange({ client: createClient(key, CAPABLE) }));
    expect(subject.streams).toHaveLength(3);
  });

  it('is left when we end', async () => {
    const upstreams = open();
    await call(upstreams);
    const [stream] = subject.streams;
    const closed = stream === undefined ? undefined : once(stream, 'close');
    await upstreams.close();
    await closed;
  });
});

it('an origin that refuses at once fails the request and not the wire', async () => {
  const url = new URL('http://sse.test/sse');
  const running = { cancel() {} };
  const origin: HttpOrigin = {
    url,
    place: url.href,
    post(_headers, _body, reader) {
      reader.failed(new FaultError('draining', 'The connection is being closed.'));
      return running;
    },
    ask(_method, _headers, reader: ReplyReader) {
      queueMicrotask(() => reader.event({ type: 'endpoint', data: Buffer.from('/messages') }));
      return running;
    },
    close: async () => {},
  };
  const failed: number[] = [];
  const sink = { message() {}, lost() {}, failed: (id: number) => void failed.push(id) };
  const wire = await openSseWire({ origin, sink, timeoutMs: 10_000 });
  wire.send({ text: '{}', id: 7 });
  expect(failed).toEqual([7]);
  await wire.close();
});
