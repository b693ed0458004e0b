import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  fail,
  field,
  type KitServer,
  openArtifacts,
  type ToolContext,
  z,
} from './kit.ts';
import type { CallNote } from './run-tool.ts';
import { connectTestClient, type TestClient, type TestClientOptions } from './testing/testing.ts';

const CITIES = ['Paris', 'Porto', 'Prague'];
const startingWith = (start: string) => CITIES.filter((city) => city.startsWith(start));
const notes: CallNote[] = [];
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  notes.length = 0;
});

const resources = [
  defineResource({
    uri: 'city://list',
    name: 'cities',
    description: 'All cities',
    mimeType: 'text/plain',
    read: () => CITIES.join(' '),
  }),
  defineResource({
    uri: 'city://{name}/map',
    name: 'map',
    description: 'The map of a city',
    mimeType: 'image/png',
    complete: { name: startingWith },
    read: (_, { name = '' }) => {
      if (name === 'bug') throw new Error('password=hunter2');
      if (!CITIES.includes(name)) fail(`There is no city "${name}".`, 'Read city://list to see the names.');
      return new Uint8Array([1, 2, 3]);
    },
  }),
];
const trip = definePrompt({
  name: 'plan_trip',
  title: 'Plan a trip',
  description: 'A plan for a city',
  input: {
    city: field('Where to', z.string()),
    days: field('How many days, in digits', z.string().optional()),
  },
  complete: { city: startingWith },
  text: ({ city, days = '3' }) => {
    if (city === 'bug') throw new Error('password=hunter2');
    return `Plan ${days} days in ${city}.`;
  },
});

function serverWith(run: (context: ToolContext) => string | Promise<string>): KitServer {
  const tool = defineTool({
    name: 'trips_plan_trip',
    title: 'Plan a trip',
    description: 'Plans a trip and says how it went.',
    input: {},
    output: { said: field('How it went', z.string()) },
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    run: async (_, context) => ({ said: await run(context) }),
  });
  const server = defineServer({
    name: 'trips-mcp-server',
    version: '1.0.0',
    tools: [tool],
    resources,
    prompts: [trip],
    note: (note) => notes.push(note),
  });
  opened.push(server);
  return server;
}

async function connect(server: KitServer, options: TestClientOptions): Promise<TestClient> {
  const client = await connectTestClient(server, options);
  opened.unshift(client);
  return client;
}

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  test('resources and templates are listed and read, as text and as bytes', async () => {
    const { client } = await connect(
      serverWith(() => ''),
      { era },
    );
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'city://list', name: 'cities' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'city://{name}/map', mimeType: 'image/png' },
    ]);
    expect((await client.readResource({ uri: 'city://list' })).contents).toMatchObject([
      { text: 'Paris Porto Prague', mimeType: 'text/plain' },
    ]);
    expect((await client.readResource({ uri: 'city://Paris/map' })).contents).toMatchObject([{ blob: 'AQID' }]);
  });

  test('prompts are listed and filled in', async () => {
    const { client } = await connect(
      serverWith(() => ''),
      { era },
    );
    expect((await client.listPrompts()).prompts).toMatchObject([
      {
        name: 'plan_trip',
        title: 'Plan a trip',
        arguments: [
          { name: 'city', description: 'Where to', required: true },
          { name: 'days', required: false },
        ],
      },
    ]);
    const { messages } = await client.getPrompt({ name: 'plan_trip', arguments: { city: 'Porto' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Plan 3 days in Porto.' } }]);
    await expect(client.getPrompt({ name: 'plan_trip', arguments: {} })).rejects.toThrow(/city/);
  });

  test('variables of templates and arguments of prompts are completed', async () => {
    const { client } = await connect(
      serverWith(() => ''),
      { era },
    );
    const complete = async (ref: Parameters<typeof client.complete>[0]['ref'], name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values;
    expect(await complete({ type: 'ref/resource', uri: 'city://{name}/map' }, 'name', 'Po')).toEqual(['Porto']);
    expect(await complete({ type: 'ref/prompt', name: 'plan_trip' }, 'city', 'P')).toEqual(CITIES);
    expect(await complete({ type: 'ref/prompt', name: 'plan_trip' }, 'days', '1')).toEqual([]);
  });

  test('a resource or prompt that fails teaches, and gives nothing away', async () => {
    const { client } = await connect(
      serverWith(() => ''),
      { era },
    );
    await expect(client.readResource({ uri: 'city://Berlin/map' })).rejects.toThrow(
      'There is no city "Berlin". Read city://list to see the names.',
    );
    for (const failing of [
      () => client.readResource({ uri: 'city://bug/map' }),
      () => client.getPrompt({ name: 'plan_trip', arguments: { city: 'bug' } }),
    ]) {
      const { message } = await failing().then(
        () => new Error('it succeeded'),
        (error: Error) => error,
      );
      expect(message).not.toContain('hunter2');
      const reference = /reference (\w+)/.exec(message)?.[1];
      expect(notes.find((note) => note.reference === reference)?.cause).toMatchObject({ message: 'password=hunter2' });
    }
  });

  test('progress reaches a client that asked for it', async () => {
    const server = serverWith(async ({ progress }) => {
      await progress(1, 2, 'half');
      await progress(2, 2);
      return 'done';
    });
    const { client } = await connect(server, { era });
    const seen: unknown[] = [];
    await client.callTool(
      { name: 'trips_plan_trip', arguments: {} },
      { onprogress: (progress) => seen.push([progress.progress, progress.total, progress.message]) },
    );
    expect(seen).toEqual([
      [1, 2, 'half'],
      [2, 2, undefined],
    ]);
    expect(await client.callTool({ name: 'trips_plan_trip', arguments: {} })).toMatchObject({
      structuredContent: { said: 'done' },
    });
  });

  test('log messages from the level on that the client wants', async () => {
    const server = serverWith(async ({ log }) => {
      await log('debug', 'not wanted');
      await log('warning', { city: 'Porto' });
      return 'done';
    });
    const { client } = await connect(server, { era });
    const seen: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void seen.push([params.level, params.data]));
    if (era === 'legacy') await client.setLoggingLevel('info');
    await client.callTool({
      name: 'trips_plan_trip',
      arguments: {},
      ...(era === 'modern' ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {}),
    });
    expect(seen).toEqual([['warning', { city: 'Porto' }]]);
  });

  test("the client's model answers", async () => {
    const server = serverWith(async ({ sample }) => {
      const { content, model } = await sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Where to?' } }],
        maxTokens: 10,
      });
      return `${model}: ${Array.isArray(content) ? '' : content.type === 'text' ? content.text : ''}`;
    });
    const client = await connectTestClient(server, {
      era,
      sample: ({ messages }) => `To Porto (${messages.length} message)`,
    });
    opened.unshift(client);
    expect(await client.call('trips_plan_trip')).toEqual({ said: 'test-model: To Porto (1 message)' });
  });

  test('parts of an artifact are read; a range that is none says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kit-artifacts-'));
    const artifacts = await openArtifacts(folder);
    const server = defineServer({ name: 'data-mcp-server', version: '1.0.0', resources: artifacts.resources });
    opened.push(server);
    const { client } = await connect(server, { era });
    const { uri } = await artifacts.store('0123456789');
    expect((await client.readResource({ uri: `${uri}/2-5` })).contents).toMatchObject([{ blob: btoa('234') }]);
    for (const range of ['x-y', '-1-5', '1.5-2', '5-2', '0-99999999999999999999'])
      await expect(client.readResource({ uri: `${uri}/${range}` })).rejects.toThrow(/from-to/);
    rmSync(folder, { recursive: true });
  });
});

test('expired artifacts go; other files in their folder stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kit-artifacts-'));
  writeFileSync(join(folder, 'thesis.txt'), 'years of work');
  utimesSync(join(folder, 'thesis.txt'), 0, 0);
  const artifacts = await openArtifacts(folder);
  const { uri } = await artifacts.store('old');
  const file = join(folder, uri.slice('artifact://'.length));
  utimesSync(file, 0, 0);
  await artifacts.store('new');
  expect(readdirSync(folder)).toContain('thesis.txt');
  expect(readdirSync(folder)).toHaveLength(2);
  rmSync(folder, { recursive: true });
});
