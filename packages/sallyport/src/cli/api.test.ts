import { rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../../test/cli-terminal.ts';
import { loadControlToken } from '../app/control-token.ts';
import { type ControlApi, type ControlReply, createApi } from '../control/api.ts';
import { FaultError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { toLocalUser } from '../core/principal.ts';
import { openControlSocket } from '../gateway/control-socket.ts';
import { takeFileLock } from '../storage/file-lock.ts';
import { type Api, withApi } from './api.ts';
import type { Input } from './command.ts';

const SERVER = { name: 'a/b', transport: 'stdio', state: 'ready' };

function sampleControl(restarted: string[]): ControlApi {
  return createApi({
    version: '1',
    log: silentLog,
    roles: () => ({ viewer: [], operator: [], admin: [] }),
    routes: [
      {
        ...{ method: 'GET', path: '/servers/{name}', id: 'showServer', summary: '', role: 'admin', result: {} },
        handle: ({ path }) => {
          if (path.get('name') !== 'a/b') throw new FaultError('not_found', 'There is no such server.');
          return SERVER;
        },
      },
      {
        ...{ method: 'POST', path: '/servers/{name}/restart', id: 'restartServer', summary: '', role: 'admin' },
        result: {},
        handle: ({ path, principal }) => {
          restarted.push(`${path.get('name')} by ${principal.id}`);
          return SERVER;
        },
      },
      {
        ...{ method: 'GET', path: '/events', id: 'followEvents', summary: '', role: 'admin' },
        handle: () => ({
          follow(emit) {
            for (const upstream of ['a\nb', 'ü']) emit('connected', { upstream });
            return () => restarted.push('stopped');
          },
        }),
      },
    ],
  });
}

async function open(stateDir: string, control: ControlApi) {
  const token = await loadControlToken(stateDir);
  const socket = await openControlSocket({
    stateDir,
    control,
    principal: toLocalUser('ann'),
    token,
    lock: takeFileLock,
  });
  onTestFinished(() => socket?.close());
  return socket;
}

function inputOf(stateDir: string, signal = new AbortController().signal): Input {
  const terminal = {
    env: { SALLYPORT_STATE: stateDir },
    cwd: stateDir,
    home: stateDir,
  } as unknown as Input['terminal'];
  return { words: [], dashed: undefined, options: {}, terminal, signal };
}

test.each([
  ['short', ''],
  ['too long for a socket', 'x'.repeat(120)],
])('asks the Sallyport that runs, path %s', async (_, name) => {
  const stateDir = join(newFolder(), name);
  const restarted: string[] = [];
  await open(stateDir, sampleControl(restarted));
  await withApi(inputOf(stateDir), async (api) => {
    expect(api.isRunning).toBe(true);
    expect(await api.call('showServer', { path: { name: 'a/b' } })).toEqual(SERVER);
    expect(await api.call('restartServer', { path: { name: 'a/b' } })).toEqual(SERVER);
    expect(restarted).toEqual(['a/b by os:ann']);
    await expect(api.call('showServer', { path: { name: 'c' } })).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no such server.',
    });
    await expect(api.call('listTools', {})).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('follows events until the command is interrupted', async () => {
  const stateDir = newFolder();
  const said: string[] = [];
  await open(stateDir, sampleControl(said));
  const interrupt = new AbortController();
  const events: unknown[] = [];
  await withApi(inputOf(stateDir, interrupt.signal), (api) =>
    api.follow('followEvents', {}, (event, data) => {
      events.push([event, data]);
      if (events.length === 2) interrupt.abort();
    }),
  );
  expect(events).toEqual([
    ['connected', { upstream: 'a\nb' }],
    ['connected', { upstream: 'ü' }],
  ]);
  await expect.poll(() => said).toEqual(['stopped']);
});

test('says so when the running Sallyport ends meanwhile', async () => {
  const stateDir = newFolder();
  const socket = await open(stateDir, sampleControl([]));
  const followed = withApi(inputOf(stateDir), (api) => api.follow('followEvents', {}, () => void socket?.close()));
  await expect(followed).rejects.toMatchObject({ code: 'unreachable', message: 'The running Sallyport has ended.' });
});

test('in the folder for temporary files believes nobody else, nor whoever comes while a command runs', async () => {
  const stateDir = join(newFolder(), 'x'.repeat(120));
  const restarted: string[] = [];
  await open(stateDir, sampleControl(restarted));
  const restart = (api: Api) => api.call('restartServer', { path: { name: 'a/b' } });
  await withApi(inputOf(stateDir), async (api) => {
    await restart(api);
    // Its owner would be believed, too.
    rmSync(stateDir, { recursive: true });
    const user = vi.spyOn(process, 'getuid').mockReturnValue(4_294_967_294);
    onTestFinished(() => user.mockRestore());
    await expect(restart(api)).rejects.toMatchObject({ code: 'unreachable' });
  });
  await withApi(inputOf(stateDir), async (api) => expect(api.isRunning).toBe(false));
  expect(restarted).toHaveLength(1);
});

test('answers in this process when none runs; what only a running one knows is unreachable', async () => {
  const stateDir = newFolder();
  writeFileSync(join(stateDir, 'sallyport.json'), '{ "mcpServers": { "a": { "command": "x" } } }');
  await withApi(inputOf(stateDir), async (api) => {
    expect(api.isRunning).toBe(false);
    expect(await api.call('listServers', {})).toMatchObject({ items: [{ name: 'a', state: 'idle' }] });
    const unreachable = expect.objectContaining({
      code: 'unreachable',
      message: expect.stringContaining('Start one with "sallyport up"'),
    });
    await expect(api.call('restartServer', { path: { name: 'a' } })).rejects.toEqual(unreachable);
    await expect(api.call('listTools', {})).rejects.toEqual(unreachable);
    await expect(api.follow('followEvents', {}, () => {})).rejects.toEqual(unreachable);
  });
});

test('for its owner only; a second Sallyport does not take it over, a dead one does not block it', async () => {
  const stateDir = newFolder();
  writeFileSync(join(stateDir, 'control.sock'), '');
  expect(await open(stateDir, sampleControl([]))).toBeDefined();
  expect(statSync(join(stateDir, 'control.sock')).mode & 0o777).toBe(0o600);
  expect(await open(stateDir, sampleControl([]))).toBeUndefined();
});

test.each([
  ['a web page', '/api/v1/servers/a%2Fb', 'TOKEN', { origin: 'http://localhost' }, 403, 'forbidden'],
  ['another path', '/mcp', 'TOKEN', {}, 404, 'not_found'],
  ['a program without the token', '/api/v1/servers/a%2Fb', undefined, {}, 401, 'unauthenticated'],
  ['a program with another token', '/api/v1/servers/a%2Fb', 'x'.repeat(43), {}, 401, 'unauthenticated'],
  ['a program with an empty token', '/api/v1/servers/a%2Fb', '', {}, 401, 'unauthenticated'],
] as const)('refuses %s', async (_, path, shown, more, status, code) => {
  const stateDir = newFolder();
  await open(stateDir, sampleControl([]));
  const token = shown === 'TOKEN' ? await loadControlToken(stateDir) : shown;
  const headers = { ...more, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve) => {
    request({ socketPath: join(stateDir, 'control.sock'), path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    }).end();
  });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toMatchObject({ status, code });
});

test('what is no HTTP harms nobody', async () => {
  const stateDir = newFolder();
  await open(stateDir, sampleControl([]));
  const reply = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(join(stateDir, 'control.sock'), () => socket.write('{"verb":"status"}\n\n'));
    socket
      .setEncoding('utf8')
      .on('data', (chunk) => (text += chunk))
      .on('close', () => resolve(text));
  });
  expect(reply).toContain('400 Bad Request');
  await withApi(inputOf(stateDir), (api) => api.call('showServer', { path: { name: 'a/b' } }));
});

test('an answer of another version is no answer', async () => {
  const stateDir = newFolder();
  const reply: ControlReply = { kind: 'whole', status: 500, type: 'text/plain', body: 'what?' };
  await open(stateDir, { handle: () => Promise.resolve(reply) });
  await withApi(inputOf(stateDir), (api) =>
    expect(api.call('listServers', {})).rejects.toThrow('both must be of the same version'),
  );
});

test('says which file is missing when the token cannot be read', async () => {
  const stateDir = newFolder();
  await open(stateDir, sampleControl([]));
  rmSync(join(stateDir, 'control-token'));
  await expect(withApi(inputOf(stateDir), (api) => api.call('listServers', {}))).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('control-token cannot be read'),
  });
});
