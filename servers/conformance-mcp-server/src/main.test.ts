import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const cleanups: (() => Promise<unknown> | unknown)[] = [];

beforeAll(() => {
  if (!existsSync(program)) throw new Error('build first: npx tsc -b servers/conformance-mcp-server');
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Transport = 'stdio' | 'http' | 'sse';
type Era = 'legacy' | 'modern';

/** Each combination this server can be run in. */
const combinations: [Transport, Era, string[]][] = [
  ['stdio', 'legacy', ['--era', 'legacy']],
  ['stdio', 'modern', ['--era', 'modern']],
  ['stdio', 'legacy', ['--era', 'both', '--page-size', '7']],
  ['stdio', 'modern', ['--era', 'both', '--page-size', '7']],
  ['http', 'legacy', ['--era', 'legacy']],
  ['http', 'modern', ['--era', 'modern']],
  ['http', 'legacy', ['--era', 'both']],
  ['http', 'modern', ['--era', 'both']],
  ['sse', 'legacy', []],
];

async function start(transport: Transport, flags: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [program, '--transport', transport, ...flags], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  cleanups.push(() => {
    child.stdin?.end();
    return ended;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data)));
    child.once('exit', (code) => reject(new Error(`exit ${code}`)));
  });
  return { url: JSON.parse(line).url, child };
}

async function connect(transport: Transport, era: Era | 'auto', flags: string[]) {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
  const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async ({ params }) =>
    params.mode === 'url'
      ? { action: 'accept' }
      : { action: 'accept', content: { ok: true, name: 'Ada', color: 'red' } },
  );
  client.setRequestHandler('sampling/createMessage', async () => ({
    model: 'test',
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
  }));
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }));
  if (transport === 'stdio') {
    const args = [program, '--transport', 'stdio', ...flags];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  } else {
    const { url } = await start(transport, flags);
    const at = new URL(url);
    await client.connect(transport === 'http' ? new StreamableHTTPClientTransport(at) : new SSEClientTransport(at));
  }
  cleanups.push(() => client.close());
  return client;
}

async function textOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content;
  return first?.type === 'text' ? first.text : JSON.stringify(first);
}

describe.each(combinations)('%s, %s era, %j', (transport, era, flags) => {
  it('lists and serves tools, resources, prompts and completions', async () => {
    const client = await connect(transport, era, flags);
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toContain('constructor');
    expect(names.includes('test_structured_array')).toBe(era === 'modern');
    const all = await client.callTool({ name: 'test_all_content' });
    expect(all.content.map((part) => part.type)).toEqual([
      'text',
      'image',
      'audio',
      'resource_link',
      'resource',
      'resource',
    ]);
    expect((await client.callTool({ name: 'test_structured_content' })).structuredContent).toMatchObject({
      conditions: 'sunny',
    });
    expect((await client.callTool({ name: 'test_tool_error' })).isError).toBe(true);
    await expect(
      client.callTool({ name: 'test_protocol_error', arguments: { code: -32050, message: 'no', data: { a: 1 } } }),
    ).rejects.toMatchObject({ code: -32050, message: expect.stringContaining('no'), data: { a: 1 } });
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 });
    const read = await client.readResource({ uri: 'test://template/7/data' });
    expect(read.contents[0]).toMatchObject({ text: expect.stringContaining('Data for ID: 7') });
    const missing = client.readResource({ uri: 'test://missing' });
    await expect(missing).rejects.toMatchObject({ data: { uri: 'test://missing' } });
    const prompt = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'x', arg2: 'y' } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: "Prompt with arguments: arg1='x', arg2='y'" });
    const ref = { type: 'ref/resource', uri: 'test://template/{id}/data' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: '12' } });
    expect(completion.values).toEqual(['12', '123']);
  });

  it('asks the client and counts its side effects', async () => {
    const client = await connect(transport, era, flags);
    expect(await textOf(client, 'read_side_effects')).toBe('0');
    expect(await textOf(client, 'count_side_effect')).toBe('side effect 1');
    expect(await textOf(client, 'read_side_effects')).toBe('1');
    expect(await textOf(client, 'test_url_elicitation')).toBe('action=accept');
    expect(await textOf(client, 'test_sampling', { prompt: 'capital?' })).toBe('LLM response: Paris');
    expect(await textOf(client, 'test_roots')).toContain('file:///work');
    expect(await textOf(client, 'test_input_required_result_multi_round')).toBe('Ada likes red');
    const asked = await client.readResource({ uri: 'test://asks-first' });
    expect(asked.contents[0]).toMatchObject({ text: expect.stringContaining('read because') });
  });

  it('reports progress and takes cancellation', async () => {
    const client = await connect(transport, era, flags);
    const seen: number[] = [];
    const steps = { steps: 3, delay_ms: 5 };
    await client.callTool(
      { name: 'test_slow', arguments: steps },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    // Handlers of notifications may run after the answer is there. One that arrives together with it finds no handler any more.
    await expect.poll(() => seen.slice(0, 2)).toEqual([1, 2]);
    const abort = new AbortController();
    const long = client.callTool(
      { name: 'test_slow', arguments: { steps: 1_000, delay_ms: 20 } },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(long).rejects.toThrow();
    await expect.poll(() => textOf(client, 'cancel_count')).toBe('1');
  });

  it('announces changes', async () => {
    const client = await connect(transport, era, flags);
    const heard: string[] = [];
    for (const method of [
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
    ] as const) {
      client.setNotificationHandler(method, () => void heard.push(method));
    }
    const uri = 'test://watched-resource';
    if (era === 'legacy') await client.subscribeResource({ uri });
    else {
      await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
      });
    }
    for (const what of ['tool_change', 'prompt_change', 'resource_change', 'resource_update']) {
      await textOf(client, `test_trigger_${what}`);
    }
    await expect.poll(() => heard.length).toBe(4);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('extra_tool');
  });
});

it('logs only what was asked for', async () => {
  const legacy = await connect('http', 'legacy', []);
  const heard: unknown[] = [];
  legacy.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.level));
  await legacy.setLoggingLevel('warning');
  await textOf(legacy, 'test_log', { level: 'info' });
  await textOf(legacy, 'test_log', { level: 'error' });
  await expect.poll(() => heard).toEqual(['error']);
});

it('serves legacy clients without sessions when told to', async () => {
  const client = await connect('http', 'auto', ['--era', 'legacy', '--stateless']);
  expect(await textOf(client, 'test_echo', { message: 'hi' })).toBe('{"message":"hi"}');
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
  await client.callTool({ name: 'test_slow', arguments: { steps: 2, delay_ms: 5 } }, { onprogress });
  expect(seen).toEqual([1, 2]);
});

it('picks the modern era for a client that speaks both', async () => {
  const client = await connect('http', 'auto', ['--era', 'both']);
  expect(JSON.parse(await textOf(client, 'test_client'))).toMatchObject({ era: 'modern', revision: '2026-07-28' });
});

it('ends with SIGTERM and tells its subscribers', async () => {
  const { url, child } = await start('http', ['--era', 'modern']);
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'one',
      method,
      params: { _meta, notifications: { toolsListChanged: true } },
    }),
  });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const text = await response.text();
  expect(text).toContain('notifications/subscriptions/acknowledged');
  expect(text).toContain('"resultType":"complete"');
  expect(await exit).toBe(0);
});

it('refuses flags it does not know', async () => {
  const child = spawn(process.execPath, [program, '--transport', 'pigeon'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
  expect(said).toContain('--transport must be one of stdio, http, sse');
});
