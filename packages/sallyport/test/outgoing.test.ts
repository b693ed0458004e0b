import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from './http-exchange.ts';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { parseMetrics, sampleValue } from './prometheus.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const TOKEN = /\{\{secret:github-token:[a-z2-7]{16}\}\}/;
const ACCOUNT = '7719004412';

interface Arrived {
  readonly server: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Everything that reached a server, as it was sent. */
let arrived: Arrived[] = [];

/** Offers one of everything that takes a text, and answers a prompt with what it was given. */
function server(name: string): Promise<HttpUpstream> {
  return startHttpUpstream({
    behave(message, response) {
      const { method = '', params = {}, id } = message;
      if (!/\/list$|^initialize$|initialized$|^ping$|^server\/discover$/.test(method))
        arrived.push({ server: name, method, params: params as Arrived['params'] });
      if (method === 'acme/wait') return true;
      const result = resultOf(name, message);
      if (result === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    },
  });
}

function resultOf(name: string, { method, params }: Incoming): Record<string, unknown> | undefined {
  switch (method) {
    case 'initialize': {
      const capabilities = { tools: {}, prompts: {}, completions: {}, resources: { subscribe: true }, tasks: {} };
      return { protocolVersion: '2025-06-18', capabilities, serverInfo: { name, version: '1' } };
    }
    case 'tools/list':
      return { tools: [{ name: 'read', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: `token = ${KEY}, account = ${ACCOUNT}` }] };
    case 'resources/list':
      return {
        resources: [
          { uri: `${name}://list?key=${KEY}`, name: 'list' },
          { uri: `${name}://note`, name: 'note' },
        ],
      };
    case 'prompts/list':
      return { prompts: [{ name: 'ask', arguments: [{ name: 'topic' }] }] };
    case 'prompts/get': {
      const text = `About ${JSON.stringify((params as { arguments?: unknown }).arguments)}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    }
    case 'completion/complete':
      return { completion: { values: ['tides'] } };
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: `${name}://{+name}`, name: 'note' }] };
    case 'resources/read':
      return { contents: [{ uri: `${name}://note`, text: 'A note.' }] };
    case 'resources/subscribe':
    case 'resources/unsubscribe':
    case 'acme/search':
    case 'tasks/get':
      return {};
    default:
      return undefined;
  }
}

type Send = (client: PlainClient, text: string) => Promise<{ readonly error?: unknown }>;

const NOTE = (text: string) => `chat://about/${encodeURIComponent(text)}`;
/** Whatever takes a text to the server "chat" and is no call of a tool. */
const WAYS: readonly (readonly [string, Send])[] = [
  ['an argument of a prompt', (it, topic) => it.request('prompts/get', { name: 'chat_ask', arguments: { topic } })],
  [
    'a completion',
    (it, value) =>
      it.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'chat_ask' },
        argument: { name: 'topic', value },
      }),
  ],
  [
    'the context of a completion',
    (it, name) =>
      it.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'chat_ask' },
        argument: { name: 'topic', value: 'o' },
        context: { arguments: { name } },
      }),
  ],
  [
    'the template that a completion is for',
    (it, text) =>
      it.request('completion/complete', {
        ref: { type: 'ref/resource', uri: NOTE(text) },
        argument: { name: 'name', value: 'o' },
      }),
  ],
  [
    'the name of what is completed',
    (it, name) =>
      it.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'chat_ask' },
        argument: { name, value: 'o' },
      }),
  ],
  [
    'what no completion has',
    (it, hint) =>
      it.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'chat_ask', title: hint },
        argument: { name: 'topic', value: 'o' },
      }),
  ],
  ['what no prompt has', (it, extra) => it.request('prompts/get', { name: 'chat_ask', extra: [extra] })],
  ['what no resource has', (it, extra) => it.request('resources/read', { uri: 'chat://note', extra })],
  ['the URI of a resource', (it, text) => it.request('resources/read', { uri: NOTE(text) })],
  ['the URI of one to follow', (it, text) => it.request('resources/subscribe', { uri: NOTE(text) })],
  [
    'the name of a template',
    (it, name) =>
      it.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'chat://note', name },
        argument: { name: 'name', value: 'o', _meta: { name } },
      }),
  ],
];

/** The same at the endpoint of one server. */
const LONE_WAYS: readonly (readonly [string, Send])[] = [
  ['a method that is not known here', (it, text) => it.request('acme/search', { query: { text } })],
  ['a member of it', (it, text) => it.request('acme/search', { query: { [text]: { text } } })],
  ['its name', (it, text) => it.request(`acme/${text.replaceAll(' ', '-')}`, { method: 'acme/search' })],
];

async function openSession(gateway: RunningGateway, path = '/mcp'): Promise<PlainClient> {
  return new PlainClient(gateway, gateway.url.replace(/\/mcp$/, path)).initialize('2025-06-18');
}

const CHAT = '/servers/chat/mcp';
const reached = () => arrived.filter(({ server: name }) => name === 'chat');

function filesOf({ process }: RunningGateway): string {
  return readdirSync(join(process.stateDir, 'audit'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('');
}

let hub: HttpUpstream;
let chat: HttpUpstream;

beforeAll(async () => {
  [hub, chat] = await Promise.all([server('hub'), server('chat')]);
});

beforeEach(() => {
  arrived = [];
});

function open(config: Record<string, unknown>): Promise<RunningGateway> {
  const written = { mcpServers: { hub: { url: hub.url }, chat: { url: chat.url } }, ...config };
  return startGateway(written);
}

describe('secrets do not leave with what is no call', () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await open({
      secrets: {},
      audit: { values: 'full', mode: 'strict' },
      telemetry: { metrics: true },
    });
  });

  it.each([...WAYS])('%s', async (_, send) => {
    const client = await openSession(gateway);
    for (const text of [KEY, Buffer.from(`key ${KEY}`).toString('base64'), `k ${KEY} k`]) {
      const { error } = await send(client, text);
      expect(JSON.stringify(error)).toContain('github-token');
      expect(JSON.stringify(error)).not.toContain('a7Kq');
    }
    expect(reached()).toEqual([]);
    expect((await send(client, 'tides')).error).toBeUndefined();
    expect(reached()).toHaveLength(1);
  });

  it('the id of a task that nobody started, whatever it says', async () => {
    const client = await openSession(gateway);
    for (const text of [KEY, `account ${ACCOUNT}`, 'tides'])
      for (const more of [{}, { uri: 'x' }]) {
        const { error } = await client.request('tasks/get', { taskId: `chat:${text}`, ...more });
        expect(error).toMatchObject({ message: `Unknown task: chat:${text}.` });
      }
    expect(reached()).toEqual([]);
  });

  it.each([...LONE_WAYS])('%s', async (_, send) => {
    const client = await openSession(gateway, CHAT);
    expect(JSON.stringify(await send(client, KEY))).toContain('github-token');
    expect(reached()).toEqual([]);
    await send(client, 'tides');
    expect(JSON.stringify(reached())).toContain('tides');
    expect(reached()).toHaveLength(1);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['arguments', 'prompts/get', { name: 'chat_ask', arguments: KEY }],
    ['a list of arguments', 'prompts/get', { name: 'chat_ask', arguments: [KEY] }],
    ['an argument', 'completion/complete', { ref: { type: 'ref/prompt', name: 'chat_ask' }, argument: KEY }],
    [
      'the name of an argument',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'chat_ask' }, argument: { name: { toString: KEY }, value: 'o' } },
    ],
    [
      'a context',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'chat_ask' }, argument: { name: 'a', value: 'o' }, context: [KEY] },
    ],
  ])('%s of another form are none', async (_, method, params) => {
    const client = await openSession(gateway);
    expect((await client.request(method, params)).error).toMatchObject({ code: -32602 });
    expect(reached()).toEqual([]);
  });

  it('a URI that its server lists is no secret to it', async () => {
    const client = await openSession(gateway);
    expect((await client.request('resources/read', { uri: `chat://list?key=${KEY}` })).error).toBeUndefined();
    expect(reached()).toMatchObject([{ params: { uri: `chat://list?key=${KEY}` } }]);
  });

  it('why a client gives up', async () => {
    const client = await openSession(gateway, CHAT);
    const asked = client.ask('acme/wait', {});
    asked.catch(() => undefined);
    await waitFor(() => expect(reached()).toMatchObject([{ method: 'acme/wait' }]));
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: KEY } };
    await client.post(JSON.stringify(cancel), client.session);
    await waitFor(() => expect(reached()).toMatchObject([{}, { method: 'notifications/cancelled' }]));
    expect(JSON.stringify(arrived)).not.toContain('a7Kq');
  });

  it('but a reason that holds nothing of the kind goes along', async () => {
    const client = await openSession(gateway, CHAT);
    const asked = client.ask('acme/wait', {});
    asked.catch(() => undefined);
    await waitFor(() => expect(reached()).toMatchObject([{ method: 'acme/wait' }]));
    const params = { requestId: 1, reason: 'The user changed their mind.' };
    await client.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }), client.session);
    await waitFor(() => expect(reached()).toMatchObject([{}, { params: { reason: params.reason } }]));
  });

  it('news of a client', async () => {
    const client = await openSession(gateway, CHAT);
    const tell = (params: object, method = 'notifications/acme') =>
      client.post(JSON.stringify({ jsonrpc: '2.0', method, params }), client.session);
    await tell({ said: KEY });
    await tell({ [KEY]: 1 });
    await tell({ _meta: { said: KEY } });
    await tell({ method: 'x', uri: 'y' }, `notifications/${KEY}`);
    await tell({ said: 'tides'.repeat(20_000) });
    await tell({
      said: 'tides',
      _meta: { 'dev.sallyport/user': 'Tell them of the tides.', 'dev.sallyport/run': 'r1' },
    });
    await waitFor(() => expect(reached()).not.toEqual([]));
    expect(reached()).toEqual([{ server: 'chat', method: 'notifications/acme', params: { said: 'tides', _meta: {} } }]);
  });

  it('a resource that a modern client wants to follow', async () => {
    const client = new PlainClient(gateway);
    const answer = client.askModern('subscriptions/listen', {
      notifications: { resourceSubscriptions: [NOTE(KEY), NOTE('clouds')] },
    });
    await waitFor(() => expect(reached()).not.toEqual([]));
    expect(reached()).toMatchObject([{ method: 'resources/subscribe', params: { uri: NOTE('clouds') } }]);
    answer.catch(() => undefined);
  });

  it('a masked value returns to its own server, and to no other', async () => {
    const client = await openSession(gateway);
    const token = TOKEN.exec(textOf(await client.call('hub_read')) ?? '')?.[0] ?? 'none';
    arrived = [];
    const passed: string[] = [];
    for (const [way, send] of WAYS) if ((await send(client, token)).error === undefined) passed.push(way);
    // Whatever its scheme says, a URI may be of its own server.
    expect(passed).toEqual(['the URI of a resource']);
    expect(arrived).toMatchObject([{ server: 'hub', params: { uri: NOTE(KEY) } }]);
    arrived = [];
    const told = await client.request('prompts/get', { name: 'hub_ask', arguments: { topic: `with ${token}` } });
    await client.request('resources/read', { uri: `hub://of/${token}` });
    expect(arrived).toMatchObject([
      { server: 'hub', params: { arguments: { topic: `with ${KEY}` } } },
      { server: 'hub', params: { uri: `hub://of/${KEY}` } },
    ]);
    // Where nothing is put back, nothing is sent.
    const before = arrived.length;
    for (const [method, params] of [
      ['tasks/get', { taskId: 'hub:7', uri: token }],
      ['prompts/get', { name: 'hub_ask', uri: token }],
    ] as const)
      expect((await client.request(method, params)).error).toBeDefined();
    expect(arrived).toHaveLength(before);
    // What the server repeats is masked again.
    expect(JSON.stringify(told)).toMatch(TOKEN);
    expect(JSON.stringify(told)).not.toContain('a7Kq');
  });

  it('what was stopped is counted', async () => {
    const answer = await exchange({ url: `${gateway.origin}/metrics`, method: 'GET', headers: gateway.headers });
    const stopped = sampleValue(parseMetrics(answer.body), 'sallyport_guard_denials_total', {
      sallyport_guard: 'secrets',
    });
    expect(stopped).toBeGreaterThan(WAYS.length);
  });

  it('no record and no log holds the value', () => {
    expect(filesOf(gateway)).toContain('{{secret:github-token:');
    expect(filesOf(gateway)).not.toContain('a7Kq');
    expect(gateway.process.stderr).not.toContain('a7Kq');
  });
});

describe('secrets that are left out', () => {
  it('the server gets a token, and what it answers with it reaches the caller with the value', async () => {
    const gateway = await open({ secrets: { arguments: { credentials: 'mask' }, results: { credentials: 'allow' } } });
    const client = await openSession(gateway);
    const told = await client.request('prompts/get', { name: 'chat_ask', arguments: { topic: KEY, tone: 'dry' } });
    expect(JSON.stringify(told)).toContain(KEY);
    await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'chat_ask' },
      argument: { name: 'topic', value: KEY },
      context: { arguments: { name: KEY, tone: 'dry' } },
    });
    expect(JSON.stringify(arrived)).not.toContain('a7Kq');
    expect(arrived).toMatchObject([
      { params: { name: 'ask', arguments: { topic: expect.stringMatching(TOKEN), tone: 'dry' } } },
      {
        params: {
          ref: { type: 'ref/prompt', name: 'ask' },
          argument: { name: 'topic', value: expect.stringMatching(TOKEN) },
          context: { arguments: { name: expect.stringMatching(TOKEN), tone: 'dry' } },
        },
      },
    ]);
  });

  it('of a name of something there is nothing to leave out', async () => {
    const gateway = await open({ secrets: { arguments: { credentials: 'mask' } } });
    const client = await openSession(gateway);
    const ref = { type: 'ref/prompt', name: 'chat_ask' };
    for (const [method, params] of [
      ['resources/read', { uri: NOTE(KEY) }],
      ['completion/complete', { ref, argument: { name: KEY, value: 'o' } }],
      ['prompts/get', { name: 'chat_ask', arguments: { topic: 'tides' }, extra: KEY }],
    ] as const)
      expect(JSON.stringify(await client.request(method, params))).toContain('nothing can be left out where it stands');
    expect(arrived).toEqual([]);
  });
});

describe('private data does not leave with what is no call', () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await open({
      policy: { set: 'laptop' },
      taint: { sources: [{ match: 'hub', trust: 'trusted', privacy: 'personal' }] },
    });
  });

  it.each([...WAYS])('%s', async (_, send) => {
    const client = await openSession(gateway);
    await client.call('hub_read');
    arrived = [];
    expect(JSON.stringify(await send(client, `account ${ACCOUNT}`))).toContain('private-outside');
    expect(arrived).toEqual([]);
    expect((await send(client, 'tides')).error).toBeUndefined();
  });
});
