import { beforeAll, describe, expect, it } from 'vitest';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { startWordyServer, type WordyServer } from './wordy-server.ts';

const HANDLE = /\{\{handle:[a-z2-7]{16}\}\}/;
const ref = { type: 'ref/prompt', name: 'web_greet' };
const argument = { name: 'who', value: 'a' };

/** Every way by which a server can say something. */
const WAYS: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['a result', 'tools/call', { name: 'web_fetch', arguments: {} }],
  ['an error', 'tools/call', { name: 'web_fail', arguments: {} }],
  ['an HTTP error', 'tools/call', { name: 'web_broken', arguments: {} }],
  ['progress, log and question', 'tools/call', { name: 'web_ask_me', arguments: {}, _meta: { progressToken: 7 } }],
  ['a resource', 'resources/read', { uri: 'docs://a' }],
  ['a page of a template', 'resources/read', { uri: 'docs://pages/1' }],
  ['an error about a resource', 'resources/read', { uri: 'docs://fail' }],
  ['a prompt', 'prompts/get', { name: 'web_greet', arguments: { who: 'a' } }],
  ['an error about a prompt', 'prompts/get', { name: 'web_fail' }],
  ['a completion', 'completion/complete', { ref, argument }],
  ['an error about following', 'resources/subscribe', { uri: 'docs://fail' }],
];
/** On the door of the server alone. */
const OWN_WAYS: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['a result', 'tools/call', { name: 'fetch', arguments: {} }],
  ['a method nobody knows', 'custom/say', {}],
  ['a list of tasks', 'tasks/list', {}],
  ['an answer to a log level', 'logging/setLevel', { level: 'error' }],
];

let web: WordyServer;

async function open(config: Record<string, unknown>): Promise<RunningGateway> {
  return startGateway({ mcpServers: { web: { url: web.url } }, taint: { flows: [] }, ...config } as never);
}

const connect = (gateway: RunningGateway, url = gateway.url) =>
  new PlainClient(gateway, url).initialize('2025-11-25', { elicitation: {}, sampling: {} });

describe('a server whose texts are behind handles', () => {
  let shared: PlainClient;
  let own: PlainClient;

  beforeAll(async () => {
    web = await startWordyServer();
    const gateway = await open({ plans: { handles: ['web'] } });
    shared = await connect(gateway);
    own = await connect(gateway, String(gateway.servers['web']));
  });

  it.each(WAYS)('says nothing by %s', async (_, method, params) => {
    const { body } = await shared.ask(method, params);
    expect(body).not.toContain('attacker');
    expect(body).toContain('"id"');
  });

  it.each(OWN_WAYS)('says nothing on its own door by %s', async (_, method, params) => {
    expect((await own.ask(method, params)).body).not.toContain('attacker');
  });

  it('answers a call all the same, and was told no to its question', async () => {
    const [way] = WAYS.filter(([what]) => what.startsWith('progress'));
    const { body } = await shared.ask(way?.[1] ?? '', way?.[2]);
    expect(body).toMatch(HANDLE);
    expect(body).toContain('"progress":1');
    expect(web.answers.at(-1)).toMatchObject({ error: { message: expect.stringContaining('may not ask') } });
  });

  it('gives resources and prompts by handles, which tools take', async () => {
    const read = await shared.request('resources/read', { uri: 'docs://a' });
    expect(read.result?.['contents']).toEqual([
      { uri: 'web+docs://a', mimeType: 'text/plain', text: expect.stringMatching(HANDLE) },
    ]);
    const said = await shared.request('prompts/get', { name: 'web_greet', arguments: { who: 'a' } });
    expect(said.result).toMatchObject({ messages: [{ role: 'user', content: { type: 'text' } }] });
    const text = HANDLE.exec(JSON.stringify(said.result))?.[0];
    await shared.call('web_store', { text, more: [`${text} and more`], [String(text)]: 1 });
    const { params } = web.got.at(-1) ?? { params: undefined };
    // Only what is a handle and nothing else is opened.
    expect(params).toMatchObject({
      arguments: { text: expect.stringContaining('attacker'), more: [`${text} and more`], [String(text)]: 1 },
    });
  });

  it('opens no handle where no tool is called', async () => {
    const before = web.got.length;
    const read = await shared.request('resources/read', { uri: 'docs://a' });
    const text = HANDLE.exec(JSON.stringify(read.result))?.[0];
    const asked = web.got.length;
    for (const [method, params] of [
      ['prompts/get', { name: 'web_greet', arguments: { who: text } }],
      ['completion/complete', { ref, argument: { name: 'who', value: text } }],
    ] as const)
      expect(JSON.stringify(await shared.request(method, params))).toContain('in arguments of tools only');
    expect([before, web.got.length]).toEqual([asked - 1, asked]);
  });
});

describe('the same server without handles', () => {
  let shared: PlainClient;
  let own: PlainClient;

  beforeAll(async () => {
    web = await startWordyServer();
    const gateway = await open({ plans: {}, scan: { results: 'off' } });
    [shared, own] = await Promise.all([connect(gateway), connect(gateway, String(gateway.servers['web']))]);
  });

  // Else the tests above would prove nothing.
  it.each(WAYS.filter(([what]) => !what.startsWith('progress')))('speaks by %s', async (_, method, params) => {
    expect((await shared.ask(method, params)).body).toContain('attacker');
  });
  it.each(OWN_WAYS)('speaks on its own door by %s', async (_, method, params) => {
    expect((await own.ask(method, params)).body).toContain('attacker');
  });
});
