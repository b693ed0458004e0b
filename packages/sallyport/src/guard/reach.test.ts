import { expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import type { EnvelopeKind } from '../core/envelope.ts';
import { ALLOW } from '../core/verdict.ts';
import { reach } from './reach.ts';

const KINDS: readonly EnvelopeKind[] = ['task', 'request', 'subscription', 'client_notification'];
const { snapshot } = toCall();

test.each(KINDS)('attack: a %s to a server of which the caller may use nothing is refused', async (kind) => {
  const guard = reach({ areEnforced: () => true, reaches: async () => false });
  expect(guard.kinds).toContain(kind);
  expect(await guard.judge(toCall({ kind, target: 'logging/setLevel' }))).toMatchObject({
    kind: 'deny',
    code: 'denied',
    reason: expect.stringContaining('nothing of the server'),
  });
});

test.each(KINDS)('harmless: a %s to a server of which the caller may use something passes', (kind) => {
  const guard = reach({ areEnforced: () => true, reaches: () => true });
  expect(guard.judge(toCall({ kind, target: 'logging/setLevel' }))).toBe(ALLOW);
});

test('harmless: a resource that is followed is judged by the policies about it', () => {
  const guard = reach({ areEnforced: () => true, reaches: () => false });
  expect(guard.judge(toCall({ kind: 'subscription', item: 'resource', target: 'note://1' }))).toBe(ALLOW);
});

test('harmless: without policies nobody is asked', () => {
  expect(reach({ areEnforced: () => false, reaches: () => false }).isOn?.(snapshot)).toBe(false);
});
