import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeFileLock } from '../../test/take-lock.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import { isAnswered, openControlSocket, toSocketPath } from './control-socket.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const open = (stateDir: string) =>
  openControlSocket({
    stateDir,
    control: { handle: () => Promise.reject(new Error('nothing is asked here')) } as never,
    principal: KEY_HOLDER,
    token: 'x'.repeat(43),
    lock: takeFileLock,
  });

test('of many that start at once one answers, and none fails', async () => {
  for (let round = 0; round < 20; round++) {
    const stateDir = newFolder();
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(stateDir)));
    const answering = opened.filter((socket) => socket !== undefined);
    expect(answering).toHaveLength(1);
    expect(await isAnswered(stateDir)).toBe(true);
    await answering[0]?.close();
  }
});

test('the next one answers after an end, and after a kill that left the socket', async () => {
  const stateDir = newFolder();
  const first = await open(stateDir);
  await first?.close();
  await first?.close();
  expect(existsSync(toSocketPath(stateDir))).toBe(false);
  writeFileSync(toSocketPath(stateDir), 'left');
  const second = await open(stateDir);
  expect(await isAnswered(stateDir)).toBe(true);
  await second?.close();
});
