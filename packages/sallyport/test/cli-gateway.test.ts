import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli, newFolder } from './cli-terminal.ts';
import { misbehaving, type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';

/** What calls moved is written every 5 s. */
const PATIENCE = { timeout: 20_000, interval: 250 };

let gateway: RunningGateway;
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway({
    mcpServers: { good: misbehaving({ tools: ['echo'] }), 'dotted.name': misbehaving({ tools: ['echo'] }) },
  });
  env = { SALLYPORT_STATE: gateway.process.stateDir };
});

describe('--gateway, with no key on the command line', () => {
  const LISTS: readonly (readonly [words: readonly string[], names: readonly string[]])[] = [
    [['--gateway'], ['good_echo', 'dotted_name_echo']],
    [['--gateway', 'good'], ['echo']],
    [['good', '--gateway'], ['echo']],
    [['--gateway', 'dotted.name'], ['echo']],
  ];
  it.each(LISTS)('tool list %j', async (words, names) => {
    const { exit, json, stderr } = await cli(['tool', 'list', ...words, '--json'], { env });
    expect(stderr).toBe('');
    expect(exit).toBe(0);
    expect((json() as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(names);
  });

  it('takes the URL of the gateway itself', async () => {
    const { exit } = await cli(['tool', 'list', '--gateway', gateway.url], { env });
    expect(exit).toBe(0);
  });

  const CALLS: readonly (readonly string[])[] = [
    ['--gateway', 'good_echo', 'text=a=b'],
    ['--gateway', 'good', 'echo', 'text=hi'],
    ['--gateway', 'dotted_name_echo'],
    ['good_echo', '--gateway', '--args', '{"text":"hi"}'],
  ];
  it.each(CALLS)('tool call %s %s', async (...words) => {
    const { exit, stdout, stderr } = await cli(['tool', 'call', ...words], { env });
    expect(stderr).toBe('');
    expect(exit).toBe(0);
    expect(stdout).toContain('tools/call');
  });

  it('shows a tool, lists resources and prompts', async () => {
    expect((await cli(['tool', 'show', '--gateway', 'good_echo'], { env })).stdout).toContain('good_echo');
    expect((await cli(['tool', 'show', '--gateway', 'good', 'echo'], { env })).stdout).toContain('echo');
    expect((await cli(['resource', 'list', '--gateway'], { env })).exit).toBe(0);
    expect((await cli(['prompt', 'list', '--gateway', 'good'], { env })).exit).toBe(0);
  });

  it('tool find', async () => {
    const { exit, json, stderr } = await cli(['tool', 'find', 'echo', '--gateway', '--json'], { env });
    expect(stderr).toBe('');
    expect(exit).toBe(0);
    const [{ server, twins }] = (json() as { tools: [{ server: string; twins: { server: string }[] }] }).tools;
    expect([server, ...twins.map((twin) => twin.server)].sort()).toEqual(['dotted.name', 'good']);
    const one = await cli(['tool', 'find', 'echo', '--gateway', '--from', 'good'], { env });
    expect(one.stdout).toMatch(/^SERVER +TOOL +SCORE +DESCRIPTION\ngood +echo +0\.\d\d/);
    const nowhere = await cli(['tool', 'find', 'echo', '--gateway'], { env: { SALLYPORT_STATE: newFolder() } });
    expect(nowhere).toMatchObject({ exit: 4, stderr: expect.stringMatching(/No gateway runs on .*"sallyport up"/) });
  });

  it('tokens: definitions of each server, and what its calls returned', async () => {
    await cli(['tool', 'call', '--gateway', 'good', 'echo', 'text=hi'], { env });
    const ask = async () => {
      const { exit, json } = await cli(['tokens', '--gateway', '--json'], { env });
      expect(exit).toBe(0);
      return json() as {
        definitions: { tools: number; o200k: number };
        tools: { server: string; name: string; definition: { o200k: number }; calls: number; resultTokens: number }[];
      };
    };
    await expect
      .poll(async () => (await ask()).tools.find(({ server }) => server === 'good')?.calls, PATIENCE)
      .toBeGreaterThan(0);
    const { definitions, tools } = await ask();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'echo']);
    expect(definitions.o200k).toBe(tools.reduce((sum, { definition }) => sum + definition.o200k, 0));
    expect(tools.find(({ server }) => server === 'good')?.resultTokens).toBeGreaterThan(5);
    const { stdout } = await cli(['tokens', '--gateway', 'good'], { env });
    expect(stdout).toMatch(/^SERVER +TOOL +DEFINITION +CALLS +A RESULT +ALL RESULTS\ngood +echo +\d+ +\d+ +\d+ +\d+/);
    const both = await cli(['tokens', 'good', '--bundle', 'small'], { env });
    expect(both).toMatchObject({ exit: 1, stderr: expect.stringContaining('Give --bundle or a target, not both.') });
  });

  it('says what is missing', async () => {
    const nameless = await cli(['tool', 'call', '--gateway'], { env });
    expect(nameless).toMatchObject({ exit: 1, stderr: expect.stringContaining('Name what is asked for') });
    const unknown = await cli(['tool', 'list', '--gateway', 'nothing'], { env });
    expect(unknown.exit).not.toBe(0);
    const nowhere = await cli(['tool', 'list', '--gateway'], { env: { SALLYPORT_STATE: newFolder() } });
    expect(nowhere).toMatchObject({ exit: 4, stderr: expect.stringMatching(/No gateway runs on .*"sallyport up"/) });
  });

  it('sends the key of this machine to no other address', async () => {
    const seen: (string | undefined)[] = [];
    const { createServer } = await import('node:http');
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await cli(['tool', 'list', '--gateway', `http://127.0.0.1:${port}/mcp`], { env });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((header) => header === undefined)).toBe(true);
    seen.length = 0;
    await cli(['tool', 'list', '--gateway', `http://127.0.0.1:${port}/mcp`], {
      env: { ...env, SALLYPORT_KEY: 'mine' },
    });
    expect(seen[0]).toBe('Bearer mine');
    other.close();
  });

  it('is asked for with SALLYPORT_KEY by another caller', async () => {
    const { exit } = await cli(['tool', 'list', '--gateway'], { env: { ...env, SALLYPORT_KEY: 'sp_wrong' } });
    expect(exit).toBe(3);
  });
});

it('--header @file reads headers from a file', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'header'), `Authorization: Bearer ${gateway.key}\n`);
  expect((await cli(['tool', 'list', gateway.url, '--header', '@header'], { cwd })).exit).toBe(0);
  expect((await cli(['tool', 'list', gateway.url, '--header', '@missing'], { cwd })).stderr).toContain(
    'There is no file',
  );
});

it('a gateway that ended leaves no address behind', async () => {
  const started = new SallyportProcess({}, ['up', '--port', '0']);
  const file = join(started.stateDir, 'gateway.json');
  await started.until(() => started.stdout.includes('Ctrl-C'));
  expect(existsSync(file)).toBe(true);
  await started.stop();
  expect(existsSync(file)).toBe(false);
});
