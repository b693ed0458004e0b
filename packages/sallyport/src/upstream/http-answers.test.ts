import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSubject, type Subject, type Turn } from '../../test/http-subject.ts';
import {
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
  toRequest,
} from '../../test/upstream-set-up.ts';
import { fromBinary } from '../core/json-scan.ts';
import { parseMessage, type Request } from '../core/message.ts';
import { toText } from '../core/response.ts';

let subject: Subject;
let upstreams: Opened;

beforeEach(async () => {
  subject = await openSubject();
  upstreams = openUpstreams(httpSettings(subject.url, { era: 'legacy' }));
});
afterEach(async () => {
  await upstreams.close();
  await subject.close();
});

const call = (exchange = new TestExchange()) => upstreams.send('subject', toCall('tool'), exchange);
const answering = (respond: (turn: Turn) => void) => void subject.on('tools/call', respond);
const body = (turn: Turn, rest: string) => `{"jsonrpc":"2.0","id":${turn.message.id},${rest}}`;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('an answer over Streamable HTTP', () => {
  it('comes back byte for byte, unknown members, big numbers and spaces included', async () => {
    const rest =
      '"result" : { "content":[], "x":9007199254740993, "y":[1.0,1e400], "é":"\\u00e9", "__proto__":{"a":1} } , "extra":true';
    answering((turn) => turn.send(200, JSON_TYPE, body(turn, rest)));
    const answer = await call();
    expect(answer.bytes.toString()).toBe(`{"jsonrpc":"2.0","id":${answer.id},${rest}}`);
    expect(fromBinary(toText(answer.write('"client-1"')))).toBe(`{"jsonrpc":"2.0","id":"client-1",${rest}}`);
  });

  it('may come in pieces', async () => {
    const text = 'x'.repeat(300_000);
    answering(({ message, response }) => {
      const bytes = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { text } });
      response.writeHead(200, JSON_TYPE);
      response.write(bytes.slice(0, 1000));
      setImmediate(() => response.end(bytes.slice(1000)));
    });
    expect((await call()).result).toEqual({ text });
  });

  it('may be one event of a stream', async () => {
    answering((turn) => {
      const stream = turn.stream();
      stream.write(': hello\n\n');
      stream.event({ jsonrpc: '2.0', id: turn.message.id, result: { ok: 1 } }, { event: 'message' });
      stream.end();
    });
    expect((await call()).result).toEqual({ ok: 1 });
  });

  it('does not wait for a stream that its server forgets to end, and keeps it from no one', async () => {
    answering((turn) => turn.stream().event({ jsonrpc: '2.0', id: turn.message.id, result: { ok: 1 } }));
    expect((await call()).result).toEqual({ ok: 1 });
    expect((await call()).result).toEqual({ ok: 1 });
  });

  it('may be a batch of 2025-03-26', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 0, progress: 1 } };
    answering((turn) => {
      const messages = [
        { ...progress, params: { ...progress.params, progressToken: turn.message.id } },
        { jsonrpc: '2.0', id: turn.message.id, result: { ok: 1 } },
      ];
      turn.send(200, JSON_TYPE, JSON.stringify(messages));
    });
    const exchange = new TestExchange({ progressToken: '"mine"' });
    expect((await call(exchange)).result).toEqual({ ok: 1 });
    expect(exchange.notified.map(({ params }) => params)).toEqual([{ progressToken: 'mine', progress: 1 }]);
  });

  it('may be an error, with code and data', async () => {
    answering(({ error }) => error(-32602, 'Unknown tool: tool', { data: { tool: 'tool' } }));
    expect((await call()).outcome).toEqual({
      kind: 'error',
      error: { code: -32602, message: 'Unknown tool: tool', data: { tool: 'tool' } },
    });
  });

  it('may be an error with an HTTP status', async () => {
    answering(({ error }) => error(-32602, 'no', { status: 400 }));
    expect((await call()).outcome).toMatchObject({ error: { code: -32602, message: 'no' } });
  });

  it('may be an error without an id', async () => {
    answering(({ error }) => error(-32700, 'Parse error', { status: 400, id: null }));
    expect((await call()).outcome).toMatchObject({ error: { code: -32700 } });
  });
});

describe('what is no answer', () => {
  it.each<[string, (turn: Turn) => void, string, RegExp]>([
    [
      'a web page',
      ({ send }) => send(200, { 'content-type': 'text/html' }, '<h1>Hello</h1>'),
      'upstream_protocol',
      /text\/html.*url/,
    ],
    ['no JSON', ({ send }) => send(200, JSON_TYPE, 'oops'), 'upstream_protocol', /ended its answer/],
    [
      'bad UTF-8',
      (turn) => turn.send(200, JSON_TYPE, Buffer.from([0x22, 0xff, 0x22])),
      'upstream_protocol',
      /ended its answer/,
    ],
    [
      'another id',
      (turn) => turn.send(200, JSON_TYPE, '{"jsonrpc":"2.0","id":999,"result":{}}'),
      'upstream_protocol',
      /ended its answer/,
    ],
    [
      'an id as text',
      (turn) => turn.send(200, JSON_TYPE, `{"jsonrpc":"2.0","id":"${turn.message.id}","result":{}}`),
      'upstream_protocol',
      /ended its answer/,
    ],
    [
      'no jsonrpc',
      (turn) => turn.send(200, JSON_TYPE, `{"id":${turn.message.id},"result":{}}`),
      'upstream_protocol',
      /ended its answer/,
    ],
    [
      'result and error',
      (turn) => turn.send(200, JSON_TYPE, body(turn, '"result":{},"error":{"code":1,"message":""}')),
      'upstream_protocol',
      /answered, but the answer cannot be read/,
    ],
    ['nothing', ({ send }) => send(200, JSON_TYPE, ''), 'upstream_protocol', /ended its answer/],
    ['202', ({ send }) => send(202, {}, ''), 'upstream_protocol', /ended its answer/],
    ['an empty stream', (turn) => turn.stream().end(), 'upstream_protocol', /ended its answer/],
    ['a cut stream', (turn) => turn.stream().cut(), 'unreachable', /talking/],
    ['a cut connection', ({ response }) => void response.destroy(), 'unreachable', /talking: it closed the connection/],
    [
      '500 with text',
      ({ send }) => send(500, {}, 'Traceback\n  at line 1'),
      'upstream_protocol',
      /HTTP 500: Traceback at line 1/,
    ],
    ['503', ({ send }) => send(503, {}, 'warming up'), 'unreachable', /HTTP 503: warming up/],
    ['429', ({ send }) => send(429, {}, ''), 'overloaded', /HTTP 429/],
    ['403', ({ send }) => send(403, {}, 'no'), 'upstream_unauthenticated', /403/],
    [
      'a redirect',
      ({ send }) => send(307, { location: 'http://evil.example/?secret=1' }, ''),
      'upstream_protocol',
      /redirects \(307\) to http:\/\/evil\.example\/\. Redirects are not followed/,
    ],
    [
      'a compressed answer',
      ({ send }) => send(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('{}')),
      'upstream_protocol',
      /compressed answer \(gzip\)/,
    ],
  ])('%s', async (_name, respond, code, message) => {
    answering(respond);
    await expect(call()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    // One bad answer is no reason to give up the connection.
    answering(({ result }) => result({ ok: 1 }));
    expect((await call()).result).toEqual({ ok: 1 });
  });

  it('401 tells what the server asks for', async () => {
    answering(({ send }) => send(401, { 'www-authenticate': 'Bearer resource_metadata="https://x/y"' }, ''));
    await expect(call()).rejects.toMatchObject({
      code: 'upstream_unauthenticated',
      data: { status: 401, wwwAuthenticate: 'Bearer resource_metadata="https://x/y"' },
    });
  });

  it('shows no more than 200 characters of an error body', async () => {
    answering(({ send }) => send(418, {}, 'x'.repeat(5000)));
    await expect(call()).rejects.toMatchObject({ message: expect.not.stringContaining('x'.repeat(201)) });
  });

  it('a stream with garbage in between is read on', async () => {
    answering((turn) => {
      const stream = turn.stream();
      stream.write('data: not json\n\ndata: {"jsonrpc":"2.0"}\n\ndata: []\n\n');
      stream.event({ jsonrpc: '2.0', id: 12345, result: {} });
      stream.event({ jsonrpc: '2.0', id: turn.message.id, result: { ok: 1 } });
      stream.event({ jsonrpc: '2.0', id: turn.message.id, result: { twice: 1 } });
      stream.end();
    });
    expect((await call()).result).toEqual({ ok: 1 });
    expect(
      upstreams.logged.filter(({ message }) => message === 'An unreadable message was ignored').length,
    ).toBeGreaterThanOrEqual(2);
  });
});

describe('what a legacy server sees', () => {
  it('is the request as the client wrote it, under an id of ours, with our progress token', async () => {
    answering(({ result }) => result({}));
    const text =
      '{"jsonrpc":"2.0", "id":9007199254740993,"method":"tools/call","params":{"name":"pre_tool","arguments":{"n":1.0,"n2":1e400},' +
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},' +
      '"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","com.example/trace":[1.0],"progressToken":"t"},' +
      '"inputResponses":{}},"extra":0}';
    const request = parseMessage(Buffer.from(text)) as Request;
    await upstreams.send(
      'subject',
      { request, edits: [request.setParam('name', '"tool"')], target: 'tool', paramHeaders: undefined },
      new TestExchange(),
    );
    const seen = await subject.saw(({ message }) => message.method === 'tools/call');
    const id = seen.message.id;
    expect(seen.body).toBe(
      `{"jsonrpc":"2.0", "id":${id},"method":"tools/call","params":{"name":"tool","arguments":{"n":1.0,"n2":1e400},` +
        `"_meta":{"com.example/trace":[1.0],"progressToken":${id}}},"extra":0}`,
    );
    expect(seen.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
    });
    expect(seen.headers['mcp-method']).toBeUndefined();
  });

  it('is no retry that was meant for a modern server', async () => {
    const request = toRequest('tools/call', { name: 'tool', requestState: 's' });
    await expect(upstreams.send('subject', request, new TestExchange())).rejects.toMatchObject({
      code: 'invalid_params',
    });
  });

  it('is no request before it has taken notifications/initialized', async () => {
    answering(({ result }) => result({}));
    await call();
    expect(subject.seen.filter(({ method }) => method === 'POST').map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });

  it('works without params and for any method', async () => {
    subject.on('custom/thing', ({ result }) => result({ odd: true }));
    expect((await upstreams.send('subject', toRequest('custom/thing'), new TestExchange())).result).toEqual({
      odd: true,
    });
    const seen = await subject.saw(({ message }) => message.method === 'custom/thing');
    expect(seen.message.params).toEqual({ _meta: { progressToken: seen.message.id } });
  });

  it('has the configured headers on everything, and basic credentials from the url', async () => {
    answering(({ result }) => result({}));
    const url = subject.url.replace('http://', 'http://me:p%40ss@');
    const own = openUpstreams({
      ...httpSettings(url, { era: 'legacy' }),
      transport: { type: 'http', url, headers: { 'X-Key': 'k' } },
    });
    await own.send('subject', toCall('tool'), new TestExchange());
    await subject.saw(({ method }) => method === 'GET');
    await own.close();
    for (const seen of subject.seen)
      expect(seen.headers).toMatchObject({
        'x-key': 'k',
        authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
        'user-agent': 'sallyport/0',
      });
  });
});

describe('a server that cannot be reached', () => {
  it('is named with step, cause and fix', async () => {
    const { url } = subject;
    await subject.close();
    await expect(call()).rejects.toMatchObject({
      code: 'unreachable',
      message: `${url} cannot be reached. connecting: nothing listens there (ECONNREFUSED). Start the server or correct its url.`,
    });
    expect(upstreams.status('subject')).toMatchObject({
      state: 'broken',
      lastError: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('may have an unknown host, or speak no TLS', async () => {
    const { port } = new URL(subject.url);
    const own = openUpstreams([
      httpSettings('http://no-such-host.invalid/mcp', { name: 'dns' }),
      httpSettings(`https://127.0.0.1:${port}/mcp`, { name: 'tls' }),
    ]);
    await expect(own.identify('dns', new TestExchange().client)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/DNS: /),
    });
    await expect(own.identify('tls', new TestExchange().client)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/TLS: it does not speak TLS/),
    });
    await own.close();
  });

  it('is unknown by name', async () => {
    await expect(upstreams.send('constructor', toCall('x'), new TestExchange())).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
