import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceServer, createScratch, type Running, sallyport, start } from './matrix/set-up.ts';
import { connectV1, connectV2, type Places, type RealClient } from './real-clients.ts';
import { waitFor } from './wait-for.ts';

let places: Places;
const running: Running[] = [];
let scratch: ReturnType<typeof createScratch>;

beforeAll(async () => {
  const http = await start([conformanceServer, '--transport', 'http', '--era', 'modern']);
  running.push(http);
  const args = [conformanceServer, '--transport', 'stdio', '--era', 'legacy'];
  scratch = createScratch({
    mcpServers: { old: { command: process.execPath, args }, new: { type: 'http', url: http.facts['url'] } },
    scripts: { mode: 'on' },
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
  ['SDK v1 over stdio', (at) => connectV1('stdio', at)],
  ['SDK v2 over http, legacy', (at) => connectV2('http', 'legacy', at)],
  ['SDK v2 over http, modern', (at) => connectV2('http', 'modern', at)],
  ['SDK v2 over stdio, modern', (at) => connectV2('stdio', 'modern', at)],
];

describe.each(clients)('%s', (_name, connect) => {
  let client: RealClient;
  beforeAll(async () => {
    client = await connect(places);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await waitFor(async () => expect((await names()).join()).toMatch(/old_test_echo.*new_test_echo.*run_script/));
  });
  afterAll(() => client?.close());

  const run = async (script: string, options = {}) => {
    const result = await client.callTool({ name: 'run_script', arguments: { script } }, options);
    return (result['content'] as { text?: string }[]).map((one) => one.text).join('\n');
  };

  it('is asked by Sallyport and by servers of both eras while a script runs, which goes on with what it said', async () => {
    const given = `
      const said = [];
      for (const server of ['old', 'new']) {
        const own = tools[server];
        const before = await own.read_side_effects();
        // A person has to allow it: this client's.
        said.push(await own.test_echo({ message: 'hi' }));
        // Beside each other.
        said.push(await Promise.all([own.test_sampling({ prompt: 'Capital?' }), own.test_input_required_result_multi_round()]));
        await own.count_side_effect();
        said.push((await own.read_side_effects()) - before);
      }
      return said;`;
    const once = [{ message: 'hi' }, ['LLM response: Paris', 'Ada likes red'], 1];
    expect(JSON.parse(await run(given))).toEqual([...once, ...once]);
  });

  it('hears how many calls were made, and ends the script and its calls by cancelling', async () => {
    const seen: number[] = [];
    const three = 'for (let i = 0; i < 3; i++) await tools.new.read_side_effects(); return "done"';
    expect(await run(three, { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) })).toBe(
      'done',
    );
    expect(seen.at(-1)).toBe(3);
    const count = () => run('return await tools.old.cancel_count()');
    const before = Number(await count());
    const abort = new AbortController();
    // The slow call is at its server when the second call has ended.
    const given =
      'await tools.old.cancel_count(); await Promise.all([tools.old.test_slow({ steps: 2000, delay_ms: 10 }), tools.old.cancel_count()])';
    const onprogress = ({ progress }: { progress: number }) => progress >= 2 && abort.abort();
    const slow = run(given, { signal: abort.signal, onprogress });
    await expect(slow).rejects.toThrow();
    await expect.poll(count).toBe(String(before + 1));
  });
});
