import { expect, test } from 'vitest';
import type { KeptSecret, SecretVault } from '../guard/secrets/vault.ts';
import { createMemoryVault } from './memory-vault.ts';

const secret = (value: string, given: Partial<KeptSecret> = {}): KeptSecret => ({
  ...{ value, kind: 'jwt', from: 'upstream', upstream: 'a' },
  ...given,
});

function open(entries = 100) {
  let time = 0;
  const vault = createMemoryVault({ now: () => time, limits: () => ({ minutes: 1, entries }) });
  const later = (ms: number) => {
    time += ms;
  };
  return { vault, later };
}

const keep = (vault: SecretVault, owner: string, ...secrets: KeptSecret[]) =>
  vault.keep(owner, secrets) as readonly string[];
const find = (vault: SecretVault, owner: string, ...ids: readonly string[]) =>
  (vault.find(owner, ids) as readonly (KeptSecret | undefined)[]).map((one) => one?.value);

test('a value has one id for each origin', () => {
  const { vault } = open();
  const [first, again, other] = keep(vault, 'p', secret('x'), secret('x'), secret('x', { upstream: 'b' }));
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(first).toMatch(/^[a-z2-7]{16}$/);
});

test('nobody finds what is kept for another', () => {
  const { vault } = open();
  const [id = ''] = keep(vault, 'p', secret('x'));
  expect(find(vault, 'p', id, 'none')).toEqual(['x', undefined]);
  expect(find(vault, 'q', id)).toEqual([undefined]);
});

test('what is kept again is kept longer, and everything has an end', () => {
  const { vault, later } = open();
  const [id = ''] = keep(vault, 'p', secret('x'));
  later(50_000);
  keep(vault, 'p', secret('x'));
  later(50_000);
  expect(find(vault, 'p', id)).toEqual(['x']);
  later(10_000);
  expect(find(vault, 'p', id)).toEqual([undefined]);
});

test('the oldest makes room, in number and in size', () => {
  const { vault } = open(10);
  const ids = keep(vault, 'p', ...Array.from({ length: 12 }, (_, i) => secret(`value ${i}`)));
  expect(find(vault, 'p', ...ids).filter((value) => value !== undefined)).toHaveLength(10);
  expect(find(vault, 'p', ids[0] ?? '')).toEqual([undefined]);
  const large = keep(vault, 'q', ...Array.from({ length: 5 }, (_, i) => secret(`${i}`.repeat(1024 * 1024))));
  expect(find(vault, 'q', ...large).map((value) => value !== undefined)).toEqual([false, true, true, true, true]);
});

test('of all callers together, what was masked longest ago makes room', () => {
  const { vault } = open();
  const [first = ''] = keep(vault, 'first', secret('x'));
  for (let i = 0; i < 1_000; i++) keep(vault, `owner ${i}`, secret('y'));
  expect(find(vault, 'first', first)).toEqual(['x']);
  const large = Array.from({ length: 66 }, (_, i) => keep(vault, `large ${i}`, secret('z'.repeat(1024 * 1024)))[0]);
  expect(find(vault, 'first', first)).toEqual([undefined]);
  const left = large.filter((id = '', i) => find(vault, `large ${i}`, id)[0] !== undefined);
  expect(left).toEqual(large.slice(-64));
});

test('what is over is given up, whoever asks for what', () => {
  const { vault, later } = open();
  const [id = ''] = keep(vault, 'p', secret('x'));
  later(60_000);
  find(vault, 'another', 'none');
  // Only what is still there could come back.
  later(-60_000);
  expect(find(vault, 'p', id)).toEqual([undefined]);
});

test('a value comes back to the last character', () => {
  const { vault } = open();
  const values = ['caf\u00e9', '\u5ba2\u6237', 'half \ud83d', ''];
  const ids = keep(vault, 'p', ...values.map((value) => secret(value)));
  expect(find(vault, 'p', ...ids)).toEqual(values);
});
