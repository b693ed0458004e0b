import { describe, expect, test } from 'vitest';
import { ECHO, openRelay, toInbound } from '../../test/sample-relay.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { findPrompt, findUnlistedTool } from './unlisted.ts';

const PROMPT = { upstream: 'web', name: 'hidden' };

function at(endpoint: Inbound['endpoint'], access?: object): Inbound {
  const inbound = toInbound('tools/call', { name: 'later' });
  const view = { ...inbound.view, unlistedTool: () => ECHO, unlistedPrompt: () => PROMPT };
  return {
    ...inbound,
    endpoint,
    view,
    snapshot: { version: 3, servers: new Map([['web', { access }]]) },
  } as unknown as Inbound;
}
const OWN = { kind: 'server', name: 'web' } as const;
const open = (areEnforced = false): CallPorts =>
  openRelay([], { offers: { areEnforced: () => areEnforced, noteHidden: () => undefined } }).ports;
const NARROWED = { allow: { tools: ['echo'] }, deny: {} };

describe('a name that the server does not list', () => {
  test('is for the server of the endpoint to decide about', () => {
    expect(findUnlistedTool(open(), at(OWN), 'later')).toBe(ECHO);
    expect(findPrompt(open(), at(OWN), 'later')).toBe(PROMPT);
  });

  test.each<[string, Inbound, CallPorts]>([
    ['on the shared endpoint, where no server is named', at({ kind: 'all' }), open()],
    ['on the endpoint of a bundle', at({ kind: 'bundle', name: 'web' }), open()],
    ['where a list says what may be reached', at(OWN, NARROWED), open()],
    ['where policies decide', at(OWN), open(true)],
  ])('is unknown %s', (_, inbound, ports) => {
    expect(findUnlistedTool(ports, inbound, 'later')).toBeUndefined();
    expect(findPrompt(ports, inbound, 'later')).toBeUndefined();
  });
});

test('a prompt that is listed is the listed one, wherever it is asked for', () => {
  expect(findPrompt(open(true), at({ kind: 'all' }), 'web_ask')).toEqual({ upstream: 'web', name: 'ask' });
});
