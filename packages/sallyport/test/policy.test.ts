import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const ALL = '@id("all")\npermit(principal, action, resource);\n';

/** A bank and a shop behind policies that stand in a file. */
async function startBank(policies: string, section: Record<string, unknown> = {}) {
  const bank = await startHttpUpstream({ tools: ['pay', 'balance'] });
  const shop = await startHttpUpstream({ tools: ['order'] });
  const file = join(newTestFolder(), 'team.cedar');
  writeFileSync(file, policies);
  const config = {
    mcpServers: { bank: { url: bank.url }, shop: { url: shop.url } },
    policy: { files: [file], ...section },
    // Policies alone are meant: a second payment after an answer needs an approval otherwise.
    taint: { mode: 'off' },
  };
  const gateway = await startGateway(config);
  return { bank, shop, gateway, file, config };
}

/** A command line of the same user beside the running Sallyport. */
async function run(gateway: RunningGateway, ...args: readonly string[]) {
  const { stateDir, configFile } = gateway.process;
  const command = new SallyportProcess({}, [...args, '--config', configFile], { SALLYPORT_STATE: stateDir });
  const { code } = await command.exited;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

async function clientInGroup(gateway: RunningGateway, group: string): Promise<PlainClient> {
  const { stdout, stderr } = await run(gateway, 'key', 'create', group, '--group', group);
  const key = stdout.trim();
  expect(key, stderr).not.toBe('');
  const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${key}` } });
  // A key made beside a running Sallyport is known to it within a second.
  await waitFor(async () => expect((await client.askModern('tools/list')).status).toBe(200));
  return client.initialize();
}

function recordsOf({ process: { stateDir } }: RunningGateway): unknown[] {
  const folder = join(stateDir, 'audit');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.endsWith('}'))
    .map((line): unknown => JSON.parse(line));
}

async function namesOf(client: PlainClient): Promise<readonly string[]> {
  const { result = {} } = await client.request('tools/list');
  return (result['tools'] as { readonly name: string }[]).map(({ name }) => name).sort();
}

const verdictOf = (message: { readonly result?: Record<string, unknown> }) =>
  (message.result?.['_meta'] as Record<string, Record<string, unknown>> | undefined)?.['dev.sallyport/verdict'];

describe('a server of which the policies let a caller use nothing', () => {
  test('hears neither its notifications nor its log level, and the record has both', async () => {
    const { gateway, bank, shop } = await startBank(
      'permit(principal in Group::"buyers", action, resource in Server::"shop");',
    );
    const buyers = await clientInGroup(gateway, 'buyers');
    const said = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/acme', params: {} });
    await buyers.post(said, buyers.session);
    await waitFor(() => expect(shop.heard).toContain('notifications/acme'));
    const ownDoor = await new PlainClient(
      { ...gateway, headers: buyers.gateway.headers },
      `${gateway.origin}/servers/bank/mcp`,
    ).initialize();
    expect((await ownDoor.request('logging/setLevel', { level: 'debug' })).error?.message).toContain(
      'nothing of the server',
    );
    const heard = bank.heard.filter((method) => method === 'notifications/acme' || method === 'logging/setLevel');
    expect(heard).toEqual([]);
    await waitFor(() =>
      expect(recordsOf(gateway)).toEqual(
        expect.arrayContaining(
          ['notifications/acme', 'logging/setLevel'].map((method) =>
            expect.objectContaining({ method, upstream: 'bank', outcome: 'denied', guard: 'reach' }),
          ),
        ),
      ),
    );
  });
});

describe('discovery', () => {
  test('two groups see different lists, and cannot call what they do not see', async () => {
    const { gateway, bank } = await startBank(
      `
      permit(principal in Group::"finance", action, resource in Server::"bank");
      permit(principal in Group::"buyers", action, resource in Server::"shop");`,
    );
    const finance = await clientInGroup(gateway, 'finance');
    const buyers = await clientInGroup(gateway, 'buyers');
    expect(await namesOf(finance)).toEqual(['bank_balance', 'bank_pay']);
    expect(await namesOf(buyers)).toEqual(['shop_order']);
    expect(textOf(await finance.call('bank_pay'))).toBeDefined();
    const refused = await buyers.call('bank_pay');
    expect(JSON.stringify(refused)).toContain('Unknown tool: bank_pay');
    expect(bank.calls.get('pay')).toBe(1);
  });
});

describe('arguments', () => {
  test('an amount over the limit is stopped before it reaches the server, in both eras', async () => {
    const { gateway, bank } = await startBank(`${ALL}
      @id("limit") @reason("Payments over 100 need the finance team.")
      forbid(principal, action == Action::"call", resource == Tool::"bank/pay")
      when { context.arguments has amount && context.arguments.amount > 100 };`);
    const client = await new PlainClient(gateway).initialize();
    for (const call of [client.call.bind(client), client.callModern.bind(client)]) {
      expect(verdictOf(await call('bank_pay', { amount: 100 }))).toBeUndefined();
      for (const amount of [101, '101', 100.5, [101], { amount: 101 }]) {
        const refused = await call('bank_pay', { amount });
        expect(verdictOf(refused)).toMatchObject({ kind: 'deny', code: 'denied', guard: 'policy' });
      }
      expect(textOf(await call('bank_pay', { amount: 101 }))).toBe('Payments over 100 need the finance team.');
    }
    expect(bank.calls.get('pay')).toBe(2);
  });

  test('a permit that asks stops the call until a person agrees', async () => {
    const { gateway, bank } = await startBank(`${ALL}
      @id("big") @ask("More than 100 is paid.")
      permit(principal, action == Action::"call", resource == Tool::"bank/pay")
      when { context.arguments has amount && context.arguments.amount > 100 };`);
    const client = await new PlainClient(gateway).initialize();
    expect(verdictOf(await client.call('bank_pay', { amount: 5 }))).toBeUndefined();
    expect(textOf(await client.call('bank_pay', { amount: 101 }))).toContain('More than 100 is paid.');
    expect(bank.calls.get('pay')).toBe(1);
  });

  test('a result that a policy forbids stays here', async () => {
    const { gateway, bank } = await startBank(`${ALL}
      @id("hold") @reason("Balances stay in the bank.")
      forbid(principal, action == Action::"release", resource == Tool::"bank/balance");`);
    const client = await new PlainClient(gateway).initialize();
    expect(textOf(await client.call('bank_balance'))).toBe('Balances stay in the bank.');
    expect(verdictOf(await client.call('bank_pay'))).toBeUndefined();
    expect(bank.calls.get('balance')).toBe(1);
  });
});

describe('reload', () => {
  test('a changed file decides at once, nothing decided before lives on, and a bad one changes nothing', async () => {
    const { gateway, file } = await startBank(ALL);
    const client = await new PlainClient(gateway).initialize();
    for (let i = 0; i < 3; i++) expect(verdictOf(await client.call('bank_pay'))).toBeUndefined();
    writeFileSync(file, `${ALL}\n@id("no") forbid(principal, action == Action::"cal", resource);`);
    gateway.process.child.kill('SIGHUP');
    await gateway.process.logged(/the changed configuration is not used: [^"]*line 4: unrecognized action/);
    expect(verdictOf(await client.call('bank_pay'))).toBeUndefined();
    // Corrected without a signal and without a word in the configuration: the file itself is watched.
    writeFileSync(file, `${ALL}\n@id("no") forbid(principal, action == Action::"call", resource == Tool::"bank/pay");`);
    let answer = JSON.stringify(await client.call('bank_pay'));
    while (!answer.includes('Unknown tool')) answer = JSON.stringify(await client.call('bank_pay'));
    expect(await namesOf(client)).toEqual(['bank_balance', 'shop_order']);
    writeFileSync(file, ALL);
    while (answer.includes('Unknown tool')) answer = JSON.stringify(await client.call('bank_pay'));
    expect(await namesOf(client)).toEqual(['bank_balance', 'bank_pay', 'shop_order']);
    const { stdout } = await run(gateway, 'audit', 'search', '--kind', 'policy_changed', '--json');
    expect(JSON.parse(stdout).events ?? JSON.parse(stdout).calls).toMatchObject([
      { kind: 'policy_changed', mode: 'enforce', version: expect.stringMatching(/^[0-9a-f]{12}$/) },
      { kind: 'policy_changed' },
    ]);
  });

  test('a bad file at the start is told with place, cause and fix', async () => {
    await expect(startBank('permit(principal in Grop::"dev", action, resource);')).rejects.toThrow(
      /team\.cedar, line 1: unrecognized entity type `Grop`; did you mean `Group`/,
    );
  });
});

describe('commands', () => {
  test('shadow mode stops nothing and says what it would have done; why tells which policy it was', async () => {
    const { gateway, bank, file } = await startBank(
      `${ALL}@id("no") @reason("Nobody pays.") forbid(principal, action, resource == Tool::"bank/pay");`,
      { mode: 'shadow' },
    );
    const client = await new PlainClient(gateway).initialize();
    expect(await namesOf(client)).toContain('bank_pay');
    expect(verdictOf(await client.call('bank_pay'))).toBeUndefined();
    expect(bank.calls.get('pay')).toBe(1);
    const line = await gateway.process.logged(/\{[^\n]*policies in shadow mode would have stopped a call[^\n]*/);
    const { callId } = JSON.parse(line) as { readonly callId: string };
    const why = await run(gateway, 'policy', 'why', callId, '--json');
    expect(JSON.parse(why.stdout)).toMatchObject({
      callId,
      outcome: 'ok',
      enforced: false,
      decision: { effect: 'deny', policies: ['no'], reason: 'Nobody pays.' },
      explanation: 'The policies would have said deny; they were in shadow mode.',
    });
    expect((await run(gateway, 'policy', 'why', callId)).stdout).toContain('Would have been decided: deny by no,');
    const shadow = await run(gateway, 'policy', 'shadow', file, '--json');
    expect(JSON.parse(shadow.stdout)).toMatchObject({
      calls: 1,
      changes: [{ callId, target: 'bank/pay', did: 'allow', would: 'deny', policies: ['no'] }],
    });
    expect((await run(gateway, 'policy', 'why', 'nothing')).code).not.toBe(0);
  });

  test('check and test need no running Sallyport', async () => {
    const { gateway, file } = await startBank(ALL);
    await gateway.process.stop();
    expect(JSON.parse((await run(gateway, 'policy', 'check', '--json')).stdout)).toMatchObject({
      policies: [{ id: 'all', line: 1, effect: 'permit', server: null, reads: [] }],
    });
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}@id("limit") forbid(principal in Group::"dev", action == Action::"call", resource in Server::"bank") when { context.arguments has n && context.arguments.n > 1 };`,
    );
    const tried = (n: number, ...more: string[]) =>
      run(gateway, 'policy', 'test', 'bank/pay', '--group', 'dev', '--args', JSON.stringify({ n }), ...more);
    expect(await tried(1)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^allow\nDecided by:\n {2}permit all/),
    });
    const denied = await tried(2, '--json');
    expect(denied.code).toBe(10);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      effect: 'deny',
      visible: true,
      policies: [{ id: 'limit', line: 3 }],
    });
    writeFileSync(file, 'permit(principal, action, resource in Server::"bnak");');
    const refused = await run(gateway, 'policy', 'check');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'line 1: no server is called "bnak", so this policy can never match; did you mean "bank".',
    );
  });
});
