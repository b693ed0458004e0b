import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fields, Front } from './matrix/cells.ts';
import { conformanceServer, createScratch, type Running, sallyport, start } from './matrix/set-up.ts';
import { connectV1, connectV2, type Mode, type Places, type RealClient } from './real-clients.ts';

let places: Places;
const running: Running[] = [];
let scratch: ReturnType<typeof createScratch>;

beforeAll(async () => {
  const http = await start([conformanceServer, '--transport', 'http', '--era', 'modern']);
  running.push(http);
  const args = [conformanceServer, '--transport', 'stdio', '--era', 'legacy'];
  scratch = createScratch({
    mcpServers: { old: { command: process.execPath, args }, new: { type: 'http', url: http.facts['url'] } },
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

/** Each client as a person would set it up; `modern`: what it is expected to agree on with us. */
const clients: readonly [string, boolean, (at: Places) => Promise<RealClient>][] = [
  ...(['http', 'sse', 'stdio'] as const).map((front): (typeof clients)[number] => [
    `SDK v1 over ${front}`,
    false,
    (at) => connectV1(front, at),
  ]),
  ...(['http', 'stdio'] as const).flatMap((front) =>
    (['auto', 'legacy', 'modern'] as const).map((mode): (typeof clients)[number] => [
      `SDK v2 over ${front}, ${mode}`,
      mode !== 'legacy',
      (at) => connectV2(front, mode, at),
    ]),
  ),
  ['SDK v2 over sse, legacy', false, (at) => connectV2('sse' satisfies Front, 'legacy' satisfies Mode, at)],
];

describe.each(clients)('%s', (_name, modern, connect) => {
  let client: RealClient;
  beforeAll(async () => {
    client = await connect(places);
  });
  afterAll(() => client?.close());

  const text = async (name: string, args: Fields = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [first] = result['content'] as { text?: string }[];
    return first?.text;
  };

  it('agrees on the newest revision both know, and knows us', () => {
    expect(client.modern).toBe(modern);
    expect(client.serverName()).toBe('sallyport');
  });

  describe.each(['old', 'new'] as const)('with the %s server', (server) => {
    const uri = (own: string) => `${server}+${own}`;

    it('lists everything with its own parser and finds it again', async () => {
      // Right after the start a list does not wait long for a server that takes its time.
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      await expect.poll(names, { timeout: 30_000 }).toContain(`${server}_constructor`);
      const { resources } = await client.listResources();
      expect(resources.map((resource) => resource.uri)).toContain(uri('test://static-text'));
      const { resourceTemplates } = await client.listResourceTemplates();
      const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.startsWith(`${server}+`))?.uriTemplate;
      const read = await client.readResource({ uri: template?.replace('{id}', '7') ?? '' });
      expect(read['contents']).toMatchObject([{ uri: uri('test://template/7/data') }]);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain(`${server}_test_prompt_with_arguments`);
      const args = { arg1: 'x', arg2: 'y' };
      const prompt = await client.getPrompt({ name: `${server}_test_prompt_with_arguments`, arguments: args });
      expect(prompt['messages']).toMatchObject([{ content: { text: "Prompt with arguments: arg1='x', arg2='y'" } }]);
      const ref = { type: 'ref/resource', uri: uri('test://template/{id}/data') } as const;
      const { completion } = await client.complete({ ref, argument: { name: 'id', value: '12' } });
      expect(completion.values).toEqual(['12', '123']);
    });

    it('calls tools and understands every answer', async () => {
      expect(await text(`${server}_test_echo`, { message: 'hi' })).toBe('{"message":"hi"}');
      const all = await client.callTool({ name: `${server}_test_all_content` });
      const types = (all['content'] as { type: string }[]).map(({ type }) => type);
      expect(types).toEqual(['text', 'image', 'audio', 'resource_link', 'resource', 'resource']);
      const weather = await client.callTool({ name: `${server}_test_structured_content` });
      expect(weather['structuredContent']).toMatchObject({ conditions: 'sunny' });
      expect(await client.callTool({ name: `${server}_test_tool_error` })).toMatchObject({ isError: true });
      const args = { code: -32050, message: 'as ordered', data: { a: 1 } };
      await expect(client.callTool({ name: `${server}_test_protocol_error`, arguments: args })).rejects.toMatchObject({
        code: -32050,
        message: expect.stringContaining('as ordered'),
        data: { a: 1 },
      });
      await expect(client.callTool({ name: `${server}_nothing` })).rejects.toMatchObject({ code: -32602 });
      await expect(client.readResource({ uri: uri('test://missing') })).rejects.toMatchObject({
        data: { uri: uri('test://missing') },
      });
    });

    it('is asked, and its side effects happen once', async () => {
      const before = Number(await text(`${server}_read_side_effects`));
      expect(await text(`${server}_count_side_effect`)).toBe(`side effect ${before + 1}`);
      expect(await text(`${server}_read_side_effects`)).toBe(String(before + 1));
      expect(await text(`${server}_test_url_elicitation`)).toBe('action=accept');
      expect(await text(`${server}_test_sampling`, { prompt: 'Capital?' })).toBe('LLM response: Paris');
      expect(await text(`${server}_test_roots`)).toContain('file:///work');
      expect(await text(`${server}_test_input_required_result_multi_round`)).toBe('Ada likes red');
      const read = await client.readResource({ uri: uri('test://asks-first') });
      expect(read['contents']).toMatchObject([{ text: 'read because: so' }]);
    });

    it('hears progress and log messages, and can cancel', async () => {
      const seen: number[] = [];
      const steps = { name: `${server}_test_slow`, arguments: { steps: 3, delay_ms: 30 } };
      await client.callTool(steps, { onprogress: ({ progress }) => seen.push(progress) });
      // An SDK client drops progress that it reads together with the result, which a busy machine brings about.
      expect(seen.length).toBeGreaterThan(0);
      expect(seen).toEqual([1, 2, 3].slice(0, seen.length));
      const before = Number(await text(`${server}_cancel_count`));
      const abort = new AbortController();
      const long = { name: `${server}_test_slow`, arguments: { steps: 2_000, delay_ms: 10 } };
      const given = client.callTool(long, { signal: abort.signal, onprogress: () => abort.abort() });
      await expect(given).rejects.toThrow();
      await expect.poll(() => text(`${server}_cancel_count`)).toBe(String(before + 1));
      // A modern client names its level with each request, which neither SDK offers; tested with raw clients.
      if (client.modern) return;
      await client.setLoggingLevel('debug');
      await text(`${server}_test_log`, { level: 'error', data: server });
      const logged = { method: 'notifications/message', params: { level: 'error', logger: 'matrix', data: server } };
      await expect.poll(() => client.heard).toContainEqual(logged);
    });

    it('hears of changes and sees them in its next list', async () => {
      const watched = uri('test://watched-resource');
      const stop = await client.follow(watched);
      const names = {
        tools: async () => (await client.listTools()).tools.map(({ name }) => name),
        prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
        resources: async () => (await client.listResources()).resources.map((one) => one.uri),
      };
      for (const listed of [true, false]) {
        for (const [list, kind, extra] of [
          ['tools', 'tool', `${server}_extra_tool`],
          ['prompts', 'prompt', `${server}_extra_prompt`],
          ['resources', 'resource', uri('test://extra')],
        ] as const) {
          const from = client.heard.length;
          await text(`${server}_test_trigger_${kind}_change`);
          const isTold = () => client.heard.slice(from).some(({ method }) => method.endsWith(`${list}/list_changed`));
          await expect.poll(isTold).toBe(true);
          expect((await names[list]()).includes(extra), `${extra} is listed`).toBe(listed);
        }
      }
      const from = client.heard.length;
      const version = (await text(`${server}_test_trigger_resource_update`))?.replace('version ', '');
      const updated = () => client.heard.slice(from).find(({ method }) => method.endsWith('resources/updated'));
      await expect.poll(() => updated()?.params['uri']).toBe(watched);
      const read = await client.readResource({ uri: watched });
      expect(read['contents']).toMatchObject([{ text: `version ${version}` }]);
      await stop();
    });
  });

  it('never met a message it could not place', () => {
    // Progress that was on its way when the client cancelled is nobody's fault.
    const late = /progress notification for an unknown token/;
    expect(client.errors.map(String).filter((error) => !late.test(error))).toEqual([]);
  });
});
