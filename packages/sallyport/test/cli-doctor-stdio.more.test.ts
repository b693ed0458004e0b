// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { always, freePort, LEGACY, MODERN, runDoctor, script, serveHttp } from './doctor-servers.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

const node = (code: string): string[] => ['--', process.execPath, '-e', code];

const NPX_OFFLINE =
  'console.error("npm error code ENOTFOUND\\nnpm error network request to https://registry.npmjs.org/x failed"); process.exit(1)';
const HTTP_SERVER = 'console.log("Listening on http://localhost:3000/mcp"); setInterval(() => {}, 1000)';
const CRASHING = script(LEGACY, {
  after: 'if (method === "initialize") { console.error("lost my database"); process.exit(3); }',
});
const REFUSING = script({ initialize: LEGACY['initialize'] }).replace(
  '-32601',
  'method === "tools/list" ? -32603 : -32601',
);

describe('a server that is started', () => {
  interface Case {
    readonly name: string;
    readonly args: string[];
    readonly exit?: number;
    readonly step: string;
    readonly detail: RegExp;
    readonly fix: RegExp;
  }
  const cases: readonly Case[] = [
    {
      name: 'ENOENT',
      args: ['--', 'no-such-program-here'],
      step: 'command',
      detail: /none of the folders of PATH \(ENOENT\)/,
      fix: /full path as "command"/,
    },
    {
      name: 'a path that is not there',
      args: ['--', '/no/such/program'],
      step: 'command',
      detail: /no file \/no\/such\/program/,
      fix: /Correct the path/,
    },
    {
      name: 'exits 1 with stderr',
      args: node('console.error("boom: Cannot find module \'./x.js\'"); process.exit(1)'),
      step: 'answer',
      detail: /exited with code 1 [\s\S]*boom/,
      fix: /\.\/x\.js: correct the path in "args"/,
    },
    {
      name: 'wants a variable',
      args: node('console.error("Error: HUB_API_TOKEN is not set"); process.exit(1)'),
      step: 'answer',
      detail: /exited with code 1/,
      fix: /"HUB_API_TOKEN": "\$\{HUB_API_TOKEN\}"/,
    },
    {
      name: 'npx without network',
      args: node(NPX_OFFLINE),
      step: 'answer',
      detail: /npm error/,
      fix: /npm registry: check network/,
    },
    {
      name: 'ends at once',
      args: node(''),
      step: 'answer',
      detail: /exited with code 0 [\s\S]*nothing to stderr/,
      fix: /serve over stdio/,
    },
    {
      name: 'killed',
      args: node('process.kill(process.pid, "SIGKILL")'),
      step: 'answer',
      detail: /killed by SIGKILL/,
      fix: /memory/,
    },
    {
      name: 'silent',
      args: ['--timeout', '500ms', ...node('setInterval(() => {}, 1000)')],
      step: 'answer',
      detail: /answered neither server\/discover nor initialize within 500 ms/,
      fix: /no MCP server/,
    },
    {
      name: 'an HTTP server',
      args: ['--timeout', '500ms', ...node(HTTP_SERVER)],
      step: 'answer',
      detail: /no message of MCP:\n +Listening/,
      fix: /serve HTTP \(http:\/\/localhost:3000\/mcp\)/,
    },
    {
      name: 'crash after initialize',
      args: node(CRASHING),
      step: 'list',
      detail: /exited with code 3 [\s\S]*lost my database/,
      fix: /Run its command by hand/,
    },
    {
      name: 'an error for its list',
      args: node(REFUSING),
      exit: 1,
      step: 'list',
      detail: /own error: no tools\/list \(-32603\)/,
      fix: /its log/,
    },
  ];

  test.each(cases)('$name', async ({ args, exit = 4, step, detail, fix }) => {
    const run = await runDoctor(['--json', ...args]);
    expect(run).toMatchObject({ exit, stderr: '' });
    expect(run.failed()).toMatchObject({
      step,
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
    expect(run.failed().detail).not.toMatch(/^Connection closed/i);
  });

  test('EACCES, a missing interpreter, a missing folder', async () => {
    const cwd = newTestFolder();
    writeFileSync(join(cwd, 'plain'), '#!/bin/sh\n', { mode: 0o644 });
    writeFileSync(join(cwd, 'script'), '#!/usr/bin/env no-such-interpreter\n', { mode: 0o755 });
    const plain = await runDoctor(['--json', '--', './plain'], { cwd });
    expect(plain.failed()).toMatchObject({
      step: 'command',
      detail: expect.stringContaining('EACCES'),
      fix: expect.stringContaining('chmod +x'),
    });
    const interpreter = await runDoctor(['--json', '--', './script'], { cwd });
    expect(interpreter.failed()).toMatchObject({
      step: 'command',
      detail: expect.stringContaining('no-such-interpreter'),
    });
    writeFileSync(join(cwd, 'mcp.json'), JSON.stringify({ mcpServers: { a: { command: 'node', cwd: './gone' } } }));
    const folder = await runDoctor(['./mcp.json', '--json'], { cwd });
    expect(folder.failed()).toMatchObject({ step: 'cwd', detail: expect.stringContaining('does not exist') });
  });

  test('a server without the list it declares', async () => {
    const run = await runDoctor(['--json', ...node(script({ initialize: LEGACY['initialize'] }))]);
    expect(run.exit).toBe(0);
    expect(run.step('list')).toMatchObject({ outcome: 'warning', detail: expect.stringContaining('has no tools') });
  });

  test('noise on stdout is shown and forgiven', async () => {
    const run = await runDoctor(['--json', ...node(script(LEGACY, { before: 'console.log("starting up");' }))]);
    expect(run.exit).toBe(0);
    expect(run.step('stdout')).toMatchObject({ outcome: 'warning', detail: expect.stringContaining('starting up') });
    expect(run.step('answer').detail).toMatch(/^first message \d/);
  });

  test('modern only', async () => {
    const run = await runDoctor(['--json', ...node(script(MODERN))]);
    expect(run.exit).toBe(0);
    expect(run.step('era').detail).toMatch(/^modern, revision 2026-07-28/);
  });

  test('a server that dies of the question for its era', async () => {
    const dying = script(LEGACY).replace(
      'const result',
      'if (method === "server/discover") process.exit(1); const result',
    );
    const run = await runDoctor(['--json', ...node(dying)]);
    expect(run.exit).toBe(0);
    expect(run.step('era')).toMatchObject({ outcome: 'warning', fix: expect.stringContaining('"era": "legacy"') });
  });

  test('its secrets are not printed', async () => {
    const code = 'console.error("bad token " + process.env.HUB_TOKEN); process.exit(1)';
    const run = await runDoctor(['--json', '--env', 'HUB_TOKEN=0123456789abcdef', ...node(code)]);
    expect(run.failed().detail).toContain('bad token [HUB_TOKEN]');
    expect(run.stdout).not.toContain('0123456789abcdef');
  });
});

describe('all servers and this machine', () => {
  function write(value: unknown): string {
    const cwd = newTestFolder();
    writeFileSync(join(cwd, 'sallyport.json'), typeof value === 'string' ? value : JSON.stringify(value));
    return cwd;
  }

  test('one broken entry does not hide the others', async () => {
    const cwd = write({
      gateway: { port: 0 },
      mcpServers: {
        good: { command: process.execPath, args: ['-e', script(LEGACY)] },
        bad: { command: 'node', env: { A: '${NOT_THERE}' } },
        off: { command: 'node', disabled: true },
      },
    });
    const run = await runDoctor(['--json'], { cwd });
    expect(run.exit).toBe(1);
    const { ok, targets } = run.json();
    expect(ok).toBe(false);
    expect(targets.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['local local', 'stdio good', 'stdio bad']);
    expect(targets[1]?.steps.every(({ outcome }) => outcome !== 'failed')).toBe(true);
    expect(targets[2]?.steps[0]).toMatchObject({
      step: 'configuration',
      outcome: 'failed',
      detail: expect.stringContaining('NOT_THERE is not set'),
      fix: expect.stringContaining('NOT_THERE'),
    });
  });

  test('a file that cannot be read', async () => {
    const run = await runDoctor(['--json'], { cwd: write('{ "mcpServers": ') });
    expect(run.exit).toBe(1);
    expect(run.failed()).toMatchObject({ step: 'configuration', detail: expect.stringContaining('not JSON') });
  });

  test('no configuration is no failure', async () => {
    const run = await runDoctor(['--json']);
    expect(run.step('configuration')).toMatchObject({
      outcome: 'warning',
      fix: expect.stringContaining('sallyport import'),
    });
  });

  test('a key that others can read', async () => {
    const cwd = write({ gateway: { port: 0 } });
    mkdirSync(join(cwd, 'state'), { mode: 0o755 });
    const key = join(cwd, 'state', 'key');
    writeFileSync(key, 'sp_0123456789abcdef\n');
    chmodSync(key, 0o644);
    const run = await runDoctor(['--json'], { cwd });
    expect(run.exit).toBe(1);
    expect(run.step('state')).toMatchObject({ outcome: 'warning', fix: expect.stringContaining('chmod 700') });
    expect(run.failed()).toMatchObject({
      step: 'key',
      detail: expect.stringContaining('0644'),
      fix: expect.stringContaining('chmod 600'),
    });
    expect(run.stdout).not.toContain('sp_0123456789abcdef');
    expect(statSync(key).mode & 0o777).toBe(0o644);
  });

  test('the port: free, or taken by another program', async () => {
    const free = await runDoctor(['--json'], { cwd: write({ gateway: { port: await freePort() } }) });
    expect(free.step('port')).toMatchObject({ outcome: 'ok', detail: expect.stringContaining('is free') });
    const taken = Number(new URL(await serveHttp(always(200))).port);
    const other = await runDoctor(['--json'], { cwd: write({ gateway: { port: taken } }) });
    expect(other.failed()).toMatchObject({ step: 'port', detail: expect.stringContaining('which is no Sallyport') });
    if (process.platform === 'linux') expect(other.step('port').detail).toContain(`process ${process.pid}`);
  });

  test('the port: taken by our own gateway, with our key or another one', async () => {
    const gateway = await startGateway({});
    const cwd = write({ gateway: { port: Number(new URL(gateway.origin).port) } });
    const mine = await runDoctor(['--json'], { cwd, env: { SALLYPORT_STATE: gateway.process.stateDir } });
    expect(mine.step('port')).toMatchObject({ outcome: 'ok', detail: expect.stringContaining('accepts the key') });
    const stranger = await runDoctor(['--json'], { cwd });
    expect(stranger.step('port')).toMatchObject({
      outcome: 'failed',
      fix: expect.stringContaining('SALLYPORT_STATE'),
    });
    const through = await runDoctor([gateway.url, '--json', '--header', `Authorization: Bearer ${gateway.key}`]);
    expect(through).toMatchObject({ exit: 0 });
  });

  test('a file without servers', async () => {
    const run = await runDoctor(['./sallyport.json'], { cwd: write({}) });
    expect(run).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining('The file has no servers.') });
  });

  test('a name that is not there', async () => {
    const run = await runDoctor(['nothere', '--json'], { cwd: write({ mcpServers: { there: { command: 'node' } } }) });
    expect(run.exit).toBe(1);
    expect(run.stderr).toContain('Did you mean "there"?');
  });
});
