import { expect, test } from 'vitest';
import { approval } from './approvals-set-up.ts';
import { messageIn } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, StdioGateway, startGateway } from './running-sallyport.ts';

const ASKING = {
  command: process.execPath,
  args: [new URL('fixtures/upstream-asking.mjs', import.meta.url).pathname],
};
const PROMPT = { messages: [{ role: 'user', content: { type: 'text', text: 'What is in the vault?' } }], maxTokens: 9 };
const REPLY = { role: 'assistant', model: 'm', content: { type: 'text', text: 'gold' } };
const idIn = (text: string) => /Approval (ap_[0-9a-f]{16})/.exec(text)?.[1] ?? 'none';

/** A modern client that can sample. */
function sample(gateway: RunningGateway, prompt: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const params = { name: 'a_sample', arguments: prompt, ...more };
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: modernParams(params, { sampling: {} }) };
  return new PlainClient(gateway)
    .post(JSON.stringify(body), modernHeaders('tools/call', params))
    .then((answer) => messageIn(answer));
}

test('a person looks at what a server asks of the model of a legacy client', async () => {
  const gateway = new StdioGateway({
    mcpServers: { a: ASKING },
    taint: { mode: 'off' },
    approvals: { sampling: ['a'], elicit: false },
  } as never);
  const say = (message: unknown) => gateway.send(JSON.stringify({ jsonrpc: '2.0', ...(message as object) }));
  const capabilities = { sampling: {}, elicitation: {} };
  const clientInfo = { name: 't', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
  await gateway.line('"id":1');
  say({ method: 'notifications/initialized' });
  const call = (id: number) => say({ id, method: 'tools/call', params: { name: 'a_sample', arguments: PROMPT } });
  call(2);
  const refused = await gateway.line('"id":2');
  expect(refused).toMatch(/-32003.*A person must allow/);
  expect(gateway.lines.some((line) => line.includes('sampling/createMessage') && line.includes('"method"'))).toBe(
    false,
  );
  const { stateDir } = gateway.process;
  const shown = (await approval(stateDir, 'show', idIn(refused))).json();
  expect(shown).toMatchObject({ upstream: 'a', tool: 'sampling/createMessage', arguments: PROMPT, state: 'waiting' });
  expect((await approval(stateDir, 'allow', idIn(refused))).exit).toBe(0);

  call(3);
  const question = JSON.parse(await gateway.line('"method":"sampling/createMessage"')) as {
    id: unknown;
    params: unknown;
  };
  expect(question.params).toMatchObject(PROMPT);
  say({ id: question.id, result: REPLY });
  expect(await gateway.line('"id":3')).toContain('gold');

  // A yes for once is used up; what the server asks of the person in a form is not asked about.
  call(4);
  expect(await gateway.line('"id":4')).toMatch(/A person must allow/);
  const form = { message: 'Which colour?', requestedSchema: { type: 'object', properties: { c: { type: 'string' } } } };
  say({ id: 5, method: 'tools/call', params: { name: 'a_ask', arguments: form } });
  const asked = JSON.parse(await gateway.line('"method":"elicitation/create"')) as { id: unknown };
  say({ id: asked.id, result: { action: 'decline' } });
  expect(await gateway.line('"id":5')).toContain('decline');
});

test('and of a modern client, whatever the era of the server', async () => {
  const heard: unknown[] = [];
  const modern = await startHttpUpstream({
    modern: true,
    tools: ['sample'],
    behave(message, response) {
      if (message.method !== 'tools/call') return false;
      const params = message.params as Record<string, unknown>;
      heard.push(params['inputResponses']);
      const result =
        params['inputResponses'] === undefined
          ? {
              resultType: 'input_required',
              inputRequests: { q: { method: 'sampling/createMessage', params: PROMPT } },
              requestState: 's',
            }
          : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(params['inputResponses']) }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return true;
    },
  });
  for (const server of [ASKING, { url: modern.url }]) {
    const gateway = await startGateway({
      mcpServers: { a: server },
      taint: { mode: 'off' },
      approvals: { sampling: ['*'], elicit: false },
    } as never);
    const refused = JSON.stringify(await sample(gateway, PROMPT));
    expect(refused).toMatch(/A person must allow/);
    expect(refused).not.toContain('input_required');
    const { stateDir } = gateway.process;
    expect((await approval(stateDir, 'allow', idIn(refused))).exit).toBe(0);
    const round = (await sample(gateway, PROMPT)).result ?? {};
    expect(round['resultType']).toBe('input_required');
    const [key = ''] = Object.keys(round['inputRequests'] as object);
    const answered = await sample(gateway, PROMPT, {
      inputResponses: { [key]: REPLY },
      requestState: round['requestState'],
    });
    expect(textOf(answered)).toContain('gold');
  }
  expect(heard.at(-1)).toMatchObject({ q: REPLY });
});

test('a no reaches the server, and servers that are not named ask as they like', async () => {
  const gateway = await startGateway({
    mcpServers: { a: ASKING, b: ASKING },
    taint: { mode: 'off' },
    approvals: { sampling: ['a'], elicit: false },
  } as never);
  const id = idIn(JSON.stringify(await sample(gateway, PROMPT)));
  expect((await approval(gateway.process.stateDir, 'deny', id, '--message', 'Not this')).exit).toBe(0);
  expect(textOf(await sample(gateway, PROMPT))).toMatch(/-32003.*A person denied.*Not this/);
  expect((await sample(gateway, PROMPT, { name: 'b_sample' })).result?.['resultType']).toBe('input_required');
});

test('a server sends nobody to a page that must not be opened by an error', async () => {
  const upstream = await startHttpUpstream({
    tools: ['pay'],
    behave(message, response) {
      if (message.method !== 'tools/call') return false;
      const url = (message.params as { arguments?: { url?: string } }).arguments?.url;
      const data = { elicitations: [{ mode: 'url', elicitationId: '1', message: 'Sign in', url }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32042, message: 'Sign in', data } }),
      );
      return true;
    },
  });
  const gateway = await startGateway({ mcpServers: { a: { url: upstream.url } }, taint: { mode: 'off' } });
  const client = await new PlainClient(gateway).initialize('2025-11-25', { elicitation: { url: {} } });
  const good = await client.call('a_pay', { url: 'https://bank.example/consent' });
  expect(good).toMatchObject({
    error: { code: -32042, data: { elicitations: [{ url: 'https://bank.example/consent' }] } },
  });
  const bad = await client.call('a_pay', { url: 'javascript:alert(1)' });
  expect(bad).toMatchObject({ error: { code: -32003 } });
  expect(JSON.stringify(bad)).not.toContain('alert');
});
