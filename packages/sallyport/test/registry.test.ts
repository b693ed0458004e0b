// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cli, EVERYTHING_ENTRY, newFolder } from './cli-terminal.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({
    mcpServers: {
      everything: { ...EVERYTHING_ENTRY, env: { UPSTREAM_SECRET: 'not-for-the-registry' } },
      closed: misbehaving({}, { groups: ['nobody-here'] }),
      broken: { command: 'x', env: { TOKEN: '${NOT_SET_ANYWHERE}' } },
      second: misbehaving(),
    },
  });
});

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const reply = await fetch(gateway.origin + path, {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, ...headers },
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: () => JSON.parse(text) as Page & Entry };
}

interface Entry {
  readonly server: { readonly name: string; readonly version: string; readonly remotes: readonly object[] };
}
interface Page {
  readonly servers: readonly Entry[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

describe('GET /v0.1/servers', () => {
  test('lists what this caller may use, and nothing of how it is reached', async () => {
    const { status, text, json } = await get('/v0.1/servers');
    expect(status).toBe(200);
    expect(json().servers.map(({ server }) => server.name)).toEqual(['sallyport/everything', 'sallyport/second']);
    expect(json().servers[0]?.server.remotes).toMatchObject([
      {
        type: 'streamable-http',
        url: `${gateway.origin}/servers/everything/mcp`,
        headers: [{ name: 'Authorization' }],
      },
    ]);
    expect(text).not.toMatch(/not-for-the-registry|UPSTREAM_SECRET|index\.js|upstream-stdio|closed|broken|sp_/);
  });

  test('pages, searches and refuses what it cannot read', async () => {
    const first = (await get('/v0.1/servers?limit=1')).json();
    expect(first.metadata).toMatchObject({ count: 1, nextCursor: expect.any(String) });
    const second = (await get(`/v0.1/servers?limit=1&cursor=${first.metadata.nextCursor}`)).json();
    expect(second.servers.map(({ server }) => server.name)).toEqual(['sallyport/second']);
    expect(second.metadata).toEqual({ count: 1 });
    expect((await get('/v0.1/servers?search=SECOND')).json().metadata.count).toBe(1);
    expect((await get('/v0.1/servers?version=99.0.0')).json().servers).toEqual([]);
    expect(await get('/v0.1/servers?limit=0')).toMatchObject({ status: 400 });
    expect(await get('/v0.1/servers?cursor=%00')).toMatchObject({ status: 400 });
  });

  test('answers 304 to who has it', async () => {
    const etag = (await get('/v0.1/servers')).headers.get('etag') ?? '';
    expect(await get('/v0.1/servers', { 'if-none-match': `"x", W/${etag}` })).toMatchObject({ status: 304, text: '' });
    expect(await get('/v0.1/servers', { 'if-none-match': '"x"' })).toMatchObject({ status: 200 });
  });

  test('has the checks of every other path', async () => {
    expect(await get('/v0.1/servers', { authorization: 'Bearer sp_wrong' })).toMatchObject({ status: 401 });
    expect(await get('/v0.1/servers', { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await get('/v0.1/servers', {}, 'DELETE')).toMatchObject({ status: 405 });
  });
});

test('a server is not there before something of it is approved', async () => {
  const config = {
    registries: ['https://registry.example.com'],
    pins: { mode: 'team' },
    mcpServers: { waiting: misbehaving() },
  };
  const team = await startGateway(config);
  const headers = { authorization: `Bearer ${team.key}` };
  const list = async () => (await fetch(`${team.origin}/v0.1/servers`, { headers })).json();
  expect(await list()).toEqual({ servers: [], metadata: { count: 0 } });
  const one = await fetch(`${team.origin}/v0.1/servers/sallyport%2Fwaiting/versions/latest`, { headers });
  expect(one.status).toBe(404);
  const env = { SALLYPORT_STATE: team.process.stateDir };
  const approval = ['pin', 'approve', '--clean', '--config', team.process.configFile];
  expect(await cli(approval, { env })).toMatchObject({ exit: 0 });
  expect(await list()).toMatchObject({ servers: [{ server: { name: 'sallyport/waiting' } }] });
});

test('versions of one server', async () => {
  const name = encodeURIComponent('sallyport/everything');
  const latest = (await get(`/v0.1/servers/${name}/versions/latest`)).json();
  const { version } = latest.server;
  expect((await get(`/v0.1/servers/${name}/versions/${version}`)).json()).toEqual(latest);
  expect((await get(`/v0.1/servers/${name}/versions`)).json()).toEqual({ servers: [latest], metadata: { count: 1 } });
  const missing = [`${name}/versions/0.0.1`, name, `${name}/versions/a/b`];
  for (const other of ['closed', 'broken', 'constructor', 'nobody', '..%2Fx'])
    missing.push(`${encodeURIComponent('sallyport/')}${other}/versions/latest`);
  for (const path of missing) expect(await get(`/v0.1/servers/${path}`), path).toMatchObject({ status: 404 });
});

describe('the command line', () => {
  const withKey = () => ['--from', gateway.origin, '--header', `Authorization: Bearer ${gateway.key}`];

  test('finds a server, adds it and calls it', async () => {
    const home = newFolder();
    const config = ['--config', join(home, 'sallyport.json')];
    const found = await cli(['registry', 'search', 'every', '--json', ...config, ...withKey()], { home });
    expect(found.json()).toMatchObject({ servers: [{ name: 'sallyport/everything', ways: ['remote'] }] });
    const added = await cli(['registry', 'add', 'sallyport/everything', '--as', 'far', ...config, ...withKey()], {
      home,
    });
    expect(added).toMatchObject({ exit: 0, stderr: expect.stringContaining('Set MCP_FAR_KEY') });
    expect(JSON.parse(readFileSync(config[1] ?? '', 'utf8'))).toEqual({
      mcpServers: {
        far: {
          type: 'http',
          url: `${gateway.origin}/servers/everything/mcp`,
          headers: { Authorization: 'Bearer ${MCP_FAR_KEY}' },
        },
      },
    });
    const env = { MCP_FAR_KEY: gateway.key ?? '' };
    const called = await cli(['tool', 'call', 'far', 'echo', 'message=hi', ...config], { home, env });
    expect(called).toMatchObject({ exit: 0, stdout: 'Echo: hi\n' });
    const again = await cli(['registry', 'add', 'sallyport/everything', '--as', 'far', ...config, ...withKey()], {
      home,
    });
    expect(again).toMatchObject({ exit: 1, stderr: expect.stringContaining('already has a server "far"') });
  });

  test('adds a file, and refuses one of another name, a hostile one and a huge one', async () => {
    const home = newFolder();
    const write = (more: object) =>
      writeFileSync(
        join(home, 'server.json'),
        JSON.stringify({
          name: 'io.example/weather',
          description: 'Weather',
          version: '1.2.3',
          packages: [
            { registryType: 'npm', identifier: '@acme/weather', version: '1.2.3', transport: { type: 'stdio' } },
          ],
          ...more,
        }),
      );
    const add = (name: string) => cli(['registry', 'add', name, '--from', './server.json', '--json'], { home });
    write({});
    expect(await add('io.example/other')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('is not io.example/other'),
    });
    write({ packages: [{ registryType: 'npm', identifier: 'x; id', version: '1.2.3' }] });
    expect(await add('io.example/weather')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('no name of an npm package'),
    });
    write({ padding: 'x'.repeat(300_000) });
    expect(await add('io.example/weather')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('more than 256 KiB'),
    });
    write({});
    expect((await add('io.example/weather')).json()).toMatchObject({
      name: 'weather',
      way: 'npm',
      server: { command: 'npx', args: ['-y', '@acme/weather@1.2.3'] },
    });
  });

  test('reads only registries that the configuration permits', async () => {
    const home = newFolder();
    const file = join(home, 'sallyport.json');
    expect(await cli(['registry', 'search', 'x'], { home, cwd: home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Say which registry'),
    });
    writeFileSync(file, JSON.stringify({ registries: [`${gateway.origin}/`] }));
    const words = ['registry', 'search', 'second', '--header', `Authorization: Bearer ${gateway.key}`, '--json'];
    const permitted = await cli([...words, '--config', file], { home });
    expect(permitted.json()).toMatchObject({ servers: [{ name: 'sallyport/second' }] });
    const other = await cli([...words, '--config', file, '--from', 'https://registry.example.com'], { home });
    expect(other).toMatchObject({ exit: 1, stderr: expect.stringContaining('is not among the registries') });
  });
});
