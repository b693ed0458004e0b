import { expect, test } from 'vitest';
import { ANYONE, type Principal } from '../../core/principal.ts';
import { withPeer } from './standing.ts';

const peer = (id: string) => ({ principal: { ...ANYONE, id, account: `${id} account` }, thumbprint: '' });
const ONE = peer('mtls:1');
const OTHER = peer('mtls:2');

test('a certificate is the account of who names none; its caller is one and the same from call to call', () => {
  const key: Principal = { ...ANYONE, id: 'key:1' };
  expect(withPeer(key, ONE)).toEqual({ ...key, account: 'mtls:1 account' });
  expect(withPeer(key, ONE)).toBe(withPeer(key, ONE));
});

test('whoever names an account keeps it, and is told apart by certificate: one of them may be taken back', () => {
  const key: Principal = { ...ANYONE, id: 'key:1', account: 'build' };
  expect(withPeer(key, ONE)).toEqual(key);
  expect(withPeer(key, ONE)).not.toBe(key);
  expect(withPeer(key, ONE)).not.toBe(withPeer(key, OTHER));
});
