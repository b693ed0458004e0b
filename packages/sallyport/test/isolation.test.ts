import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OWN_FILES, probeIsolation } from '../src/upstream/isolation.ts';
import { rest } from './approvals-set-up.ts';

import { PlainClient, textOf } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

const SHELL = fileURLToPath(new URL('fixtures/upstream-shell.mjs', import.meta.url));
const { kind } = await probeIsolation('/nowhere');

async function startShell(own: Record<string, unknown> = {}) {
  const server = { command: process.execPath, args: [SHELL], ...own };
  const gateway = await startGateway({ mcpServers: { shell: server } });
  const client = new PlainClient(gateway, gateway.servers['shell']);
  await client.initialize();
  const run = async (script: string) =>
    textOf(await client.request('tools/call', { name: 'run', arguments: { script } }));
  return { gateway, run, state: gateway.process.stateDir };
}

describe('a program that Sallyport starts', () => {
  it.skipIf(kind !== 'works')('sees nothing of the state directory, and everything beside it', async () => {
    const { gateway, run, state } = await startShell();
    const files = readdirSync(state);
    expect(files).toEqual(
      expect.arrayContaining(['key', 'seal-key', 'control-token', 'control.sock', 'sallyport.db', 'audit']),
    );
    expect(files.filter((name) => !OWN_FILES.test(name))).toEqual([]);
    expect(await run(`ls -A ${state}; for f in ${files.join(' ')}; do cat ${state}/$f; done`)).not.toMatch(
      /^(?!cat: )./m,
    );
    expect(await run(`cat ${gateway.process.configFile} | head -c 1`)).toBe('{');
    const { body } = await rest(gateway, 'GET', '/servers');
    expect(body).toMatchObject({ items: [{ name: 'shell', state: 'ready' }] });
  });

  it('gets nowhere with the control socket alone', async () => {
    const { run, state } = await startShell({ isolation: 'off' });
    const ask = `require('http').get({ socketPath: '${join(state, 'control.sock')}', path: '/api/v1/servers', headers: process.argv[1] ? { authorization: process.argv[1] } : {} }, (r) => console.log(r.statusCode))`;
    const get = (token: string) => run(`"${process.execPath}" -e "${ask}" "${token}"`);
    expect(await get('')).toBe('401\n');
    expect(await get('Bearer guessed')).toBe('401\n');
    expect(await get(`Bearer $(cat ${state}/control-token)`)).toBe('200\n');
  });

  it.skipIf(process.platform === 'win32')('cannot open the debugger of Sallyport with a signal', async () => {
    const { gateway, run } = await startShell();
    expect(await run(`kill -USR1 ${gateway.pid} && echo sent`)).toContain('sent');
    for (let i = 0; i < 20; i++) await run('true');
    expect(gateway.process.stderr).not.toMatch(/inspector|debugger/i);
  });

  it.skipIf(kind !== 'works')('is not started where isolation is required and missing', async () => {
    const config = { mcpServers: { shell: { command: process.execPath, args: [SHELL], isolation: 'required' } } };
    const gateway = await startGateway(config, [], { PATH: '/nowhere' });
    const client = new PlainClient(gateway);
    await client.initialize();
    const answer = await client.request('tools/call', { name: 'shell_run', arguments: { script: 'true' } });
    expect(JSON.stringify(answer)).toContain('has to run isolated');
  });
});
