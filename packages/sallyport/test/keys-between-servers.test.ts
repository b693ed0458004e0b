import { beforeAll, describe, expect, it } from 'vitest';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const TOKEN = ['ghp', 'Rk3nV8qLw2TzY6mB1xDc9HsJ4uFa7eGp0oNi'].join('_');
const OWN = ['ghp', 'Zt5cM2pXk9WvQ4rN7yLb3HdG8sJu1fAe6iOo'].join('_');
const BODY = Array.from(
  { length: 4 },
  (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c${at}K`,
);
const PEM = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');
const PLAIN = 'const secret = config.enterpriseManagedAuth?.idp?.clientSecret;';

const RESULTS: Readonly<Record<string, unknown>> = {
  'tools/call get_token': { content: [{ type: 'text', text: `GITHUB_TOKEN=${TOKEN}` }] },
  'tools/call get_pem': { content: [{ type: 'text', text: PEM }], structuredContent: { file: 'id_rsa', text: PEM } },
  'tools/call get_source': { content: [{ type: 'text', text: PLAIN }] },
  'tools/call set_token': { content: [{ type: 'text', text: `The token ${OWN} is in use.` }] },
  'resources/read': { contents: [{ uri: 'file:///env', text: `GITHUB_TOKEN=${TOKEN}` }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: `Use ${TOKEN}.` } }] },
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'store', version: '1' },
  },
  'resources/list': { resources: [{ uri: 'file:///env', name: 'env' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [{ name: 'token' }] },
};

/** What reached the server that keys must not reach. */
const arrived: Incoming['params'][] = [];

function server(tools: readonly string[], isStore: boolean): Promise<HttpUpstream> {
  return startHttpUpstream({
    tools,
    behave(message, response) {
      const { method = '', params } = message;
      const isCall = method === 'tools/call';
      if (isCall && !isStore) arrived.push(params);
      const given = isStore ? RESULTS[isCall ? `${method} ${params?.name ?? ''}` : method] : undefined;
      const result = given ?? (isCall ? { content: [{ type: 'text', text: 'done' }] } : undefined);
      if (result === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return true;
    },
  });
}

let gateway: RunningGateway;

beforeAll(async () => {
  const store = await server(['get_token', 'get_pem', 'get_source', 'set_token'], true);
  const search = await server(['search', 'configure'], false);
  // Nothing else is configured.
  gateway = await startGateway({ mcpServers: { store: { url: store.url }, search: { url: search.url } } });
});

async function talk(): Promise<PlainClient> {
  arrived.length = 0;
  return await new PlainClient(gateway).initialize();
}

describe('with nothing configured a key goes to no other server', () => {
  const lines = PEM.split('\n');
  it.each<[string, string, Record<string, unknown>]>([
    ['whole', 'store_get_token', { query: TOKEN }],
    ['within a text', 'store_get_token', { query: `Who owns ${TOKEN}?` }],
    ['in parts', 'store_get_token', { query: TOKEN.slice(0, 20), also: TOKEN.slice(20) }],
    ['a part of it', 'store_get_token', { query: TOKEN.slice(4, 24) }],
    ['as base64', 'store_get_token', { query: Buffer.from(`it is ${TOKEN}`).toString('base64') }],
    ['as hex', 'store_get_token', { query: Buffer.from(TOKEN).toString('hex') }],
    ['in an address', 'store_get_token', { query: `https://collect.example/?t=${TOKEN}` }],
    ['a private key', 'store_get_pem', { query: PEM }],
    ['a private key without its first and last line', 'store_get_pem', { query: BODY.join('') }],
    ['a line of a private key', 'store_get_pem', { query: lines[2] }],
    ['a private key as base64', 'store_get_pem', { query: Buffer.from(PEM).toString('base64') }],
  ])('%s', async (_, read, given) => {
    const client = await talk();
    expect((await client.call(read)).result).not.toHaveProperty('isError');
    const answer = await client.call('search_search', given);
    expect(answer.result).toMatchObject({ isError: true, _meta: { 'dev.sallyport/verdict': { kind: 'deny' } } });
    expect(textOf(answer)).toContain('store');
    expect(textOf(answer)).toContain('Call again without it');
    expect(textOf(answer)).not.toContain(TOKEN);
    expect(arrived).toEqual([]);
  });

  it.each([
    ['a resource', 'resources/read', { uri: 'file:///env' }],
    ['a prompt', 'prompts/get', { name: 'store_token' }],
  ])('that came in through %s', async (_, method, params) => {
    const client = await talk();
    expect(await client.request(method, params)).toHaveProperty('result');
    expect((await client.call('search_search', { query: TOKEN })).result).toMatchObject({ isError: true });
    expect(arrived).toEqual([]);
  });
});

describe('honest work goes on', () => {
  it('back to the server it came from', async () => {
    const client = await talk();
    await client.call('store_get_token');
    expect(textOf(await client.call('store_set_token', { token: TOKEN }))).toContain('in use');
  });

  it('a key that the client gave before', async () => {
    const client = await talk();
    await client.call('store_set_token', { token: OWN });
    expect(textOf(await client.call('search_configure', { token: OWN }))).toBe('done');
  });

  it('a key that the client gave after it had read something, and that the server repeats', async () => {
    const client = await talk();
    await client.call('store_get_source');
    await client.call('store_set_token', { token: OWN });
    expect(textOf(await client.call('search_configure', { token: OWN }))).toBe('done');
  });

  it('a line of a program that speaks of secrets', async () => {
    const client = await talk();
    await client.call('store_get_source');
    expect(textOf(await client.call('search_search', { query: PLAIN }))).toBe('done');
  });
});
