import { expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

test.each([
  ['127.0.0.1', false, true],
  ['127.9.9.9', false, true],
  ['::1', false, true],
  ['[::1]', false, true],
  ['::ffff:127.0.0.1', false, true],
  ['0.0.0.0', false, false],
  ['10.1.2.3', false, false],
  ['172.16.0.1', false, false],
  ['192.168.1.1', false, false],
  ['169.254.169.254', false, false],
  ['::ffff:169.254.169.254', false, false],
  ['100.64.0.1', false, false],
  ['fd00::1', false, false],
  ['fe80::1', false, false],
  ['64:ff9b::7f00:1', false, false],
  ['2002:7f00:1::', false, false],
  ['::7f00:1', false, false],
  ['fec0::1', false, false],
  ['ff02::1', false, false],
  ['2001:0:7f00:1::', false, false],
  ['224.0.0.1', false, false],
  ['255.255.255.255', false, false],
  ['0x7f.1', false, false],
  ['2130706433', false, false],
  ['localhost', false, false],
  ['', false, false],
  ['1.1.1.1', true, false],
  ['2606:4700:4700::1111', true, false],
])('%s: public %s, loopback %s', (text, isPublic, isLoopback) => {
  expect([isPublicAddress(text), isLoopbackAddress(text)]).toEqual([isPublic, isLoopback]);
});
