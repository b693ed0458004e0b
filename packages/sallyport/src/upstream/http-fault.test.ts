import { expect, it } from 'vitest';
import { toUnreachable } from './http-fault.ts';

const failing = (code: string) => Object.assign(new Error('x'), { code });
const textOf = (code: string, hasNoNetwork: boolean) =>
  toUnreachable('https://a.test/mcp', failing(code), () => hasNoNetwork).message;

it.each([
  ['EAI_AGAIN', false],
  ['EAI_AGAIN', true],
  ['ENOTFOUND', true],
  ['ENETUNREACH', true],
  ['EHOSTUNREACH', true],
])('%s, no network %s: the machine is offline, and nobody is told to correct the host', (code, hasNoNetwork) => {
  const text = textOf(code, hasNoNetwork);
  expect(text).toContain('this machine seems to be offline');
  expect(text).not.toMatch(/correct/i);
});

it.each([
  ['ENOTFOUND', 'Correct the host in its url.'],
  ['ENETUNREACH', 'Check the network'],
  ['ECONNREFUSED', 'Start the server or correct its url.'],
])('%s with a network: %s', (code, fix) => {
  expect(textOf(code, false)).toContain(fix);
  expect(textOf(code, false)).not.toContain('offline');
});

it('a server of this machine that is not started is not the network', () => {
  expect(textOf('ECONNREFUSED', true)).toContain('nothing listens there');
});
