import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approval, idIn, type Rules, rest, setUp, start } from './approvals-set-up.ts';
import { atTheEnd } from './at-the-end.ts';
import { cli } from './cli-terminal.ts';
import { messageIn } from './http-exchange.ts';
import { keyHolder } from './keyed-callers.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, StdioGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

test('a client without forms gets an id, calls again after a yes, and the yes works once', async () => {
  const { gateway, count, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count', { of: 'sheep' }));
  expect(idIn(await client.call('a_count', { of: 'sheep' }))).toBe(id);
  expect(count()).toBe(0);

  const shown = await approval(state, 'show', id);
  expect(shown.json()).toMatchObject({
    state: 'waiting',
    arguments: { of: 'sheep' },
    principal: 'local',
    tool: 'count',
  });
  expect((await approval(state, 'list')).json()).toMatchObject({ approvals: [{ id }] });
  expect((await approval(state, 'allow', id)).exit).toBe(0);

  // Other arguments are another question.
  expect(idIn(await client.call('a_count', { of: 'wolves' }))).not.toBe(id);
  expect(textOf(await client.call('a_count', { of: 'sheep' }))).toBe('counted');
  expect(count()).toBe(1);
  expect(idIn(await client.call('a_count', { of: 'sheep' }))).not.toBe(id);
  expect(count()).toBe(1);
  const conflict = await approval(state, 'allow', id);
  expect(conflict.exit).not.toBe(0);
  expect(conflict.stderr).toContain('allowed already');
});

test('a no reaches the model with its message', async () => {
  const { gateway, count, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count'));
  expect((await approval(state, 'deny', id, '--message', 'Archive it instead')).exit).toBe(0);
  expect(textOf(await client.call('a_count'))).toContain('A person denied this call: Archive it instead');
  expect(count()).toBe(0);
});

test('a call that waits goes on with the answer', async () => {
  const { gateway, state } = await start({ waitMs: 600_000 });
  const client = await new PlainClient(gateway).initialize();
  const answer = client.call('a_count');
  const id = await waitFor(async () => {
    const { approvals } = (await approval(state, 'list')).json() as { approvals: { id: string }[] };
    expect(approvals).toHaveLength(1);
    return approvals[0]?.id ?? '';
  });
  await approval(state, 'allow', id);
  expect(textOf(await answer)).toBe('counted');
});

test('changed arguments are sent as the person wrote them, after all guards have looked again', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const { gateway, state } = await start({}, { schema });
  const client = await new PlainClient(gateway).initialize();
  const first = idIn(await client.call('a_echo', { n: 1 }));
  await approval(state, 'allow', first, '--arguments', '{"n":2}');
  expect(textOf(await client.call('a_echo', { n: 1 }))).toContain('"arguments":{"n":2}');
  const second = idIn(await client.call('a_echo', { n: 1 }));
  expect(second).not.toBe(first);
  await approval(state, 'allow', second, '--arguments', '{"n":"two"}');
  const refused = await client.call('a_echo', { n: 1 });
  expect(refused.result?.['_meta']).toMatchObject({ 'dev.sallyport/verdict': { kind: 'deny', code: 'schema' } });
  const { answers, difference } = (await approval(state, 'show', second)).json() as Record<string, unknown>;
  expect(answers).toMatchObject([{ kind: 'allow', arguments: { n: 'two' } }]);
  expect(difference).toEqual([]);
});

test('a pattern covers what it names and nothing that climbs out of it; revoked, it covers nothing', async () => {
  const { gateway, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count', { path: '/reports/a' }));
  await approval(state, 'allow', id, '--for', 'always', '--pattern', '{"path":"/reports/**"}');
  expect(textOf(await client.call('a_count', { path: '/reports/2026/b' }))).toBe('counted');
  expect(textOf(await client.call('a_count', { path: '/reports/c' }))).toBe('counted');
  idIn(await client.call('a_count', { path: '/reports/../etc/passwd' }));
  idIn(await client.call('a_count', { path: '/reports/c', force: true }));
  const { grants } = (await approval(state, 'list', '--grants')).json() as { grants: { id: string }[] };
  expect((await approval(state, 'revoke', grants[0]?.id ?? '')).exit).toBe(0);
  idIn(await client.call('a_count', { path: '/reports/c' }));
});

test('who does not answer in time has not allowed anything', async () => {
  const { gateway, count, state } = await start({ ttlMs: 1_000, waitMs: 20_000 });
  const client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('a_count'))).toContain('Nobody answered in time');
  const { approvals } = (await approval(state, 'list', '--state', 'expired')).json() as { approvals: { id: string }[] };
  expect(approvals).toHaveLength(1);
  const late = await approval(state, 'allow', approvals[0]?.id ?? '');
  expect(late.exit).not.toBe(0);
  expect(late.stderr).toContain('expired');
  expect(count()).toBe(0);
});

/** A legacy client on stdio that can show forms. */
async function eliciting(rules: Rules = {}) {
  const { config, count } = setUp(rules);
  const gateway = new StdioGateway(config as never);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 't', version: '1' },
  };
  gateway.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await gateway.line('"id":0');
  gateway.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  let asked = 0;
  return {
    gateway,
    count,
    state: gateway.process.stateDir,
    call(id: number) {
      gateway.send(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a_count","arguments":{"of":"sheep"}}}`,
      );
    },
    async question() {
      asked++;
      return gateway.process.until(() => {
        const line = gateway.lines.filter((one) => one.includes('elicitation/create'))[asked - 1];
        return line === undefined ? undefined : JSON.parse(line);
      });
    },
    async answer(id: number) {
      return JSON.parse(await gateway.line(`"id":${id},"result"`));
    },
    reply(question: { id: unknown }, result: unknown) {
      gateway.send(JSON.stringify({ jsonrpc: '2.0', id: question.id, result }));
    },
  };
}

test('a legacy client that can show forms is asked, sees the arguments, and a yes counts once', async () => {
  const client = await eliciting();
  client.call(101);
  const question = await client.question();
  expect(question.params.message).toContain('"of": "sheep"');
  expect(question.params.requestedSchema.properties.decision.enum).toContain('allow once');
  client.reply(question, { action: 'accept', content: { decision: 'allow once' } });
  expect(textOf(await client.answer(101))).toBe('counted');

  client.call(102);
  client.reply(await client.question(), { action: 'accept', content: { decision: 'deny', message: 'too many' } });
  expect(textOf(await client.answer(102))).toContain('denied this call: too many');
  expect(client.count()).toBe(1);
});

test.each([
  ['a closed dialog', { action: 'cancel' }],
  ['an answer without a decision', { action: 'accept', content: {} }],
  ['another word', { action: 'accept', content: { decision: 'yes' } }],
])('%s allows nothing, and others may still answer', async (_, result) => {
  const client = await eliciting();
  client.call(101);
  client.reply(await client.question(), result);
  idIn(await client.answer(101));
  expect(client.count()).toBe(0);
});

test('an answer from elsewhere ends the wait for the form', async () => {
  const client = await eliciting();
  client.call(101);
  const question = await client.question();
  const id = /approval (ap_[0-9a-f]+)/.exec(question.params.message)?.[1] ?? '';
  await approval(client.state, 'allow', id);
  expect(textOf(await client.answer(101))).toBe('counted');
});

test('the caller may not approve its own calls where the operator says so', async () => {
  const client = await eliciting({ selfApproval: false });
  client.call(101);
  const id = idIn(await client.answer(101));
  expect(client.gateway.lines.some((line) => line.includes('elicitation/create'))).toBe(false);
  // The program that calls and the terminal are one person.
  expect((await approval(client.state, 'allow', id)).stderr).toContain('may not approve its own calls');
  const other = await startGateway({}, [], { SALLYPORT_STATE: client.state });
  Object.defineProperty(other.process, 'stateDir', { value: client.state });
  const bob = await keyHolder(other, 'bob', ['--person', 'bob', '--group', 'operator']);
  expect((await rest(bob, 'POST', `/approvals/${id}/allow`, {})).body).toMatchObject({ state: 'allowed' });
  client.call(102);
  expect(textOf(await client.answer(102))).toBe('counted');
});

test('two different people must allow where the operator says so', async () => {
  const client = await eliciting({ twoPerson: ['any'] });
  client.call(101);
  client.reply(await client.question(), { action: 'accept', content: { decision: 'allow once' } });
  const pending = await client.answer(101);
  expect(textOf(pending)).toContain('One more person must allow');
  const id = idIn(pending);
  client.call(102);
  expect(idIn(await client.answer(102))).toBe(id);
  // The program and the terminal of one user are one person.
  expect((await approval(client.state, 'allow', id)).stderr).toContain('Another person must allow it');
  const other = await startGateway({}, [], { SALLYPORT_STATE: client.state });
  Object.defineProperty(other.process, 'stateDir', { value: client.state });
  const bob = await keyHolder(other, 'bob', ['--person', 'bob', '--group', 'operator']);
  const { body } = await rest(bob, 'POST', `/approvals/${id}/allow`, {});
  expect(body).toMatchObject({ state: 'allowed', needed: 2 });
  client.call(103);
  expect(textOf(await client.answer(103))).toBe('counted');
  expect(client.count()).toBe(1);
});

test('one person is not two', async () => {
  const { gateway, count, state } = await start({ twoPerson: ['any'] });
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count'));
  await approval(state, 'allow', id);
  expect((await approval(state, 'allow', id)).exit).toBe(10);
  expect((await approval(state, 'show', id)).json()).toMatchObject({ state: 'waiting' });
  expect(idIn(await client.call('a_count'))).toBe(id);
  expect(count()).toBe(0);
});

function askModern(client: PlainClient, more: Rules = {}) {
  const params = { name: 'a_count', arguments: { of: 'sheep' }, ...more };
  const body = {
    jsonrpc: '2.0',
    id: Math.random(),
    method: 'tools/call',
    params: modernParams(params, { elicitation: {} }),
  };
  return client.post(JSON.stringify(body), modernHeaders('tools/call', params)).then(messageIn);
}

test('a modern client is asked with input_required and a sealed state that works once', async () => {
  const { gateway, count } = await start();
  const client = new PlainClient(gateway);
  const round = (await askModern(client)).result ?? {};
  expect(round).toMatchObject({ resultType: 'input_required', requestState: expect.stringMatching(/^sp1\./) });
  const [[key, question] = []] = Object.entries(round['inputRequests'] as Record<string, Rules>);
  expect(question).toMatchObject({ method: 'elicitation/create' });
  const retry = {
    requestState: round['requestState'],
    inputResponses: { [key ?? '']: { action: 'accept', content: { decision: 'allow once' } } },
  };
  expect(textOf(await askModern(client, retry))).toBe('counted');
  expect((await askModern(client, retry)).error?.message).toContain('not repeated');
  expect(count()).toBe(1);
});

test('the answer counts only from the client that was asked', async () => {
  const { gateway, count } = await start({ ttlMs: 3_000 });
  const owner = await new PlainClient(gateway).initialize('2025-11-25', { elicitation: {} });
  const other = await new PlainClient(gateway).initialize('2025-11-25', { elicitation: {} });
  const answer = owner.call('a_count');
  for (const id of [1, '1', 0, 2])
    await other.post(
      JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'accept', content: { decision: 'allow once' } } }),
      other.session,
    );
  expect(textOf(await answer)).toContain('Nobody answered in time');
  expect(count()).toBe(0);
});

test('the webhook is signed, tried again, and tells question and answer', async () => {
  const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push({ headers: request.headers, body });
    response.writeHead(heard.length === 1 ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const { config } = setUp({ webhook: { url, secretEnv: 'HOOK_SECRET' } });
  const secret = 'a secret that is long enough';
  const gateway = await startGateway(config as never, [], { HOOK_SECRET: secret });
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count', { of: 'sheep' }));
  await waitFor(() => expect(heard).toHaveLength(2));
  for (const { headers, body } of heard) {
    const signed = `${headers['sallyport-timestamp']}.${body}`;
    expect(headers['sallyport-signature']).toBe(`v1=${createHmac('sha256', secret).update(signed).digest('hex')}`);
    expect(JSON.parse(body)).toMatchObject({ event: 'approval.asked', approval: { id, arguments: { of: 'sheep' } } });
  }
  expect(heard[0]?.headers['sallyport-delivery']).toBe(heard[1]?.headers['sallyport-delivery']);
  // The answer comes from another process.
  await approval(gateway.process.stateDir, 'deny', id, '--message', 'No');
  await waitFor(() => expect(heard).toHaveLength(3));
  expect(JSON.parse(heard[2]?.body ?? '')).toMatchObject({
    event: 'approval.answered',
    approval: { id, state: 'denied', answers: [{ kind: 'deny', message: 'No' }] },
  });
});

test('a server that asks for a secret gets a reason instead of an answer; a harmless form passes', async () => {
  const fixture = new URL('fixtures/upstream-asking.mjs', import.meta.url).pathname;
  const gateway = await startGateway({ mcpServers: { b: { command: process.execPath, args: [fixture] } } });
  const client = new PlainClient(gateway);
  const ask = (name: string, more: Rules = {}) => {
    const form = { message: 'Go on', requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } };
    const params = { name: 'b_ask', arguments: form, ...more };
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: modernParams(params, { elicitation: {} }) };
    return client.post(JSON.stringify(body), modernHeaders('tools/call', params)).then(messageIn);
  };
  expect(textOf(await ask('password'))).toMatch(/-32003.*asks for a secret/);
  const round = (await ask('colour')).result ?? {};
  expect(round['resultType']).toBe('input_required');
  const inputResponses = { q1: { action: 'accept', content: { colour: 'red' } } };
  expect(textOf(await ask('colour', { inputResponses, requestState: round['requestState'] }))).toContain('red');
});

test('without a terminal nobody is believed to be a person, unless the configuration in force permits it', async () => {
  const { gateway, count, state } = await start();
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count'));
  const env = { SALLYPORT_STATE: state };
  const script = await cli(['approval', 'allow', id, '--json'], { env });
  expect(script).toMatchObject({ exit: 10, stderr: expect.stringContaining('answered by a person at a terminal') });
  // The configuration that counts is the one of the Sallyport that runs.
  const own = join(newTestFolder(), 'own.json');
  writeFileSync(own, JSON.stringify({ mcpServers: {}, approvals: { unattended: true } }));
  for (const more of [[], ['--config', own]])
    expect(await cli(['approval', 'allow', id, '--unattended', ...more], { env })).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining('does not permit --unattended'),
    });
  expect(count()).toBe(0);
  expect(textOf(await client.call('a_count'))).toMatch(/^A person must allow/);
});

test('a script answers where the configuration permits it', async () => {
  const { gateway, state } = await start({ unattended: true });
  const client = await new PlainClient(gateway).initialize();
  const id = idIn(await client.call('a_count'));
  const env = { SALLYPORT_STATE: state };
  expect((await cli(['approval', 'allow', id], { env })).exit).toBe(10);
  expect((await cli(['approval', 'allow', id, '--unattended'], { env })).exit).toBe(0);
  expect(textOf(await client.call('a_count'))).toBe('counted');
});
