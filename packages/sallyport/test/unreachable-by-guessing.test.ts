import { beforeAll, describe, expect, it } from 'vitest';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const SECRET = 'the hidden thing';

/** A server that answers everything it is asked, and has nothing to hide from whoever gets through. */
function startVault(): Promise<HttpUpstream> {
  const named = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: true },
        completions: {},
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      serverInfo: { name: 'vault', version: '1' },
    }),
    'tools/list': () => ({ tools: ['open_one', 'hidden_one'].map(named) }),
    'prompts/list': () => ({ prompts: [{ name: 'open_one' }, { name: 'hidden_one' }] }),
    'resources/list': () => ({
      resources: ['vault://open/one', 'vault://hidden/one'].map((uri) => ({ uri, name: uri })),
    }),
    'resources/templates/list': () => ({
      resourceTemplates: ['vault://open/{id}', 'vault://hidden/{id}'].map((uriTemplate) => ({
        uriTemplate,
        name: uriTemplate,
      })),
    }),
  };
  return startHttpUpstream({
    behave({ id, method = '', params = {} }: Incoming, response) {
      if (id === undefined) return false;
      const result = answers[method]?.(params as Record<string, unknown>) ?? {
        content: [{ type: 'text', text: SECRET }],
        contents: [{ uri: 'vault://x', text: SECRET }],
        messages: [{ role: 'user', content: { type: 'text', text: SECRET } }],
        completion: { values: [SECRET] },
        taskId: '1',
        status: 'completed',
        tasks: [],
        createdAt: '2026-01-01T00:00:00Z',
        ttl: 1000,
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    },
  });
}

let vault: HttpUpstream;
let staff: HttpUpstream;
let caller: RunningGateway;

beforeAll(async () => {
  vault = await startVault();
  staff = await startVault();
  const gateway = await startGateway({
    mcpServers: {
      vault: {
        url: vault.url,
        allow: { tools: ['open_*'], prompts: ['open_*'], resources: ['vault://open/*'] },
      },
      wide: { url: vault.url },
      staff: { url: staff.url, groups: ['personnel'] },
    },
    bundles: {
      desk: {
        tools: [{ tool: 'wide.open_one', name: 'look' }],
        prompts: ['wide.open_*'],
        resources: ['wide.vault://open/*'],
      },
    },
  } as Record<string, unknown>);
  caller = await keyHolder(gateway, 'caller', []);
});

type Params = Record<string, unknown>;
/** What is asked for, by the name of what is hidden or of what is not there. */
type Ask = readonly [method: string, params: (name: string) => Params, names: 'name' | 'uri'];

const COMMON: readonly Ask[] = [
  ['tools/call', (name) => ({ name, arguments: {} }), 'name'],
  ['prompts/get', (name) => ({ name }), 'name'],
  [
    'completion/complete',
    (name) => ({ ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } }),
    'name',
  ],
  ['resources/read', (uri) => ({ uri }), 'uri'],
  ['completion/complete', (uri) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: '' } }), 'uri'],
];
const LEGACY: readonly Ask[] = [
  ['resources/subscribe', (uri) => ({ uri }), 'uri'],
  ['resources/unsubscribe', (uri) => ({ uri }), 'uri'],
];

/** Spellings under which something hidden might slip through, each beside one that names nothing at all. */
const DOORS = [
  { path: '/mcp', name: 'vault_hidden_one', missing: 'vault_nothing_on', uri: 'vault+vault://hidden/one' },
  { path: '/mcp', name: 'hidden_one', missing: 'nothing_on', uri: 'vault+vault://open/../hidden/one' },
  { path: '/mcp', name: 'staff_open_one', missing: 'stafx_open_one', uri: 'staff+vault://open/one' },
  { path: '/servers/vault/mcp', name: 'hidden_one', missing: 'nothing_on', uri: 'vault://hidden/one' },
  { path: '/servers/vault/mcp', name: 'vault_hidden_one', missing: 'vault_nothing_on', uri: 'vault://hidden/new' },
  { path: '/servers/vault/mcp', name: 'HIDDEN_ONE', missing: 'NOTHING_ON', uri: 'vault://open/../hidden/one' },
  { path: '/servers/vault/mcp', name: 'hidden\u005fone', missing: 'nothing_on', uri: 'vault://open/%2e%2e/hidden/one' },
  { path: '/servers/vault/mcp', name: ' open_one', missing: ' open_on', uri: 'VAULT://hidden/one' },
  {
    path: '/servers/vault/mcp',
    name: 'hidden_one\u0000',
    missing: 'nothing_on\u0000',
    uri: 'vault://open\\..\\hidden',
  },
  { path: '/bundles/desk/mcp', name: 'wide_hidden_one', missing: 'wide_nothing_on', uri: 'wide+vault://hidden/one' },
  { path: '/bundles/desk/mcp', name: 'wide_open_one', missing: 'wide_open_on', uri: 'vault+vault://hidden/one' },
  { path: '/bundles/desk/mcp', name: 'staff_open_one', missing: 'stafx_open_one', uri: 'staff+vault://open/one' },
] as const;

/** The answer without the words by which it was asked. */
const bare = (message: unknown, name: string) =>
  JSON.stringify(message)
    .replaceAll(JSON.stringify(name).slice(1, -1), '…')
    .replace(/"id":\d+/, '"id":0');

const heard = () =>
  [...vault.heard, ...staff.heard].filter(
    (method) => !/^(?:initialize|notifications\/|.*\/list$|server\/)/.test(method),
  );

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  const table = DOORS.flatMap((door) =>
    [...COMMON, ...(era === 'legacy' ? LEGACY : [])].map(
      (ask) => [door.path, ask[0], door[ask[2]], door, ask] as const,
    ),
  );

  it.each(table)('%s %s %j is not there', async (_path, method, hidden, door, [, toParams, kind]) => {
    const client = new PlainClient(caller, `${caller.origin}${door.path}`);
    if (era === 'legacy') await client.initialize();
    const send = (name: string) =>
      era === 'legacy' ? client.request(method, toParams(name)) : client.requestModern(method, toParams(name));
    const missing = kind === 'name' ? door.missing : door.uri.replace(/hidden|open/, 'gone__').slice(0, hidden.length);
    const before = heard().length;
    const refused = await send(hidden);
    const unknown = await send(missing);
    // The bundle has a prompt of the name its tool had before.
    if (door.name === 'wide_open_one' && kind === 'name' && method !== 'tools/call') return;
    expect(refused.error, JSON.stringify(refused)).toBeDefined();
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect(bare(refused, hidden)).toBe(bare(unknown, missing));
    expect(heard()).toHaveLength(before);
  });
});

describe('other ways', () => {
  const open = async (path: string) => new PlainClient(caller, `${caller.origin}${path}`).initialize();

  it.each([
    ['vendor/read', { uri: 'vault://hidden/one' }],
    ['resources/readMany', { uris: ['vault://hidden/one'] }],
    ['tools/callBatch', { calls: [{ name: 'hidden_one' }] }],
    ['tasks/list', {}],
  ])('the method %s, of which nobody can tell what it reaches, stops at an allow list', async (method, params) => {
    const before = heard().length;
    for (const message of [
      await (await open('/servers/vault/mcp')).request(method, params),
      await new PlainClient(caller, `${caller.origin}/servers/vault/mcp`).requestModern(method, params),
    ])
      expect(message).toMatchObject({ error: { code: -32601 } });
    expect(heard()).toHaveLength(before);
    expect(await (await open('/servers/wide/mcp')).request('vendor/read', params)).toHaveProperty('result');
  });

  it.each(['server/discover', 'subscriptions/listen'])(
    '%s of the other era shows nothing held here',
    async (method) => {
      const before = heard().length;
      expect(await (await open('/servers/wide/mcp')).request(method)).toMatchObject({ error: { code: -32601 } });
      expect(heard()).toHaveLength(before);
    },
  );

  it('a call without an id is no notification, and reaches nobody', async () => {
    for (const path of ['/mcp', '/servers/wide/mcp']) {
      const client = await open(path);
      const before = vault.heard.length;
      const params = { name: 'hidden_one', arguments: {} };
      await client.post(JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params }), client.session);
      await client.post('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}', client.session);
      await expect.poll(() => vault.heard.slice(before)).toContain('notifications/roots/list_changed');
      expect(vault.heard.slice(before)).not.toContain('tools/call');
    }
  });

  it('a notification of a vendor goes where its requests go, and nowhere else', async () => {
    const before = vault.heard.length;
    const note = (method: string) => JSON.stringify({ jsonrpc: '2.0', method, params: { item: 'hidden' } });
    for (const path of ['/mcp', '/servers/vault/mcp']) {
      const client = await open(path);
      await client.post(note('vendor/hidden-beat'), client.session);
      await client.post('{"jsonrpc":"2.0","method":"notifications/last"}', client.session);
    }
    const wide = await open('/servers/wide/mcp');
    for (const method of ['tools/call', 'resources/other', 'ping', 'vendor/beat'])
      await wide.post(note(method), wide.session);
    await expect.poll(() => vault.heard.slice(before)).toContain('vendor/beat');
    await expect.poll(() => vault.heard.slice(before)).toContain('notifications/last');
    for (const method of ['vendor/hidden-beat', 'tools/call', 'resources/other', 'ping'])
      expect(vault.heard.slice(before)).not.toContain(method);
  });

  it('a listening stream follows nothing hidden', async () => {
    const before = vault.heard.filter((method) => method === 'resources/subscribe').length;
    const client = new PlainClient(caller, `${caller.origin}/servers/vault/mcp`);
    const controller = new AbortController();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { resourceSubscriptions: ['vault://hidden/one', 'vault://open/../hidden/one'] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    const headers = {
      ...client.gateway.headers,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    };
    const response = await fetch(client.url, { method: 'POST', headers, body, signal: controller.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    controller.abort();
    expect(Buffer.from(value ?? []).toString()).toContain('"notifications":{}');
    expect(vault.heard.filter((method) => method === 'resources/subscribe')).toHaveLength(before);
  });

  it('lists show only what may be used', async () => {
    for (const path of ['/mcp', '/servers/vault/mcp', '/bundles/desk/mcp']) {
      const legacy = await open(path);
      const modern = new PlainClient(caller, `${caller.origin}${path}`);
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
        for (const { result } of [await legacy.request(method), await modern.requestModern(method)]) {
          const text = JSON.stringify(result);
          expect(text).toContain(path.includes('bundles') && method === 'tools/list' ? 'look' : 'open');
          if (path !== '/mcp') expect(text).not.toContain('hidden');
          expect(text).not.toMatch(/vault[_+][^"]*hidden|staff/);
        }
    }
  });
});
