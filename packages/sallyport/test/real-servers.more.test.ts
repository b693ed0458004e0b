import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayElements, objectMembers } from '../src/core/json-scan.ts';
import { toText } from './matrix/cell.ts';
import { type Fields, type Revision, toCapabilities } from './matrix/cells.ts';
import { type Hear, RawClient, type Transport } from './matrix/raw-client.ts';
import { openHttp } from './matrix/raw-http.ts';
import { openSse } from './matrix/raw-sse.ts';
import { openStdio } from './matrix/raw-stdio.ts';
import { createScratch, type Running, sallyport, start } from './matrix/set-up.ts';
import { type RealServers, startRealServers } from './real-servers.ts';
import { waitFor } from './wait-for.ts';

const legacy = '2025-11-25';
const modern = '2026-07-28';
const names = [
  'everything',
  'everything-sse',
  'everything-http',
  'filesystem',
  'memory',
  'sequential-thinking',
  'chrome-devtools',
  'context7',
] as const;
let servers: RealServers;
let scratch: ReturnType<typeof createScratch>;
let up: Running;
const clients: RawClient[] = [];

beforeAll(async () => {
  servers = await startRealServers();
  scratch = createScratch({ mcpServers: servers.entries });
  const log = ['--no-call-log', '--log-level', 'error'];
  up = await start([sallyport, 'up', '--config', scratch.config, '--port', '0', '--json', ...log], scratch.env);
  // A list names the servers that it does not have yet; tests begin when all have started.
  const first = await through(modern);
  const listed = async () => [...new Set([...(await itemsOf(first, TOOLS)).keys()].map((name) => name.split('_')[0]))];
  await waitFor(async () => expect(await listed()).toEqual(expect.arrayContaining([...names])));
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await up?.stop();
  await servers?.stop();
  scratch?.remove();
});

/** A client of Sallyport; `server`: of that server's own endpoint. */
function through(revision: Revision, server?: string, home = servers.home): Promise<RawClient> {
  const { origin } = new URL(String(up.facts['url']));
  const url = `${origin}${server === undefined ? '/mcp/plain' : `/servers/${server}/mcp`}`;
  return connect(revision, openHttp({ url, key: String(up.facts['key']), revision }), { home });
}

/** A client of the server itself, with the same capabilities: what a server shows depends on them. */
function directly(server: string, revision: Revision): Promise<RawClient> {
  const { type, url = '', args = [], env } = servers.entries[server] ?? {};
  const open =
    type === 'http'
      ? openHttp({ url, key: undefined, revision: legacy })
      : type === 'sse'
        ? openSse({ url, key: undefined })
        : openStdio({ args, env: { ...process.env, ...env }, foreign: true });
  return connect(legacy, open, { home: servers.home, capabilities: toCapabilities(revision) });
}

async function connect(
  revision: Revision,
  open: (hear: Hear) => Transport,
  { home, capabilities = toCapabilities(revision) }: { home: string; capabilities?: Fields },
): Promise<RawClient> {
  const sampled = { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled ✓' } };
  const client = await RawClient.connect(revision, open, {
    // Modern requests carry no session: whose roots they are, servers can only tell by who asks.
    name: `client at ${home}`,
    capabilities,
    responds: {
      'roots/list': () => ({ roots: [{ uri: pathToFileURL(home).href, name: 'home' }] }),
      'sampling/createMessage': () => sampled,
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada', check: true } }),
    },
  });
  clients.push(client);
  return client;
}

/** The items of a list as they were written, each with the value of `key` cut out. */
async function itemsOf(client: RawClient, { method, member, key }: ListShape): Promise<Map<string, string>> {
  const { text, result, error } = await client.call(method);
  if (error?.code === -32601) return new Map();
  if (result?.['nextCursor'] !== undefined || result === undefined) throw new Error(`not one page: ${text}`);
  const bytes = Buffer.from(text);
  const found = (at: number, name: string) => objectMembers(bytes, at).find((one) => one.key === name);
  const list = found(found(0, 'result')?.start ?? 0, member);
  const items = arrayElements(bytes, list?.start ?? 0).map(({ start, end }) => {
    const name = found(start, key);
    if (name === undefined) throw new Error(`an item of ${member} without ${key}`);
    const rest = `${bytes.toString('utf8', start, name.start)}…${bytes.toString('utf8', name.end, end)}`;
    return [JSON.parse(bytes.toString('utf8', name.start, name.end)) as string, rest] as const;
  });
  return new Map(items);
}

interface ListShape {
  readonly method: string;
  readonly member: string;
  readonly key: string;
}

const TOOLS: ListShape = { method: 'tools/list', member: 'tools', key: 'name' };
const lists: readonly ListShape[] = [
  TOOLS,
  { method: 'prompts/list', member: 'prompts', key: 'name' },
  { method: 'resources/list', member: 'resources', key: 'uri' },
  { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' },
];

describe.each([legacy, modern] as const)('a client of %s', (revision) => {
  let shared: RawClient;
  beforeAll(async () => {
    shared = await through(revision);
  });

  it.each(names)('sees every definition of %s byte for byte', async (server) => {
    const own = await through(revision, server);
    const direct = await directly(server, revision);
    for (const list of lists) {
      const { key } = list;
      const toPublic = (name: string) => (key === 'name' ? `${server}_${name}` : `${server}+${name}`);
      // Servers add tools after the handshake and say so: what is compared is what they come to rest at.
      await expect.poll(async () => [...(await itemsOf(own, list))]).toEqual([...(await itemsOf(direct, list))]);
      const wanted = await itemsOf(direct, list);
      await expect
        .poll(async () => [...(await itemsOf(shared, list))].filter(([name]) => name.startsWith(toPublic(''))))
        .toEqual([...wanted].map(([name, rest]) => [toPublic(name), rest]));
      if (list.member === 'tools') expect(wanted.size).toBeGreaterThan(0);
    }
  });

  it('keeps what only chrome-devtools writes into its annotations', async () => {
    const own = await through(revision, 'chrome-devtools');
    const { result } = await own.call('tools/list');
    const categories = ((result?.['tools'] ?? []) as { annotations?: Fields }[]).map(
      ({ annotations }) => annotations?.['category'],
    );
    expect(categories.filter((category) => typeof category === 'string').length).toBeGreaterThan(20);
  });

  it.each(['everything', 'everything-sse', 'everything-http'])('uses all that %s offers', async (server) => {
    const call = (name: string, args: Fields = {}, meta?: Fields) =>
      shared.call('tools/call', { name: `${server}_${name}`, arguments: args }, meta === undefined ? {} : { meta });
    expect(toText(await call('echo', { message: 'ä ✓' }))).toBe('Echo: ä ✓');
    expect(toText(await call('get-sum', { a: 2, b: 3 }))).toBe('The sum of 2 and 3 is 5.');
    const weather = await call('get-structured-content', { location: 'Chicago' });
    expect(weather.result?.['structuredContent']).toEqual({
      temperature: 36,
      conditions: 'Light rain / drizzle',
      humidity: 82,
    });
    const image = await call('get-tiny-image');
    expect(image.result?.['content']).toMatchObject([{ type: 'text' }, { type: 'image' }, { type: 'text' }]);
    const links = await call('get-resource-links', { count: 2 });
    const [, first] = (links.result?.['content'] ?? []) as Fields[];
    expect(first?.['uri']).toMatch(new RegExp(`^${server}\\+demo://`));
    const read = await shared.call('resources/read', { uri: first?.['uri'] });
    expect(read.result?.['contents']).toMatchObject([{ uri: first?.['uri'] }]);
    const steps = await call('trigger-long-running-operation', { duration: 0.1, steps: 2 }, { progressToken: 'p' });
    expect(steps.before.map(({ message }) => message.params)).toMatchObject([
      { progressToken: 'p', progress: 1, total: 2 },
      { progressToken: 'p', progress: 2, total: 2 },
    ]);
    expect(toText(await call('trigger-sampling-request', { prompt: 'hi' }))).toContain('sampled ✓');
    const asked = await call('trigger-elicitation-request');
    expect(JSON.stringify(asked.result)).toContain('- Name: Ada');
    expect(JSON.stringify((await call('get-roots-list')).result)).toContain(pathToFileURL(servers.home).href);
    const wrong = await call('get-sum', { a: 'two' });
    expect(wrong.result?.['isError']).toBe(true);
    const prompt = await shared.call('prompts/get', {
      name: `${server}_completable-prompt`,
      arguments: { department: 'Sales', name: 'Eve' },
    });
    expect(JSON.stringify(prompt.result)).toContain('Please promote Eve to the head of the Sales team.');
    const completion = await shared.call('completion/complete', {
      ref: { type: 'ref/prompt', name: `${server}_completable-prompt` },
      argument: { name: 'name', value: 'D' },
      context: { arguments: { department: 'Sales' } },
    });
    expect(completion.result?.['completion']).toMatchObject({ values: ['David'] });
  });

  it('uses files, knowledge and thoughts', async () => {
    const call = (name: string, args: Fields) => shared.call('tools/call', { name, arguments: args });
    const path = join(realpathSync(servers.home), `${revision}.txt`);
    await call('filesystem_write_file', { path, content: 'written through Sallyport\n' });
    expect(toText(await call('filesystem_read_text_file', { path }))).toBe('written through Sallyport\n');
    const outside = await call('filesystem_read_text_file', { path: '/etc/hostname' });
    expect(outside.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Access denied') }],
    });
    const entity = { name: revision, entityType: 'revision', observations: ['seen'] };
    await call('memory_create_entities', { entities: [entity] });
    const graph = await call('memory_open_nodes', { names: [revision] });
    expect(graph.result?.['structuredContent']).toMatchObject({ entities: [entity] });
    const thought = { thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const thinking = await call('sequential-thinking_sequentialthinking', thought);
    expect(JSON.parse(toText(thinking))).toMatchObject({ thoughtNumber: 1, nextThoughtNeeded: false });
  });

  it('gives a server the roots of its own client, not of another one, and new ones when they change', async () => {
    const homes = ['one', 'two'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), `root-${name}-`))));
    try {
      for (const home of homes) {
        const client = await through(revision, 'filesystem', home);
        const allowed = async () =>
          toText(await client.call('tools/call', { name: 'list_allowed_directories', arguments: {} }));
        // The server asks for them by itself, some time after the handshake.
        await expect.poll(allowed).toContain(home);
        if (client.modern) continue;
        const moved = join(home, 'moved');
        mkdirSync(moved);
        client.responds.set('roots/list', () => ({ roots: [{ uri: pathToFileURL(moved).href }] }));
        await client.notify('notifications/roots/list_changed');
        await expect.poll(allowed).toContain(moved);
      }
    } finally {
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    }
  });
});
