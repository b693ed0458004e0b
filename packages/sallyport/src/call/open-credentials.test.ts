import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { TokenSlot } from '../core/upstream-tokens.ts';
import { openCredentials } from './open-credentials.ts';

function open(keyRef?: string, env: Record<string, string> = {}) {
  const stateDir = mkdtempSync(join(tmpdir(), 'sallyport-credentials-'));
  const credentials = openCredentials({ stateDir, keyRef: () => keyRef, env, clock: systemClock, log: silentLog });
  onTestFinished(async () => {
    await credentials.close();
    rmSync(stateDir, { recursive: true });
  });
  return { stateDir, ...credentials };
}
const SLOT: TokenSlot = { kind: 'tokens', upstream: 'mail', place: 'https://mail.test/', owner: 'local' };

test('nothing is opened or made before a server needs it', async () => {
  const { stateDir, close } = open();
  await close();
  await close();
  expect(readdirSync(stateDir)).toEqual([]);
});

test('the key of the vault is made once in the state directory, where none is named', async () => {
  const { stateDir, ports } = open();
  expect(await ports.vault.get(SLOT)).toBeUndefined();
  await ports.vault.put(SLOT, { accessToken: 'x' }, 0);
  expect(existsSync(join(stateDir, 'token-key'))).toBe(true);
});

test('a key that is named is read from there, and none is made', async () => {
  const { stateDir, ports } = open('env:VAULT_KEY', { VAULT_KEY: 'ab'.repeat(32) });
  await ports.vault.put(SLOT, { accessToken: 'x' }, 0);
  expect(existsSync(join(stateDir, 'token-key'))).toBe(false);
});
