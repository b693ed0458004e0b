import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Rules, rest } from './approvals-set-up.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';

const ALL = '@id("all")\npermit(principal, action, resource);\n';

interface Setting {
  readonly policies?: string;
  readonly policy?: Record<string, unknown>;
  readonly more?: Record<string, unknown>;
  readonly stateDir?: string;
}

/** A bank whose resources and prompts are there, too, behind policies that stand in a file. */
async function startBank({ policies = ALL, policy = {}, more = {}, stateDir }: Setting = {}) {
  const bank = await startHttpUpstream({ tools: ['pay', 'balance'], behave: offer });
  const folder = newTestFolder();
  const file = join(folder, 'team.cedar');
  writeFileSync(file, policies);
  const config = {
    mcpServers: { bank: { url: bank.url } },
    policy: { files: [file], ...policy },
    taint: { mode: 'off' },
    ...more,
  };
  const gateway = await startGateway(config, [], stateDir === undefined ? {} : { SALLYPORT_STATE: stateDir });
  return { bank, gateway, file, folder, config };
}

const RESOURCES = ['file:///open', 'file:///secret'].map((uri) => ({ uri, name: uri.slice(8) }));
const PROMPTS = ['greet', 'persuade'].map((name) => ({ name }));

/** Answers what the plain upstream has not: resources and prompts. */
const offer: NonNullable<NonNullable<Parameters<typeof startHttpUpstream>[0]>['behave']> = (message, response) => {
  const result = resultOf(message.method, message.params as Rules | undefined);
  if (result === undefined) return false;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  return true;
};

function resultOf(method: string | undefined, params: Rules = {}): Rules | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'bank', version: '1' },
      };
    case 'resources/list':
      return { resources: RESOURCES };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read':
      return { contents: [{ uri: params['uri'], text: `text of ${String(params['uri'])}` }] };
    case 'prompts/list':
      return { prompts: PROMPTS };
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] };
    default:
      return undefined;
  }
}

/** A command line of the same user. */
async function run(gateway: RunningGateway, ...args: readonly string[]) {
  const { stateDir, configFile } = gateway.process;
  const command = new SallyportProcess({}, [...args, '--config', configFile], { SALLYPORT_STATE: stateDir });
  const { code } = await command.exited;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

async function json(gateway: RunningGateway, ...args: readonly string[]): Promise<Rules> {
  const { stdout, stderr } = await run(gateway, ...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Rules;
}

async function decisions(gateway: RunningGateway): Promise<readonly Rules[]> {
  const { status, body } = await rest(gateway, 'GET', '/policies/decisions');
  expect(status).toBe(200);
  return body['items'] as readonly Rules[];
}

const callOf = (items: readonly Rules[], target: string) =>
  String(items.find((one) => one['target'] === target)?.['callId']);

describe('why', () => {
  test('is answered from the record: allowed, denied, hidden and read, also after a restart', async () => {
    const { gateway } = await startBank({
      policies: `${ALL}
      @id("limit") @reason("Too much.")
      forbid(principal, action == Action::"call", resource == Tool::"bank/pay")
      when { context.arguments has amount && context.arguments.amount > 100 };
      @id("hide") forbid(principal, action == Action::"list", resource == Tool::"bank/balance");
      @id("sealed") @reason("Sealed.") forbid(principal, action == Action::"read", resource == Resource::"bank/file:///secret") when { context.client.name != "" };`,
    });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bank_pay', { amount: 1 });
    const known = await decisions(gateway);
    const allowed = callOf(known, 'pay');
    await client.call('bank_pay', { amount: 500 });
    const denied = callOf(await decisions(gateway), 'pay');
    expect(JSON.stringify(await client.call('bank_balance'))).toContain('Unknown tool: bank_balance');
    const hidden = callOf(await decisions(gateway), 'balance');
    const secret = await client.request('resources/read', { uri: 'bank+file:///secret' });
    expect(secret.error).toMatchObject({ message: 'Sealed.', data: { 'dev.sallyport/verdict': { guard: 'policy' } } });
    const read = String((await decisions(gateway)).find(({ method }) => method === 'resources/read')?.['callId']);

    const explain = async (callId: string) => json(gateway, 'policy', 'why', callId);
    const check = async () => {
      expect(await explain(allowed)).toMatchObject({
        outcome: 'ok',
        principal: 'local',
        server: 'bank',
        decision: { effect: 'allow', policies: ['all'] },
        policies: [{ id: 'all', line: 1, isCurrent: true }],
      });
      expect(await explain(denied)).toMatchObject({
        outcome: 'denied',
        guard: 'policy',
        reason: 'Too much.',
        decision: { effect: 'deny', policies: ['limit'], reason: 'Too much.' },
      });
      expect(await explain(hidden)).toMatchObject({ outcome: 'denied', decision: { policies: ['hide'] } });
      expect(await explain(read)).toMatchObject({ method: 'resources/read', decision: { policies: ['sealed'] } });
    };
    await check();
    await gateway.process.stop();
    // Beside no running Sallyport the record answers all the same.
    await check();
    const text = await run(gateway, 'policy', 'why', denied);
    expect(text.stdout).toContain('The policies denied it: Too much.');
    expect(text.stdout).toMatch(/Decided: deny by limit, version [0-9a-f]{12}\./);
    expect((await run(gateway, 'policy', 'why', 'nothing')).code).not.toBe(0);
  });

  test('a call that another guard stopped is told apart', async () => {
    const { gateway } = await startBank({ more: { sinks: { floor: { pay: 'deny' } } } });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bank_pay', { amount: 1 });
    const [found] = await decisions(gateway);
    expect(await json(gateway, 'policy', 'why', String(found?.['callId']))).toMatchObject({
      guard: 'sink-floor',
      decision: { effect: 'allow' },
      explanation: expect.stringContaining('the guard "sink-floor" stopped it'),
    });
  });
});

describe('resources and prompts', () => {
  test('what policies deny is neither listed nor reached', async () => {
    const { gateway, bank } = await startBank({
      policies: `${ALL}
      forbid(principal, action, resource == Resource::"bank/file:///secret");
      forbid(principal, action == Action::"get", resource == Prompt::"bank/persuade");`,
    });
    const client = await new PlainClient(gateway).initialize();
    const list = async (method: string, key: string): Promise<readonly unknown[]> => {
      const { result = {} } = await client.request(method);
      return (result[key] as Rules[]).map(({ uri, name }) => uri ?? name);
    };
    expect(await list('resources/list', 'resources')).toEqual(['bank+file:///open']);
    expect(await list('prompts/list', 'prompts')).toEqual(['bank_greet']);
    expect((await client.request('resources/read', { uri: 'bank+file:///open' })).result).toBeDefined();
    expect((await client.request('prompts/get', { name: 'bank_greet' })).result).toBeDefined();
    for (const uri of ['bank+file:///secret', 'file:///secret', 'BANK+file:///secret'])
      expect((await client.request('resources/read', { uri })).result).toBeUndefined();
    expect((await client.request('prompts/get', { name: 'bank_persuade' })).error).toMatchObject({
      message: expect.stringContaining('Unknown prompt'),
    });
    // A method that policies do not speak of could do anything.
    const alone = await new PlainClient(gateway, `${gateway.origin}/servers/bank/mcp`).initialize();
    expect((await alone.request('bank/transfer', {})).error).toMatchObject({ code: -32601 });
    expect(bank.heard).not.toContain('bank/transfer');
    expect(bank.heard.filter((method) => method === 'resources/read')).toHaveLength(1);
    expect(bank.heard.filter((method) => method === 'prompts/get')).toHaveLength(1);
  });
});

describe('shadow', () => {
  test('recorded calls under other policies, and what could not be told', async () => {
    const { gateway, folder } = await startBank({ policy: {}, more: {} });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bank_pay', { amount: 500 });
    await client.call('bank_balance');
    await client.request('resources/read', { uri: 'bank+file:///secret' });
    const write = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const hard = write(
      'hard.cedar',
      `${ALL}@id("no") @reason("No.") forbid(principal, action, resource == Tool::"bank/pay"); @id("r") forbid(principal, action, resource is Resource);`,
    );
    const first = await json(gateway, 'policy', 'shadow', hard);
    // The record has a digest of the URI.
    expect(first).toMatchObject({ calls: 3, same: 1, changed: 1, unknown: { arguments: 0, target: 1 } });
    expect(first['changes']).toMatchObject([
      { target: 'bank/pay', did: 'allow', would: 'deny', reason: 'No.', policies: ['no'], principal: 'local' },
    ]);
    const byArguments = write(
      'args.cedar',
      `${ALL}@id("limit") forbid(principal, action == Action::"call", resource == Tool::"bank/pay") when { context.arguments has amount && context.arguments.amount > 100 };`,
    );
    expect(await json(gateway, 'policy', 'shadow', byArguments)).toMatchObject({
      calls: 3,
      same: 1,
      changed: 0,
      unknown: { arguments: 1, target: 1, policies: ['limit'] },
    });
    await gateway.process.stop();
    const later = await run(gateway, 'policy', 'shadow', byArguments);
    expect(later.stderr).toContain('1 depend on arguments that are not recorded, by limit.');
    expect(await json(gateway, 'policy', 'shadow', '--set', 'locked')).toMatchObject({ calls: 3, changed: 2 });
  });

  test('with recorded arguments they decide, and times are those of the calls', async () => {
    const { gateway, folder } = await startBank({ more: { audit: { values: 'full' } } });
    const client = await new PlainClient(gateway).initialize();
    for (const amount of [5, 500]) await client.call('bank_pay', { amount });
    const file = join(folder, 'args.cedar');
    writeFileSync(
      file,
      `${ALL}@id("limit") forbid(principal, action == Action::"call", resource == Tool::"bank/pay") when { context.arguments has amount && context.arguments.amount > 100 };`,
    );
    expect(await json(gateway, 'policy', 'shadow', file)).toMatchObject({
      calls: 2,
      same: 1,
      changed: 1,
      unknown: { arguments: 0 },
    });
    writeFileSync(
      file,
      `${ALL}forbid(principal, action == Action::"call", resource) when { context.time.instant > datetime("2020-01-01") };`,
    );
    expect(await json(gateway, 'policy', 'shadow', file)).toMatchObject({ calls: 2, changed: 2 });
  });

  test('candidates of the configuration are recorded beside what held', async () => {
    const folder = newTestFolder();
    const candidate = join(folder, 'candidate.cedar');
    writeFileSync(
      candidate,
      '@id("maybe") @reason("Not any more.") forbid(principal, action, resource == Tool::"bank/pay");',
    );
    const { gateway, bank } = await startBank({ policy: { shadow: [candidate] } });
    const client = await new PlainClient(gateway).initialize();
    expect(textOf(await client.call('bank_pay'))).not.toContain('Not any more.');
    expect(bank.calls.get('pay')).toBe(1);
    await gateway.process.logged(/candidate policies say otherwise/);
    const [found] = await decisions(gateway);
    expect(found).toMatchObject({
      outcome: 'ok',
      decision: { effect: 'allow', policies: ['all'] },
      candidate: { effect: 'deny', policies: ['maybe'] },
    });
    expect(await json(gateway, 'policy', 'list')).toMatchObject({
      mode: 'enforce',
      policies: [{ id: 'all' }],
      sources: [{ use: 'file', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }, { use: 'shadow' }],
    });
  });
});

describe('two people', () => {
  const keyHolder = async (gateway: RunningGateway, name: string): Promise<RunningGateway> => {
    const { stdout } = await run(gateway, 'key', 'create', name, '--person', name, '--group', 'operator');
    return { ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${stdout.trim()}` } };
  };
  const settings: readonly [string, Setting][] = [
    [
      'by a policy about an effect',
      {
        policies: `${ALL}@id("pairs") @ask("Money leaves.") @people("2")
        permit(principal, action == Action::"call", resource) when { resource.sinks.contains(Sink::"pay") };`,
      },
    ],
    [
      'by the configuration about an effect',
      {
        policies: `${ALL}@id("asks") @ask("Money leaves.")
        permit(principal, action == Action::"call", resource) when { resource.sinks.contains(Sink::"pay") };`,
        more: { approvals: { twoPerson: ['pay'] } },
      },
    ],
  ];

  test.each(settings)('%s: one person cannot answer twice, two can', async (_, setting) => {
    const { gateway, bank } = await startBank(setting);
    const client = await new PlainClient(gateway).initialize();
    const idOf = (answer: unknown) => /ap_[0-9a-f]{16}/.exec(JSON.stringify(answer))?.[0] ?? '';
    const id = idOf(await client.call('bank_pay', { amount: 5 }));
    expect(id).not.toBe('');
    const [bob, carol] = [await keyHolder(gateway, 'bob'), await keyHolder(gateway, 'carol')];
    const allow = (holder: RunningGateway) => rest(holder, 'POST', `/approvals/${id}/allow`, {});
    await expect.poll(async () => (await allow(bob)).status).not.toBe(401);
    // Whatever bob does again, he is one person.
    expect((await allow(bob)).status).toBe(403);
    expect(idOf(await client.call('bank_pay', { amount: 5 }))).toBe(id);
    expect(bank.calls.get('pay')).toBeUndefined();
    await expect.poll(async () => (await allow(carol)).status).toBe(200);
    expect(textOf(await client.call('bank_pay', { amount: 5 }))).not.toContain('must allow');
    expect(bank.calls.get('pay')).toBe(1);
    // Another tool without the effect asks nobody.
    expect(idOf(await client.call('bank_balance'))).toBe('');
  });
});
