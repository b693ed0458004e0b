import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { rest } from './approvals-set-up.ts';
import { cli } from './cli-terminal.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

type Item = Record<string, unknown>;

const SECRET = 'hunter2-hunter2';

let gateway: RunningGateway;
let viewer: RunningGateway;
let agent: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({
    mcpServers: { one: misbehaving({ tools: ['echo'] }), two: misbehaving({ tools: ['echo', 'odd'] }) },
    audit: { mode: 'batched', values: 'full' },
    limits: { quotas: [{ name: 'daily', limit: '100000/day', per: 'principal+tool' }] },
  } as never);
  viewer = await keyHolder(gateway, 'eyes', ['--group', 'viewer']);
  agent = await keyHolder(gateway, 'robot', ['--person', 'ann', '--group', 'staff']);
  const ann = await new PlainClient(agent).initialize();
  const local = await new PlainClient(gateway).initialize();
  for (let i = 0; i < 3; i++) expect(textOf(await ann.call('one_echo', { text: SECRET }))).toBeDefined();
  await local.call('two_echo', { i: 1 });
  await local.call('two_nothing');
});

const items = async (holder: RunningGateway, path: string) => {
  const { status, body } = await rest(holder, 'GET', path);
  expect([path, status]).toEqual([path, 200]);
  return body['items'] as Item[];
};
const audit = (...words: string[]) =>
  cli(['audit', ...words, '--config', gateway.process.configFile], {
    env: { SALLYPORT_STATE: gateway.process.stateDir },
  });

describe('the record over the API', () => {
  it('finds calls by who, what and how, page by page', async () => {
    expect(await items(viewer, '/audit/calls?person=ann')).toHaveLength(3);
    expect(await items(viewer, '/audit/calls?upstream=two&outcome=ok')).toMatchObject([
      { principal: { id: 'local' }, tool: 'echo' },
    ]);
    expect(await items(viewer, '/audit/calls?text=unknown%20tool')).toMatchObject([{ outcome: 'failed' }]);
    expect(await items(viewer, '/audit/calls?tool=one_echo&since=2020-01-01')).toHaveLength(3);
    expect(await items(viewer, '/audit/calls?until=2020-01-01')).toEqual([]);
    const first = (await rest(viewer, 'GET', '/audit/calls?person=ann&limit=2')).body;
    const second = await rest(
      viewer,
      'GET',
      `/audit/calls?person=ann&limit=2&cursor=${encodeURIComponent(String(first['next']))}`,
    );
    const ids = [first, second.body].flatMap((page) => (page['items'] as Item[]).map(({ callId }) => callId));
    expect(new Set(ids).size).toBe(3);
    for (const path of ['?outcome=odd', '?since=yesterday', '?cursor=1', '?limit=0', '?nothing=1'])
      expect([path, (await rest(viewer, 'GET', `/audit/calls${path}`)).status]).toEqual([path, 400]);
  });

  it('shows the records of a call; values that were asked for are for operators', async () => {
    const [call] = await items(viewer, '/audit/calls?person=ann&limit=1');
    const records = await items(viewer, `/audit/calls/${call?.['callId']}`);
    expect(records).toMatchObject([
      { chain: '0', offset: expect.any(Number), record: { kind: 'admitted' } },
      { record: { kind: 'outcome', outcome: 'ok' } },
    ]);
    expect(JSON.stringify([call, records])).not.toContain(SECRET);
    expect(JSON.stringify(await items(gateway, `/audit/calls/${call?.['callId']}`))).toContain(SECRET);
    expect((await rest(viewer, 'GET', '/audit/calls/none')).status).toBe(404);
  });

  it('exports, verifies and indexes for admins only', async () => {
    for (const [method, path] of [
      ['GET', '/audit/export'],
      ['GET', '/audit/verification'],
      ['POST', '/audit/index'],
      ['POST', '/audit/repair'],
    ] as const)
      expect([path, (await rest(viewer, method, path)).status]).toEqual([path, 403]);
    expect((await rest(gateway, 'GET', '/audit/verification')).body).toMatchObject({
      ok: true,
      chains: [{ chain: '0' }],
    });
    const exported = await fetch(`${gateway.origin}/api/v1/audit/export?format=csv`, { headers: gateway.headers });
    expect(exported.headers.get('content-type')).toContain('text/csv');
    expect((await exported.text()).split('\r\n')[1]).toMatch(/^0,1,\d{4}-.*,start,/);
    const rebuilt = await rest(gateway, 'POST', '/audit/index');
    expect(rebuilt.body).toMatchObject({ records: expect.any(Number), segments: 1 });
    expect(Number(rebuilt.body['records'])).toBeGreaterThan(9);
  });

  it('tells of records as they are written, on the command line too', async () => {
    const { stateDir, configFile } = gateway.process;
    const follower = new SallyportProcess('{}', ['audit', 'follow', '--config', configFile], {
      SALLYPORT_STATE: stateDir,
    });
    const client = await new PlainClient(gateway).initialize();
    await waitFor(async () => {
      await client.call('two_echo', { follow: true });
      expect(follower.stdout).toContain('"kind":"outcome"');
    });
    for (const line of follower.stdout.split('\n').slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('seq');
    expect((await follower.stop()).signal).toBeNull();
  });

  it('the command line asks the same, and the index mends itself', async () => {
    const found = (await audit('search', '--person', 'ann', '--json')).json() as { calls: Item[]; next: unknown };
    expect(found).toMatchObject({ calls: [{}, {}, {}], next: null });
    expect(found.calls.map(({ time }) => time)).toEqual(found.calls.map(({ time }) => time).sort());
    const page = (await audit('search', '--person', 'ann', '--limit', '2', '--json')).json() as { next: string };
    const rest = (await audit('search', '--person', 'ann', '--cursor', page.next, '--json')).json() as {
      calls: Item[];
    };
    expect(rest.calls).toHaveLength(1);

    const database = new DatabaseSync(join(gateway.process.stateDir, 'sallyport.db'));
    database.exec("PRAGMA busy_timeout=5000; UPDATE audit_record SET person = 'mallory' WHERE person = 'ann'");
    expect((await audit('search', '--person', 'mallory', '--json')).json()).toMatchObject({ calls: [] });
    expect((await audit('search', '--person', 'ann', '--json')).json()).toMatchObject({ calls: [{}, {}, {}] });
    database.exec('DELETE FROM audit_record; DELETE FROM audit_segment');
    database.close();
    expect((await audit('search', '--person', 'ann', '--json')).json()).toMatchObject({ calls: [{}, {}, {}] });
    expect((await audit('index')).stdout).toMatch(/Indexed \d+ records of 1 files/);
    const json = (await audit('export', '--json')).json() as { records: Item[] };
    expect(json.records[0]).toMatchObject({ chain: '0', seq: 1, kind: 'start' });
    expect((await audit('verify', '--public-key')).stdout).toContain('BEGIN PUBLIC KEY');
  });

  it('says what has been used, and how things are', async () => {
    await waitFor(async () =>
      expect(await items(viewer, '/limits/usage?quota=daily')).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            quota: 'daily',
            upstream: 'one',
            tool: 'echo',
            used: 3,
            left: 99_997,
            window: 'day',
          }),
        ]),
      ),
    );
    expect(await items(viewer, '/limits/usage?principal=local')).toMatchObject([
      { principal: 'local', upstream: 'two' },
    ]);
    expect((await rest(viewer, 'GET', '/limits')).body).toMatchObject({
      rules: [],
      quotas: [{ name: 'daily', limit: 100_000 }],
    });
    expect((await rest(viewer, 'GET', '/health')).body).toMatchObject({
      ok: true,
      upstreams: [
        { name: 'one', state: 'ready' },
        { name: 'two', state: 'ready' },
      ],
      audit: { mode: 'batched', trouble: null },
      database: { trouble: null },
      pinsWaiting: 0,
      approvalsWaiting: 0,
    });
  });
});

it('without a Sallyport the same commands read the same record, also without a database', async () => {
  const config = { mcpServers: { one: misbehaving({ tools: ['echo'] }) } };
  const ended = await startGateway(config);
  await (await new PlainClient(ended).initialize()).call('one_echo', {});
  await ended.process.stop();
  const { stateDir } = ended.process;
  for (const name of ['sallyport.db', 'sallyport.db-wal', 'sallyport.db-shm'])
    rmSync(join(stateDir, name), { force: true });
  const env = { SALLYPORT_STATE: stateDir };
  expect((await cli(['audit', 'search', '--json'], { env })).json()).toMatchObject({ calls: [{ tool: 'echo' }] });
  const elsewhere = ['--directory', join(stateDir, 'audit')];
  expect((await cli(['audit', 'search', '--json', ...elsewhere])).json()).toMatchObject({ calls: [{ tool: 'echo' }] });
  expect((await cli(['audit', 'verify', ...elsewhere], { env })).stdout).toMatch(/^chain 0: good/);
});
