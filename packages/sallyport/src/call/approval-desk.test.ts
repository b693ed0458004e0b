import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { SAMPLE_TEXTS } from '../../test/sample-texts.ts';
import { NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { Verdict } from '../core/verdict.ts';
import { inspect } from '../guard/guard.ts';
import { createApprovalStore } from '../storage/approvals.ts';
import { openDatabase } from '../storage/database.ts';
import { createGrantStore } from '../storage/grants.ts';
import { ApprovalDesk } from './approval-desk.ts';
import type { Inbound } from './inbound.ts';

const ask: Verdict = { kind: 'ask', reason: 'a person has to look' };
const guards = [{ name: 'asks', kinds: ['call'] as const, judge: () => ask }];

/** A call that waits while a person says yes. @param meanwhile what happens before the person answers */
async function waitForYes(meanwhile: (caller: { isCurrent: boolean }) => void) {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-desk-'));
  const database = await openDatabase(join(dir, 'sallyport.db'));
  const caller = { isCurrent: true };
  const approvals = createApprovalStore(database, systemClock, SAMPLE_TEXTS);
  const desk = new ApprovalDesk({
    approvals,
    grants: createGrantStore(database, systemClock, SAMPLE_TEXTS),
    clock: systemClock,
    log: silentLog,
    settings: () => ({ ...NO_APPROVAL_RULES, waitMs: 20_000, elicit: false }),
    guards: () => guards,
    hiding: () => ({ key: Buffer.alloc(32) }),
    note: async () => undefined,
    isCurrent: () => caller.isCurrent,
  });
  onTestFinished(async () => {
    desk.close();
    await database.destroy();
    rmSync(dir, { recursive: true });
  });
  const call = toCall({ body: { n: 1 } });
  const exchange = { client: call.client, cancelled: false, onCancel: undefined };
  const inbound = { exchange, snapshot: { servers: new Map() } } as unknown as Inbound;
  const settling = desk.settle(await inspect(guards, call), call, inbound);
  await expect.poll(() => approvals.countWaiting()).toBe(1);
  meanwhile(caller);
  const [waiting] = await approvals.list();
  const at = systemClock.now();
  await desk.answer(waiting?.id ?? '', { kind: 'allow', scope: 'once', by: 'os:someone', via: 'command', at });
  return settling;
}

test('a yes lets the call that waits for it go', async () => {
  const { decision, spend } = await waitForYes(() => undefined);
  expect(decision).toMatchObject({ verdict: { kind: 'allow' }, rewritten: { n: 1 } });
  expect(await spend?.()).toBe(true);
  expect(await spend?.()).toBe(false);
});

test('a yes that comes after the caller’s key was revoked is worth nothing', async () => {
  const { decision, spend } = await waitForYes((caller) => {
    caller.isCurrent = false;
  });
  expect(decision.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('withdrawn') });
  expect(spend).toBeUndefined();
});
