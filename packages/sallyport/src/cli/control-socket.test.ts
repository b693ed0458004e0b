import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { askRunning, type ControlVerbs, openControlSocket } from './control-socket.ts';

function folder(name = 'sallyport-'): string {
  const made = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function open(stateDir: string, restarted: string[] = []) {
  const verbs: ControlVerbs = {
    status: () => ({ a: { state: 'ready' } }),
    async restart(server) {
      if (server !== 'a') throw new FaultError('not_found', `There is no server "${server}".`);
      restarted.push(server);
    },
    decisions: (callId) => [{ callId: callId ?? 'all' }],
  };
  const socket = await openControlSocket(stateDir, verbs);
  onTestFinished(() => socket?.close());
  return socket;
}

test.each([
  ['short', 'sallyport-'],
  ['too long for a socket', `sallyport-${'x'.repeat(120)}-`],
])('asks and restarts, path %s', async (_, name) => {
  const stateDir = folder(name);
  const restarted: string[] = [];
  await open(stateDir, restarted);
  expect(await askRunning(stateDir, { verb: 'status' })).toEqual({ servers: { a: { state: 'ready' } } });
  expect(await askRunning(stateDir, { verb: 'restart', server: 'a' })).toEqual({ status: { state: 'ready' } });
  expect(restarted).toEqual(['a']);
  expect(await askRunning(stateDir, { verb: 'decisions', callId: 'c' })).toEqual({ decisions: [{ callId: 'c' }] });
  await expect(askRunning(stateDir, { verb: 'restart', server: 'b' })).rejects.toThrow(
    expect.objectContaining({ code: 'not_found', message: 'There is no server "b".' }),
  );
});

test('nobody is running', async () => {
  const stateDir = folder();
  expect(await askRunning(stateDir, { verb: 'status' })).toBeUndefined();
  const socket = await open(stateDir);
  await socket?.close();
  expect(await askRunning(stateDir, { verb: 'status' })).toBeUndefined();
});

test('for its owner only; a second Sallyport does not take it over, a dead one does not block it', async () => {
  const stateDir = folder();
  writeFileSync(join(stateDir, 'control.sock'), '');
  expect(await open(stateDir)).toBeDefined();
  expect(statSync(join(stateDir, 'control.sock')).mode & 0o777).toBe(0o600);
  expect(await open(stateDir)).toBeUndefined();
});

test.each(['not json\n', '{}\n', '{"verb":"restart"}\n', '[]\n'])('%j gets an error and harms nobody', async (line) => {
  const stateDir = folder();
  await open(stateDir);
  const reply = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(join(stateDir, 'control.sock'), () => socket.write(line));
    socket
      .setEncoding('utf8')
      .on('data', (chunk) => (text += chunk))
      .on('close', () => resolve(text));
  });
  expect(JSON.parse(reply)).toHaveProperty('error.code');
  expect(await askRunning(stateDir, { verb: 'status' })).toBeDefined();
});
