import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exchange, RawConnection } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';

let gateway: RunningGateway;
let counter: string;
let host: string;

beforeAll(async () => {
  counter = join(newTestFolder(), 'counter');
  gateway = await startGateway({ mcpServers: { bad: misbehaving({ counter }) } });
  host = new URL(gateway.origin).host;
});

const counted = () => {
  try {
    return readFileSync(counter, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};

/** A call that would count at the upstream if it ever got there. */
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: modernParams({ name: 'bad_count', arguments: {} }),
});

/** The head of an honest call, as lines; `change` edits them. */
function head(change: (lines: string[]) => string[] = (lines) => lines): string {
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${gateway.key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...Object.entries(modernHeaders('tools/call', { name: 'bad_count' })).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${CALL.length}`,
  ];
  return `${change(lines).join('\r\n')}\r\n\r\n`;
}

const add =
  (...more: string[]) =>
  (lines: string[]) => [...lines, ...more];
const without = (name: string) => (lines: string[]) =>
  lines.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
const replace = (name: string, line: string) => (lines: string[]) => [...without(name)(lines), line];
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const first = (line: string) => (lines: string[]) => [line, ...lines.slice(1)];

/** What is sent, and the statuses that are right; a connection closed without an answer is right for all. */
const ATTACKS: readonly [name: string, bytes: () => string, statuses: readonly number[]][] = [
  ['Content-Length with Transfer-Encoding', () => head(add('Transfer-Encoding: chunked')) + chunked(CALL), [400]],
  [
    'Transfer-Encoding before Content-Length',
    () =>
      head((lines) =>
        add(`Content-Length: ${CALL.length}`)(replace('content-length', 'Transfer-Encoding: chunked')(lines)),
      ) + chunked(CALL),
    [400],
  ],
  ['two Content-Lengths that differ', () => head(add('Content-Length: 5')) + CALL, [400]],
  ['two Content-Lengths that agree', () => head(add(`Content-Length: ${CALL.length}`)) + CALL, [400]],
  [
    'a list as Content-Length',
    () => head(replace('content-length', `Content-Length: ${CALL.length}, ${CALL.length}`)) + CALL,
    [400],
  ],
  ['a signed Content-Length', () => head(replace('content-length', `Content-Length: +${CALL.length}`)) + CALL, [400]],
  ['a negative Content-Length', () => head(replace('content-length', 'Content-Length: -1')) + CALL, [400]],
  ['a hexadecimal Content-Length', () => head(replace('content-length', 'Content-Length: 0x10')) + CALL, [400]],
  [
    'Transfer-Encoding that is not only chunked',
    () => head(replace('content-length', 'Transfer-Encoding: chunked, identity')) + chunked(CALL),
    [400],
  ],
  [
    'Transfer-Encoding of another spelling',
    () => head(replace('content-length', 'Transfer-Encoding: xchunked')) + chunked(CALL),
    [400, 501],
  ],
  [
    'Transfer-Encoding after a control character',
    () => head(replace('content-length', 'Transfer-Encoding: \x0bchunked')) + chunked(CALL),
    [400],
  ],
  [
    'two Transfer-Encodings',
    () =>
      head((lines) =>
        add('Transfer-Encoding: identity')(replace('content-length', 'Transfer-Encoding: chunked')(lines)),
      ) + chunked(CALL),
    [400],
  ],
  ['a folded header', () => head(add('X-Folded: a', ' b')) + CALL, [400]],
  ['white space before the colon', () => head(add('Mcp-Session-Id : x')) + CALL, [400]],
  ['bare line feeds', () => head().replaceAll('\r\n', '\n') + CALL, [400]],
  ['a bare carriage return in a header', () => head(add('X-Cr: a\rTransfer-Encoding: chunked')) + CALL, [400]],
  ['NUL in a header', () => head(add('X-Nul: a\0b')) + CALL, [400]],
  ['a header of 17 KB', () => head(add(`X-Long: ${'a'.repeat(17_000)}`)) + CALL, [431]],
  ['2,100 headers', () => head(add(...Array.from({ length: 2100 }, (_, i) => `a:${i % 10}`))) + CALL, [413, 431]],
  ['65 headers', () => head(add(...Array.from({ length: 58 }, (_, i) => `a${i}: b`))) + CALL, [413, 431]],
  [
    'chunk extensions of 100 KB',
    () =>
      `${head(replace('content-length', 'Transfer-Encoding: chunked'))}${CALL.length.toString(16)};x=${'y'.repeat(100_000)}\r\n${CALL}\r\n0\r\n\r\n`,
    [400, 413],
  ],
  [
    'a chunk size that overflows',
    () => `${head(replace('content-length', 'Transfer-Encoding: chunked'))}fffffffffffffffff\r\n${CALL}\r\n0\r\n\r\n`,
    [400, 413],
  ],
  [
    'a chunk without its end',
    () =>
      `${head(replace('content-length', 'Transfer-Encoding: chunked'))}${CALL.length.toString(16)}\r\n${CALL}X0\r\n\r\n`,
    [400],
  ],
  ['two Hosts', () => head(add(`Host: ${host}`)) + CALL, [400]],
  ['two Hosts, one foreign', () => head(add('Host: evil.example')) + CALL, [400]],
  ['no Host', () => head(without('host')) + CALL, [400, 403]],
  ['an empty Host', () => head(replace('host', 'Host:')) + CALL, [400, 403]],
  ['a foreign Host', () => head(replace('host', 'Host: evil.example')) + CALL, [403]],
  ['a Host that begins like ours', () => head(replace('host', `Host: 127.0.0.1.evil.example:80`)) + CALL, [403]],
  ['a Host with credentials', () => head(replace('host', `Host: localhost@evil.example`)) + CALL, [403]],
  ['a Host with a port that is none', () => head(replace('host', 'Host: localhost:80:evil')) + CALL, [403]],
  ['an address in another notation', () => head(replace('host', 'Host: 0x7f.1')) + CALL, [403]],
  ['absolute form with another host', () => head(first('POST http://evil.example/mcp HTTP/1.1')) + CALL, [400]],
  ['absolute form with credentials', () => head(first(`POST http://evil@${host}/mcp HTTP/1.1`)) + CALL, [400]],
  ['absolute form with another scheme', () => head(first(`POST ftp://${host}/mcp HTTP/1.1`)) + CALL, [400]],
  [
    'absolute form with a port that is none',
    () =>
      head((lines) =>
        first('POST http://127.0.0.1:99999/message?sessionId=x HTTP/1.1')(
          replace('host', 'Host: 127.0.0.1:99999')(lines),
        ),
      ) + CALL,
    [400, 403, 404],
  ],
  ['authority form', () => head(first(`CONNECT ${host} HTTP/1.1`)) + CALL, [400, 404, 405]],
  ['asterisk form', () => head(first('OPTIONS * HTTP/1.1')) + CALL, [400]],
  ['a path that begins with two slashes', () => head(first('POST //evil.example/mcp HTTP/1.1')) + CALL, [404]],
  ['an encoded path', () => head(first('POST /servers/%2e%2e/mcp HTTP/1.1')) + CALL, [404]],
  ['a malformed escape in the path', () => head(first('POST /servers/%zz/mcp HTTP/1.1')) + CALL, [404]],
  ['a space in the target', () => head(first('POST /mcp HTTP/1.1 HTTP/1.1')) + CALL, [400]],
  ['a method in lower case', () => head(first('post /mcp HTTP/1.1')) + CALL, [400]],
  ['a method nobody knows', () => head(first('EVIL /mcp HTTP/1.1')) + CALL, [400]],
  ['another method', () => head(first('PUT /mcp HTTP/1.1')) + CALL, [405]],
  ['HTTP/0.9', () => 'GET /mcp\r\n\r\n', [400, 403]],
  ['HTTP/2 in plain text', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['HTTP/1.2', () => head(first('POST /mcp HTTP/1.2')) + CALL, [400, 505]],
  ['a TLS handshake', () => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\x00'.repeat(64)}\r\n\r\n`, [400]],
  ['two Mcp-Methods', () => head(add('Mcp-Method: tools/list')) + CALL, [400]],
  ['two Mcp-Names', () => head(add('Mcp-Name: bad_echo')) + CALL, [400]],
  ['two keys', () => head(add('Authorization: Bearer other')) + CALL, [400]],
  ['two Content-Types', () => head(add('Content-Type: text/plain')) + CALL, [400]],
  ['two Origins', () => head(add('Origin: http://localhost', 'Origin: http://evil.example')) + CALL, [400]],
  ['Origin null', () => head(add('Origin: null')) + CALL, [403]],
  ['a foreign Origin', () => head(add('Origin: http://evil.example')) + CALL, [403]],
  ['an Origin that begins like ours', () => head(add('Origin: http://localhost.evil.example')) + CALL, [403]],
  ['an Origin that ends like ours', () => head(add('Origin: http://evil.localhost:80')) + CALL, [403]],
  ['an Origin with credentials', () => head(add('Origin: http://localhost@evil.example')) + CALL, [403]],
  ['an Origin with a port trick', () => head(add('Origin: http://localhost:80.evil.example')) + CALL, [403]],
  ['an Origin with a path', () => head(add('Origin: http://localhost/evil')) + CALL, [403]],
  ['an Origin of another scheme', () => head(add('Origin: file://localhost')) + CALL, [403]],
  [
    'a preflight from a foreign page',
    () => head((lines) => first('OPTIONS /mcp HTTP/1.1')(add('Origin: http://evil.example')(lines))) + CALL,
    [403],
  ],
  ['no key', () => head(without('authorization')) + CALL, [401]],
  ['a wrong key', () => head(replace('authorization', 'Authorization: Bearer sp_wrong')) + CALL, [401]],
  [
    'the key in another scheme',
    () => head(replace('authorization', `Authorization: Basic ${gateway.key}`)) + CALL,
    [401],
  ],
  [
    'the key in the query',
    () => head((lines) => first(`POST /mcp?key=${gateway.key} HTTP/1.1`)(without('authorization')(lines))) + CALL,
    [401],
  ],
  ['a form', () => head(replace('content-type', 'Content-Type: text/plain')) + CALL, [415]],
  ['an unknown encoding', () => head(add('Content-Encoding: zstd')) + CALL, [400]],
  ['an encoding twice', () => head(add('Content-Encoding: gzip', 'Content-Encoding: gzip')) + CALL, [400]],
];

it.each(ATTACKS)('%s is refused and the next honest request works', async (_name, bytes, statuses) => {
  const before = counted();
  const connection = new RawConnection(gateway.origin).send(bytes());
  const [status] = await connection.answered();
  if (status !== undefined) expect(statuses).toContain(status);
  connection.socket.destroy();
  await connection.closed;
  expect(counted()).toBe(before);
  const client = new PlainClient(gateway);
  expect(textOf(await client.callModern('bad_echo'))).toContain('"tools/call"');
  expect(counted()).toBe(before);
});

describe('what follows on the same connection', () => {
  it('does not read a second request out of the rest of a refused body', async () => {
    const hidden = head() + CALL;
    const before = counted();
    // Refused by its head alone, with a body that holds a whole honest request and is never complete.
    const long = replace('content-length', `Content-Length: ${hidden.length + 10}`);
    const refused: [(lines: string[]) => string[], number][] = [
      [(lines) => replace('authorization', 'Authorization: Bearer sp_wrong')(long(lines)), 401],
      [(lines) => replace('content-type', 'Content-Type: text/plain')(long(lines)), 415],
      [(lines) => add('Origin: http://evil.example')(long(lines)), 403],
      [replace('content-length', 'Content-Length: 99999999'), 413],
    ];
    await Promise.all(
      refused.map(async ([change, status]) => {
        const connection = new RawConnection(gateway.origin).send(head(change));
        await connection.answered();
        connection.send(hidden);
        await connection.closed;
        expect(connection.statuses).toEqual([status]);
      }),
    );
    expect(counted()).toBe(before);
  });

  it('closes at garbage after an honest request', async () => {
    const honest = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const connection = new RawConnection(gateway.origin).send(`${honest}GARBAGE \0\r\n\r\n${head()}${CALL}`);
    const before = counted();
    await connection.closed;
    // Node reads ahead: the garbage may end the connection before the first answer is written. Nothing after it is a request.
    expect([[200, 400], [400], [200]]).toContainEqual(connection.statuses);
    expect(counted()).toBe(before);
  });

  it('answers pipelined honest requests in order', async () => {
    const before = counted();
    const connection = new RawConnection(gateway.origin).send(`${head()}${CALL}${head()}${CALL}`);
    await connection.answered(2);
    expect(connection.statuses).toEqual([200, 200]);
    expect(counted()).toBe(before + 2);
    connection.socket.destroy();
  });

  it('serves absolute form for its own host', async () => {
    const connection = new RawConnection(gateway.origin).send(head(first(`POST http://${host}/mcp HTTP/1.1`)) + CALL);
    expect(await connection.answered()).toEqual([200]);
    connection.socket.destroy();
  });
});

describe('headers against the body of a modern request', () => {
  const REQUESTS: readonly [method: string, params: Record<string, unknown>][] = [
    ['tools/call', { name: 'bad_echo', arguments: {} }],
    ['tools/call', { name: 'bad_count', arguments: {} }],
    ['tools/list', {}],
    ['prompts/get', { name: 'bad_prompt' }],
    ['resources/read', { uri: 'test://one' }],
    ['server/discover', {}],
  ];
  const pairs = REQUESTS.flatMap((body) =>
    REQUESTS.filter((other) => other !== body).map((stated) => ({ body, stated })),
  );

  it.each(pairs)('$body.0 $body.1 under the headers of $stated.0 $stated.1', async ({ body, stated }) => {
    const before = counted();
    const [method, params] = body;
    const answer = await exchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...modernHeaders(...stated) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: modernParams(params) }),
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      id: 7,
      error: { code: -32020, message: expect.stringMatching(/^Header mismatch: The Mcp-(Method|Name) header/) },
    });
    expect(counted()).toBe(before);
    await gateway.process.logged(/"principal":"[^"]+".*headers do not match its body/);
  });

  const WRONG: readonly [name: string, headers: Record<string, string>, message: RegExp][] = [
    ['no revision', { 'mcp-protocol-version': '' }, /MCP-Protocol-Version/],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }, /MCP-Protocol-Version header says '2025-11-25'/],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }, /Mcp-Method header says 'Tools\/Call'/],
    ['the name in another case', { 'mcp-name': 'BAD_COUNT' }, /Mcp-Name header does not match/],
    ['the name with an end', { 'mcp-name': 'bad_count;x' }, /Mcp-Name header does not match/],
    ['a name in broken Base64', { 'mcp-name': '=?base64?YmFkX2NvdW50%?=' }, /not valid Base64/],
    ['a name outside ASCII', { 'mcp-name': 'bad_coünt' }, /outside visible ASCII/],
    ['both in one', { 'mcp-method': 'tools/call, tools/list' }, /Mcp-Method/],
  ];
  it.each(WRONG)('%s', async (_name, headers, message) => {
    const before = counted();
    const answer = await exchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...modernHeaders('tools/call', { name: 'bad_count' }), ...headers },
      body: CALL,
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32020, message: expect.stringMatching(message) } });
    expect(counted()).toBe(before);
  });

  it('a name in Base64 is the name', async () => {
    const answer = await exchange({
      url: gateway.url,
      headers: {
        ...gateway.headers,
        ...modernHeaders('tools/call', {}),
        'mcp-name': `=?base64?${Buffer.from('bad_count').toString('base64')}?=`,
      },
      body: CALL,
    });
    expect(answer.status).toBe(200);
  });

  it('a modern body in a legacy session, or under headers of an older revision, is refused', async () => {
    const client = await new PlainClient(gateway).initialize();
    const before = counted();
    expect((await client.post(CALL, client.session)).status).toBe(400);
    expect((await client.post(CALL, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400);
    expect((await client.post(CALL)).status).toBe(400);
    const legacy = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'bad_count' } });
    expect((await client.post(legacy, modernHeaders('tools/call', { name: 'bad_count' }))).status).toBe(400);
    expect((await client.post(legacy)).status).toBe(400);
    expect(counted()).toBe(before);
  });
});
