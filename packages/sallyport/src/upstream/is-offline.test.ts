import { expect, it } from 'vitest';
import { isOffline } from './is-offline.ts';

const at = (address: string, internal = false) => ({ address, internal }) as never; // only these two are read

it.each([
  ['no interface', {}, true],
  ['loopback alone', { lo: [at('127.0.0.1', true), at('::1', true)] }, true],
  ['addresses that nobody gave', { eth0: [at('169.254.3.4'), at('fe80::1')] }, true],
  ['a network', { lo: [at('127.0.0.1', true)], eth0: [at('192.168.1.7')] }, false],
  ['a network of IPv6', { eth0: [at('fe80::1'), at('2001:db8::1')] }, false],
])('%s', (_, interfaces, expected) => {
  expect(isOffline(interfaces)).toBe(expected);
});
