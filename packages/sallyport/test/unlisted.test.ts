import { expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const tool = (name: string, description = `Does ${name}.`) => ({ name, description, inputSchema: { type: 'object' } });

/** A server whose list a test chooses, and that runs every tool it is asked for. */
async function startServer() {
  const state = { tools: [tool('echo')] };
  const server = await startHttpUpstream({
    behave({ id, method = '' }, response) {
      const answers: Record<string, unknown> = {
        'tools/list': { tools: state.tools },
        'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'got' } }] },
        'completion/complete': { completion: { values: ['completed'] } },
      };
      const result = answers[method];
      if (result === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    },
  });
  return Object.assign(state, { server });
}

async function start(pins: Record<string, unknown>, own: Record<string, unknown> = {}) {
  const state = await startServer();
  const gateway = await startGateway({ pins, mcpServers: { up: { url: state.server.url, listTtlMs: 0, ...own } } });
  return { ...own, state, gateway, client: await open(gateway) };
}

const open = (gateway: RunningGateway) => new PlainClient(gateway, gateway.servers['up']).initialize();

async function list(client: PlainClient): Promise<readonly string[]> {
  const { result } = await client.request('tools/list');
  const tools = (result?.['tools'] ?? []) as readonly { readonly description: string }[];
  return tools.map(({ description }) => description);
}

test('the server of an endpoint decides about a tool and a prompt that it does not list', async () => {
  const { state, gateway, client } = await start({});
  expect(textOf(await client.call('later'))).toBe('later done');
  expect(textOf(await new PlainClient(gateway, gateway.servers['up']).callModern('later', {}))).toBe('later done');
  expect((await client.request('prompts/get', { name: 'p' })).result).toHaveProperty('messages');
  const ref = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
  expect((await client.request('completion/complete', ref)).result).toHaveProperty('completion');
  expect(await list(client)).toEqual(['Does echo.']);
  // On the shared endpoint nobody can tell whose it is.
  const shared = await new PlainClient(gateway).initialize();
  expect((await shared.call('up_later')).error).toMatchObject({ code: -32602 });
  expect(state.server.calls.get('later')).toBe(2);
});

test('a definition that is held is not freed by leaving it out of the list', async () => {
  const { state, client } = await start({});
  expect(await list(client)).toEqual(['Does echo.']);
  state.tools = [tool('echo', 'Does another thing.'), tool('other')];
  await waitFor(async () => expect(await list(client)).toEqual(['Does other.']));
  const held = "The tool echo waits for the operator's approval because its definition changed.";
  expect(textOf(await client.call('echo'))).toContain(held);
  state.tools = [tool('other')];
  await waitFor(async () => {
    expect(await list(client)).toEqual(['Does other.']);
    expect((await client.call('echo')).error?.message).toMatch(/^Unknown tool: echo/);
  });
  expect(state.server.calls.get('echo')).toBeUndefined();
});

test('a listed name in another spelling is no other name', async () => {
  const { state, client } = await start({}, { disabledTools: ['send_mail'] });
  await list(client);
  for (const name of ['ECHO', 'e-cho', ' echo', 'echo\u0000', 'ｅｃｈｏ', 'sendMail', 'send-mail'])
    expect((await client.call(name)).error?.message, name).toMatch(/^Unknown tool: /);
  expect(state.server.calls.size).toBe(0);
});

test.each([
  ['a person approves what is new', { mode: 'team' }, {}],
  ['the operator lists what may be used', {}, { allow: { tools: ['echo'] } }],
  ['the operator lists what may not be used', {}, { deny: { tools: ['other'] } }],
  ['the operator switched it off', {}, { disabledTools: ['later'] }],
])('where %s it goes nowhere', async (_, pins, own) => {
  const { state, client } = await start(pins, own);
  await list(client);
  expect((await client.call('later')).error?.message).toMatch(/^Unknown tool: later/);
  expect(state.server.calls.size).toBe(0);
});

test('without pins a server may change a definition', async () => {
  const { state, client } = await start({ mode: 'off' });
  expect(await list(client)).toEqual(['Does echo.']);
  state.tools = [tool('echo', 'Does another thing.')];
  await waitFor(async () => expect(await list(client)).toEqual(['Does another thing.']));
  expect(textOf(await client.call('echo'))).toBe('echo done');
});
