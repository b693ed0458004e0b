import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceServer, createScratch, type Running, sallyport, start } from './matrix/set-up.ts';
import { connectV1, connectV2, type Places, type RealClient } from './real-clients.ts';

let places: Places;
const running: Running[] = [];
let scratch: ReturnType<typeof createScratch>;

beforeAll(async () => {
  const http = await start([conformanceServer, '--transport', 'http', '--era', 'modern']);
  running.push(http);
  const args = [conformanceServer, '--transport', 'stdio', '--era', 'legacy'];
  scratch = createScratch({
    mcpServers: { old: { command: process.execPath, args }, new: { type: 'http', url: http.facts['url'] } },
    discovery: { mode: 'on' },
    approvals: { asks: ['*/test_echo'] },
  });
  const log = ['--no-call-log', '--log-level', 'warn'];
  const up = await start([sallyport, 'up', '--config', scratch.config, '--port', '0', '--json', ...log], scratch.env);
  running.push(up);
  places = {
    url: String(up.facts['url']),
    sse: String(up.facts['sse']),
    key: String(up.facts['key']),
    stdio: {
      args: [sallyport, 'stdio', '--config', scratch.config, ...log],
      env: scratch.env as Record<string, string>, // a copy of process.env, whose own members are all strings
    },
  };
});

afterAll(async () => {
  for (const one of running.reverse()) await one.stop();
  scratch?.remove();
});

const clients: readonly [string, (at: Places) => Promise<RealClient>][] = [
  ['SDK v1 over http', (at) => connectV1('http', at)],
  ['SDK v1 over sse', (at) => connectV1('sse', at)],
  ['SDK v1 over stdio', (at) => connectV1('stdio', at)],
  ['SDK v2 over http, legacy', (at) => connectV2('http', 'legacy', at)],
  ['SDK v2 over http, modern', (at) => connectV2('http', 'modern', at)],
  ['SDK v2 over stdio, modern', (at) => connectV2('stdio', 'modern', at)],
];

describe.each(clients)('%s', (_name, connect) => {
  let client: RealClient;
  beforeAll(async () => {
    client = await connect(places);
  });
  afterAll(() => client?.close());

  const text = async (name: string, args: Record<string, unknown>, options = {}) => {
    const result = await client.callTool({ name, arguments: args }, options);
    return (result['content'] as { text?: string }[]).map((one) => one.text).join('\n');
  };
  const callThrough = (name: string, args: Record<string, unknown> = {}, options = {}) =>
    text('call_tool', { name, arguments: args }, options);

  it('comes from a request to a result', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool']);
    const cards = await text('find_tools', { queries: ['echo the arguments back'], server: 'old' });
    expect(cards).toMatch(/^old_test_echo\(/);
    const described = JSON.parse(await text('describe_tool', { name: 'old_test_echo' })) as Record<string, unknown>;
    expect(described).toMatchObject({ name: 'old_test_echo', inputSchema: { type: 'object' } });
    // Asks a person first: this client's.
    expect(await callThrough('old_test_echo', { message: 'hi' })).toBe('{"message":"hi"}');
    expect(await callThrough('new_test_echo', { message: 'hi' })).toBe('{"message":"hi"}');
  });

  it.each(['old', 'new'])('is asked by the %s server in the middle of a call, which happens once', async (server) => {
    const before = Number(await callThrough(`${server}_read_side_effects`));
    expect(await callThrough(`${server}_count_side_effect`)).toBe(`side effect ${before + 1}`);
    expect(await callThrough(`${server}_test_sampling`, { prompt: 'Capital?' })).toBe('LLM response: Paris');
    expect(await callThrough(`${server}_test_input_required_result_multi_round`)).toBe('Ada likes red');
  });

  it.each(['old', 'new'])('hears the progress of the %s server, and can cancel', async (server) => {
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
    await callThrough(`${server}_test_slow`, { steps: 3, delay_ms: 30 }, { onprogress });
    expect(seen.length).toBeGreaterThan(0);
    const before = Number(await callThrough(`${server}_cancel_count`));
    const abort = new AbortController();
    const given = callThrough(
      `${server}_test_slow`,
      { steps: 2_000, delay_ms: 10 },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(given).rejects.toThrow();
    await expect.poll(() => callThrough(`${server}_cancel_count`)).toBe(String(before + 1));
  });

  it('calls a tool by its plain name as before', async () => {
    expect(await text('new_test_echo', { message: 'hi' })).toBe('{"message":"hi"}');
  });
});
