import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { startWordyServer, type WordyServer } from './wordy-server.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));
const HANDLE = /\{\{handle:[a-z2-7]{16}\}\}/;

const PLAN = {
  steps: [
    { tool: 'web_fetch', arguments: { id: { oneOf: [7, '7'] } } },
    { resource: 'web+docs://a' },
    { prompt: 'web_greet', arguments: { who: { equals: 'ann' } } },
    { tool: 'mail_send', arguments: { to: { equals: 'ann@corp.example' }, body: { handle: true } } },
  ],
};
const WIDER = { steps: [...PLAN.steps, { tool: 'mail_send' }] };

let gateway: RunningGateway;
let web: WordyServer;
/** The same, not behind handles. */
let talk: WordyServer;
/** Arguments that reached the server `mail`. */
const sent: string[] = [];
let client: PlainClient;

/** One command line over the running gateway. */
async function cli(args: readonly string[]): Promise<{ code: number; value: Record<string, unknown>; stderr: string }> {
  const { stateDir, configFile } = gateway.process;
  const options = { env: { ...process.env, SALLYPORT_STATE: stateDir } };
  const line = [MAIN, 'plan', ...args, '--json', '--config', configFile];
  const done = await promisify(execFile)(process.execPath, line, options).catch((error) => error);
  return { code: done.code ?? 0, value: JSON.parse(done.stdout), stderr: done.stderr };
}

async function register(run: string, plan: unknown = PLAN, more: readonly string[] = []) {
  const file = join(newTestFolder(), 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  return cli(['register', file, '--run', run, '--principal', 'local', ...more]);
}

const meta = (run: string, plan?: unknown) => ({
  'dev.sallyport/run': run,
  ...(plan === undefined ? {} : { 'dev.sallyport/plan': plan }),
});
const call = (run: string, name: string, given: object, plan?: unknown, by = client) =>
  by.requestModern('tools/call', { name, arguments: given, _meta: meta(run, plan) });
const ask = (run: string, method: string, params: object, plan?: unknown) =>
  client.requestModern(method, { ...params, _meta: meta(run, plan) });
const TO_ANN = { to: 'ann@corp.example' };

beforeAll(async () => {
  [web, talk] = await Promise.all([startWordyServer(), startWordyServer()]);
  const mail = await startHttpUpstream({
    tools: ['send', 'read', 'repeat', 'refuse'],
    behave({ id, method, params }, response) {
      if (method !== 'tools/call') return false;
      const { name, arguments: given } = params as { name: string; arguments?: unknown };
      const text = JSON.stringify(given);
      sent.push(text);
      if (name !== 'repeat' && name !== 'refuse') return false;
      const said =
        name === 'repeat' ? { result: { content: [{ type: 'text', text }] } } : { error: { code: 1, message: text } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
      return true;
    },
  });
  // Its own name for a tool is what the shared endpoint calls another server's.
  const evil = await startHttpUpstream({ tools: ['mail_send'] });
  gateway = await startGateway({
    mcpServers: { web: { url: web.url }, talk: { url: talk.url }, mail: { url: mail.url }, evil: { url: evil.url } },
    taint: { flows: [] },
    plans: { handles: ['web'], required: ['worker'] },
  } as Record<string, unknown>);
  client = new PlainClient(gateway);
});

describe('a plan that an operator fixed', () => {
  it.each([
    [{ steps: [...PLAN.steps, { tool: 'mail_sned' }] }, [], 'Step 5 of the plan names the tool "mail_sned"'],
    [PLAN, ['--endpoint', 'server/nosuch'], 'The endpoint "server/nosuch" is not there'],
    [
      { steps: [{ tool: 'mail_send' }] },
      ['--endpoint', 'server/mail'],
      'which no server offers at the endpoint "server/mail"',
    ],
  ])('%j %j can never work, and is refused', async (plan, more, message) => {
    expect(await register('zero', plan, more)).toMatchObject({
      code: 1,
      value: { error: { code: 'usage', message: expect.stringContaining(message) } },
    });
  });

  it('a file that is not there is named, with the cause', async () => {
    const { code, value } = await cli(['register', 'nofile.json', '--run', 'zero', '--principal', 'local']);
    const message = 'The plan file nofile.json cannot be read (ENOENT). Check the path and your rights.';
    expect({ code, value }).toMatchObject({ code: 1, value: { error: { message } } });
  });

  it('holds a run from its first request on, and no client changes it', async () => {
    const { code, value } = await register('one');
    expect(code).toBe(0);
    expect(value).toMatchObject({ run: 'one', principal: 'local', state: 'in_force', plan: PLAN });
    expect(textOf(await call('one', 'mail_read', {}))).toContain('does not have this tool');
    // Nothing was read yet, and the client may not widen it all the same.
    expect(textOf(await call('one', 'mail_send', {}, WIDER))).toContain('An operator fixed the plan');
    expect(textOf(await call('one', 'mail_send', {}, { steps: [{ tool: 'mail_send' }] }))).toContain('An operator');
    const fetched = textOf(await call('one', 'web_fetch', { id: 7 }, value['digest']));
    const body = HANDLE.exec(fetched ?? '')?.[0];
    expect(textOf(await call('one', 'mail_send', { ...TO_ANN, body }, PLAN))).toBe('send done');
    expect(textOf(await call('one', 'mail_send', { to: 'eve@x.example', body }))).toContain('another value');
  });

  it('holds resources, prompts and whatever else is asked for', async () => {
    await register('two');
    expect(JSON.stringify(await ask('two', 'resources/read', { uri: 'web+docs://a' }))).toMatch(HANDLE);
    expect(JSON.stringify(await ask('two', 'prompts/get', { name: 'web_greet', arguments: { who: 'ann' } }))).toMatch(
      HANDLE,
    );
    const before = web.got.length;
    const ref = { type: 'ref/prompt', name: 'web_greet' };
    for (const [method, params] of [
      ['resources/read', { uri: 'web+docs://pages/what-ann-wrote' }],
      // Another name of the same resource, which another server might answer to.
      ['resources/read', { uri: 'docs://a' }],
      ['prompts/get', { name: 'web_greet', arguments: { who: 'what ann wrote' } }],
      ['prompts/get', { name: 'web_greet' }],
      ['prompts/get', { name: 'web_fail' }],
      ['completion/complete', { ref, argument: { name: 'who', value: 'what ann wrote' } }],
    ] as const) {
      const refused = await ask('two', method, params);
      expect([method, refused.error]).toMatchObject([method, { data: { 'dev.sallyport/verdict': { guard: 'plan' } } }]);
    }
    const legacy = await new PlainClient(gateway).initialize();
    const own = await new PlainClient(gateway, String(gateway.servers['web'])).initialize();
    const uri = 'web+docs://pages/what-ann-wrote';
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result']) {
      const asked = await own.request(method, { taskId: 'what-ann-wrote', _meta: meta('two') });
      // Nobody started it.
      expect([method, asked.error?.['message']]).toEqual([method, 'Unknown task: what-ann-wrote.']);
    }
    const followed = await legacy.request('resources/subscribe', { uri, _meta: meta('two') });
    expect(followed.error?.['message']).toContain('does not have this resource');
    expect(web.got).toHaveLength(before);
  });

  it('comes too late when the run has read; an error is no content', async () => {
    await call('three', 'mail_read', {});
    expect(await register('three')).toMatchObject({ code: 0 });
    await call('late', 'web_fetch', {});
    expect(await register('late')).toMatchObject({ code: 1, value: { error: { code: 'conflict' } } });
    await ask('four', 'resources/read', { uri: 'docs://a' });
    expect((await register('four')).value).toMatchObject({ error: { code: 'conflict' } });
  });

  it('ends the run, and does not set it free', async () => {
    const { value } = await register('five');
    expect((await cli(['end', String(value['id'])])).value).toMatchObject({ state: 'ended' });
    for (const plan of [undefined, PLAN, WIDER, value['digest']])
      expect(textOf(await call('five', 'web_fetch', { id: 7 }, plan))).toMatch(/has ended|An operator/);
    expect((await register('five')).value).toMatchObject({ error: { code: 'conflict' } });
    const listed = (await cli(['list'])).value as unknown as Record<string, unknown>[];
    expect(listed.find(({ id }) => id === value['id'])).toMatchObject({ state: 'ended', fixedBy: expect.any(String) });
    expect((await cli(['show', String(value['id'])])).value).toMatchObject({ plan: PLAN });
  });

  it('is of its endpoint: elsewhere its names are other tools', async () => {
    await register('six');
    const fetched = textOf(await call('six', 'web_fetch', { id: 7 }));
    const body = HANDLE.exec(fetched ?? '')?.[0];
    const other = new PlainClient(gateway, String(gateway.servers['evil']));
    expect(textOf(await call('six', 'mail_send', { ...TO_ANN, body }, undefined, other))).toContain('another endpoint');
    await register('seven', { steps: [{ tool: 'mail_send' }] }, ['--endpoint', 'server/evil']);
    expect(textOf(await call('seven', 'mail_send', {}, undefined, other))).toBe('mail_send done');
    expect(textOf(await call('seven', 'mail_send', {}))).toContain('another endpoint');
  });

  it('takes no number for its neighbour, and no text for a number', async () => {
    await register('eight', {
      steps: [{ tool: 'mail_send', arguments: { to: { oneOf: [9_007_199_254_740_991, '7'] } } }],
    });
    const send = (to: string) =>
      client.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_send","arguments":{"to":${to}},"_meta":${JSON.stringify(
          {
            ...meta('eight'),
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        )}}}`,
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'mail_send' },
      );
    for (const to of ['9007199254740992', '9007199254740993', '9007199254740990', '7', 'null', '["7"]'])
      expect([to, (await send(to)).body]).toEqual([to, expect.stringContaining('another value')]);
    sent.splice(0);
    for (const to of ['9007199254740991', '"7"', '9007199254740991.0', '9007199254740990.9999', '"7"'])
      expect([to, (await send(to)).body]).toEqual([to, expect.stringContaining('send done')]);
    // A server that reads decimals gets what the plan has, and not the number before it.
    const [number, text] = ['{"to":9007199254740991}', '{"to":"7"}'];
    expect(sent).toEqual([number, text, number, number, text]);
  });

  it('is all that a caller may do who needs one', async () => {
    const worker = new PlainClient(await keyHolder(gateway, 'worker', []));
    const own = (run: string, plan?: unknown) => call(run, 'web_fetch', { id: 7 }, plan, worker);
    for (const plan of [undefined, PLAN])
      expect(textOf(await own('nine', plan))).toContain('that an operator fixed for its run');
    expect(textOf(await worker.callModern('web_fetch', { id: 7 }))).toContain('that an operator fixed for its run');
    const read = await worker.requestModern('resources/read', { uri: 'web+docs://a' });
    expect(JSON.stringify(read)).toContain('that an operator fixed for its run');
    const { items } = (await (
      await fetch(`${gateway.origin}/api/v1/keys`, { headers: { ...gateway.headers } })
    ).json()) as { items: { id: string; name: string }[] };
    const { id } = items.find(({ name }) => name === 'worker') ?? {};
    const body = JSON.stringify({ run: 'nine', principal: `key:${id}`, agent: 'worker', plan: PLAN });
    const fixed = await fetch(`${gateway.origin}/api/v1/plans`, {
      method: 'POST',
      headers: { ...gateway.headers },
      body,
    });
    expect(fixed.status).toBe(200);
    expect(textOf(await own('nine'))).toMatch(HANDLE);
    expect(textOf(await own('ten'))).toContain('that an operator fixed for its run');
  });
});

describe('handles', () => {
  it('are worth nothing in another run, to another caller, in another form', async () => {
    const fetched = textOf(await call('h1', 'web_fetch', {})) ?? '';
    const handle = HANDLE.exec(fetched)?.[0] ?? '';
    const other = new PlainClient(await keyHolder(gateway, 'other', []));
    const unknown = 'not known in this run';
    expect(textOf(await call('h2', 'web_store', { text: handle }))).toContain(unknown);
    expect(textOf(await call('h1', 'web_store', { text: handle }, undefined, other))).toContain(unknown);
    expect(textOf(await client.callModern('web_store', { text: handle }))).toContain(unknown);
    for (const guess of [
      handle.slice(0, -3).concat('a}}'),
      '{{handle:aaaaaaaaaaaaaaaa}}',
      '{{handle:__proto__aaaaaaa}}',
    ])
      if (guess !== handle) expect(textOf(await call('h1', 'web_store', { text: guess }))).not.toContain('attacker');
    const odd = [` ${handle}`, handle.toUpperCase(), JSON.stringify([handle]), `${handle}${handle}`, `${handle}\n`];
    await call('h1', 'web_store', { odd, [handle]: 1, deep: { __proto: { a: [[handle]] } } });
    const { params } = web.got.at(-1) ?? { params: undefined };
    expect(params).toMatchObject({
      arguments: { odd, [handle]: 1, deep: { __proto: { a: [[expect.stringContaining('attacker')]] } } },
    });
  });

  it('do not come back in the open from whoever was sent what they stand for', async () => {
    const steps = ['mail_repeat', 'mail_refuse', 'mail_send'].map((tool) => ({
      tool,
      arguments: { body: { handle: true } },
    }));
    await register('echo', { steps: [{ tool: 'web_fetch' }, ...steps] });
    const body = HANDLE.exec(textOf(await call('echo', 'web_fetch', {})) ?? '')?.[0];
    const repeated = textOf(await call('echo', 'mail_repeat', { body }));
    expect(sent.at(-1)).toContain('attacker');
    expect(repeated).toMatch(HANDLE);
    const again = HANDLE.exec(repeated ?? '')?.[0];
    expect(textOf(await call('echo', 'mail_send', { body: again }))).toBe('send done');
    const refused = await call('echo', 'mail_refuse', { body });
    expect(JSON.stringify(refused)).toContain('whose text is not shown');
    expect(JSON.stringify([repeated, refused])).not.toContain('attacker');
  });

  it('are words like others in the answer to a question', async () => {
    const handle = HANDLE.exec(textOf(await call('ask', 'web_fetch', {})) ?? '')?.[0];
    const post = async (given: object) => {
      const about = {
        ...meta('ask'),
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      };
      const params = { name: 'talk_ask_me', arguments: {}, ...given, _meta: about };
      const answer = await client.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'talk_ask_me' },
        accept: 'application/json',
      });
      return JSON.parse(answer.body).result;
    };
    const { requestState, inputRequests } = await post({});
    const [key = ''] = Object.keys(inputRequests);
    await post({ requestState, inputResponses: { [key]: { action: 'accept', content: { name: handle } } } });
    expect(talk.answers.at(-1)).toMatchObject({ result: { content: { name: handle } } });
  });

  it('of calls made at once are all there, and none is another’s', async () => {
    const runs = Array.from({ length: 12 }, (_, i) => `p${i % 4}`);
    const found = await Promise.all(runs.map(async (run) => textOf(await call(run, 'web_fetch', {})) ?? ''));
    const all = found.map((text) => HANDLE.exec(text)?.[0] ?? '');
    expect(new Set(all).size).toBe(12);
    const said = await Promise.all(
      all.flatMap((text, i) =>
        ['p0', 'p1', 'p2', 'p3'].map(async (run) => [
          run === runs[i],
          HANDLE.test(textOf(await call(run, 'web_store', { text })) ?? ''),
        ]),
      ),
    );
    for (const [isOwn, isTaken] of said) expect(isTaken).toBe(isOwn);
  });

  it('a plan fixed while other calls of its run are under way holds them or came first', async () => {
    const given = { steps: [{ tool: 'web_fetch' }] };
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call('r1', i % 2 === 0 ? 'web_fetch' : 'mail_read', {}, i === 0 ? given : undefined),
      ),
    );
    expect(done.every((one) => one.result !== undefined)).toBe(true);
    expect(textOf(await call('r1', 'mail_read', {}))).toMatch(/does not have this tool|read done/);
    const late = await call('r1', 'mail_read', {}, { steps: [{ tool: 'mail_read' }] });
    expect(textOf(late)).toContain('has read untrusted data');
  });
});
