import { beforeAll, describe, expect, test } from 'vitest';
import { messageIn } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** What a server of 2026-07-28 has to insist on before it acts on a request (checklist 7, 8 and 11). */

let gateway: RunningGateway;
/** `Mcp-Param-*` headers that reached the upstream, call by call. */
const mirrored: Record<string, string>[] = [];

const SCHEMA = {
  type: 'object',
  properties: {
    tenant: { type: 'string', 'x-mcp-header': 'Tenant' },
    size: { type: 'integer', 'x-mcp-header': 'Size' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
  },
};

beforeAll(async () => {
  const upstream = await startHttpUpstream({
    modern: true,
    tools: ['read', 'write'],
    behave(message, response, request) {
      const say = (result: unknown) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
        return true;
      };
      if (message.method === 'tools/list')
        return say({ resultType: 'complete', tools: ['read', 'write'].map((name) => ({ name, inputSchema: SCHEMA })) });
      if (message.method !== 'tools/call') return false;
      const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('mcp-param-'));
      mirrored.push(Object.fromEntries(headers.map(([name, value]) => [name, String(value)])));
      if (
        message.params?.name === 'write' &&
        (message.params as Record<string, unknown>)['inputResponses'] === undefined
      ) {
        const form = {
          message: 'Sure?',
          requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } },
        };
        const inputRequests = { q: { method: 'elicitation/create', params: form } };
        return say({
          resultType: 'input_required',
          inputRequests,
          requestState: 's',
          ttlMs: 60_000,
          cacheScope: 'public',
        });
      }
      return say({ resultType: 'complete', content: [{ type: 'text', text: `${message.params?.name} done` }] });
    },
  });
  gateway = await startGateway({ mcpServers: { up: { url: upstream.url } } });
});

interface Asked {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly version?: string;
}

async function ask({ method = 'tools/call', params = {}, headers = {}, version }: Asked) {
  const full = modernParams(params, { elicitation: {} });
  if (version !== undefined) full._meta['io.modelcontextprotocol/protocolVersion'] = version;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: full });
  const answer = await new PlainClient(gateway).post(body, { ...modernHeaders(method, params), ...headers });
  return { status: answer.status, ...messageIn(answer) };
}

describe('the revision', () => {
  test.each<[string, Asked, number]>([
    ['that nobody knows', { version: '2099-01-01', headers: { 'mcp-protocol-version': '2099-01-01' } }, -32022],
    ['that is none', { version: 'x', headers: { 'mcp-protocol-version': 'x' } }, -32022],
    ['of the body unlike the header', { version: '2099-01-01' }, -32020],
    ['of the header unlike the body', { headers: { 'mcp-protocol-version': '2025-11-25' } }, -32020],
    ['that is not in the header', { headers: { 'mcp-protocol-version': '' } }, -32020],
  ])('%s is 400', async (_, asked, code) => {
    const answer = await ask({ method: 'tools/list', ...asked });
    expect(answer).toMatchObject({ status: 400, error: { code } });
    if (code === -32022)
      expect(answer.error?.data).toMatchObject({ supported: expect.arrayContaining(['2026-07-28']) });
  });
});

test.each(['no/such', 'ping', 'initialize', 'logging/setLevel', 'toString', '__proto__'])(
  'the method %s is 404 and -32601',
  async (method) => {
    expect(await ask({ method })).toMatchObject({ status: 404, error: { code: -32601 } });
  },
);

describe('Mcp-Param headers', () => {
  const ARGUMENTS = { tenant: 'acme', size: 42, dry: true };
  const HONEST = { 'mcp-param-tenant': 'acme', 'mcp-param-size': '42', 'mcp-param-dry': 'true' };
  const call = (headers: Record<string, string>, given: Record<string, unknown> = ARGUMENTS) =>
    ask({ params: { name: 'up_read', arguments: given }, headers });

  test.each<[string, Record<string, string>, Record<string, unknown>?]>([
    ['another tenant', { ...HONEST, 'mcp-param-tenant': 'other' }],
    ['a tenant in capitals', { ...HONEST, 'mcp-param-tenant': 'ACME' }],
    ['another number', { ...HONEST, 'mcp-param-size': '43' }],
    ['a number with a tail', { ...HONEST, 'mcp-param-size': '42 or 1' }],
    ['another truth', { ...HONEST, 'mcp-param-dry': 'false' }],
    ['none where there is an argument', { 'mcp-param-size': '42', 'mcp-param-dry': 'true' }],
    ['one where there is no argument', HONEST, { size: 42, dry: true }],
    ['one where the argument is null', HONEST, { ...ARGUMENTS, tenant: null }],
    ['Base64 of another tenant', { ...HONEST, 'mcp-param-tenant': '=?base64?b3RoZXI=?=' }],
    ['Base64 that is none', { ...HONEST, 'mcp-param-tenant': '=?base64?YWNtZQ?=' }],
    ['letters beyond ASCII', { ...HONEST, 'mcp-param-tenant': 'acm\u00e9' }],
  ])('with %s: refused, and nobody is called', async (_, headers, given) => {
    const before = mirrored.length;
    expect(await call(headers, given)).toMatchObject({ status: 400, error: { code: -32020 } });
    expect(mirrored.length).toBe(before);
  });

  test.each<[string, Record<string, string>, Record<string, unknown>?, Record<string, string>?]>([
    ['as they are', HONEST],
    ['a number written differently', { ...HONEST, 'mcp-param-size': '42.0' }],
    ['Base64', { ...HONEST, 'mcp-param-tenant': '=?base64?YWNtZQ==?=' }],
    [
      'text that needs Base64',
      { ...HONEST, 'mcp-param-tenant': '=?base64?w6k=?=' },
      { ...ARGUMENTS, tenant: '\u00e9' },
      { ...HONEST, 'mcp-param-tenant': '=?base64?w6k=?=' },
    ],
    ['one more, which no tool has', { ...HONEST, 'mcp-param-evil': 'admin' }],
  ])('%s: made anew for the upstream from the arguments', async (_, headers, given, expected = HONEST) => {
    expect(textOf(await call(headers, given))).toBe('read done');
    expect(mirrored.at(-1)).toEqual(expected);
  });

  test('a legacy client has none, and the upstream gets its own all the same', async () => {
    const client = await new PlainClient(gateway).initialize();
    expect(textOf(await client.call('up_read', ARGUMENTS))).toBe('read done');
    expect(mirrored.at(-1)).toEqual(HONEST);
  });
});

test('a question to the client is never to be cached, whatever its server says', async () => {
  const given = { tenant: 'a', size: 1, dry: false };
  const headers = { 'mcp-param-tenant': 'a', 'mcp-param-size': '1', 'mcp-param-dry': 'false' };
  for (let i = 0; i < 2; i++) {
    const before = mirrored.length;
    const { result } = await ask({ params: { name: 'up_write', arguments: given }, headers });
    expect(result).toMatchObject({ resultType: 'input_required' });
    // Asked anew each time: nothing was kept for the next caller.
    expect(mirrored.length).toBe(before + 1);
  }
});
