import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { SAMPLE_TEXTS } from '../../test/sample-texts.ts';
import { type ApprovalSettings, NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { Envelope } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import { silentLog } from '../core/log.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import type { Verdict } from '../core/verdict.ts';
import type { PersonAnswer } from '../guard/approve/approval.ts';
import { type Guard, inspect } from '../guard/guard.ts';
import { createApprovalStore } from '../storage/approvals.ts';
import { openDatabase } from '../storage/database.ts';
import { createGrantStore } from '../storage/grants.ts';
import { type Announce, ApprovalDesk } from './approval-desk.ts';
import type { Inbound } from './inbound.ts';

const ask: Verdict = { kind: 'ask', reason: 'a person has to look' };
const guards: readonly Guard[] = [{ name: 'asks', kinds: ['call'], judge: () => ask }];

interface World {
  isCurrent: boolean;
  snapshot: Snapshot;
  guards: readonly Guard[];
}

/** A desk over a database of its own, and one caller of one tool of the server `sample`. */
async function openDesk(settings: Partial<ApprovalSettings> = {}, announce?: Announce) {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-desk-'));
  const database = await openDatabase(join(dir, 'sallyport.db'));
  const world: World = { isCurrent: true, snapshot: toSnapshot({ command: 'sample' }), guards };
  const approvals = createApprovalStore(database, systemClock, SAMPLE_TEXTS);
  let asked = (): void => {};
  let asking = new Promise<void>((resolve) => (asked = resolve));
  const desk = new ApprovalDesk({
    approvals: {
      ...approvals,
      async open(...given) {
        const opened = await approvals.open(...given);
        asked();
        return opened;
      },
    },
    grants: createGrantStore(database, systemClock, SAMPLE_TEXTS),
    clock: systemClock,
    log: silentLog,
    settings: () => ({ ...NO_APPROVAL_RULES, waitMs: 20_000, elicit: false, ...settings }),
    guards: () => world.guards,
    hiding: () => ({ key: Buffer.alloc(32) }),
    note: async () => undefined,
    isCurrent: () => world.isCurrent,
    announce,
  });
  onTestFinished(async () => {
    desk.close();
    await database.destroy();
    rmSync(dir, { recursive: true });
  });
  const tool = toTool({ name: 'pay' }, { digest: 'of-pay' });
  return {
    ...{ world, desk, approvals },
    async settle(body: JsonObject, given: Partial<Envelope> = {}) {
      asking = new Promise((resolve) => (asked = resolve));
      const call = toCall({ body, tool, ...given });
      const exchange = { client: call.client, cancelled: false, onCancel: undefined };
      const inbound = { exchange, snapshot: world.snapshot } as unknown as Inbound;
      return desk.settle(await inspect(world.guards, call), call, inbound);
    },
    /** The one that waits, answered. @param meanwhile what happens before the person answers */
    async allow(given: Allowed = {}, meanwhile: (world: World) => void = () => undefined) {
      await asking;
      meanwhile(world);
      const [waiting] = await approvals.list({ state: 'waiting' });
      const at = systemClock.now();
      await desk.answer(waiting?.id ?? '', {
        ...{ kind: 'allow', scope: 'once', by: 'os:someone', via: 'command', at },
        ...given,
      });
    },
  };
}

type Allowed = Partial<Extract<PersonAnswer, { kind: 'allow' }>>;

function toSnapshot(server: object, rules: object = {}): Snapshot {
  return { servers: new Map([['sample', server]]), ...rules } as unknown as Snapshot;
}

/** A call that waits while a person says yes. */
async function waitForYes(meanwhile: (world: World) => void) {
  const desk = await openDesk();
  const settling = desk.settle({ n: 1 });
  await desk.allow({}, meanwhile);
  return settling;
}

test('a yes lets the call that waits for it go', async () => {
  const { decision, spend } = await waitForYes(() => undefined);
  expect(decision).toMatchObject({ verdict: { kind: 'allow' }, rewritten: { n: 1 } });
  expect(await spend?.()).toBe(true);
  expect(await spend?.()).toBe(false);
});

describe('a yes to a caller whose credential', () => {
  const settleAs = async (expiresAt: number) => {
    const desk = await openDesk();
    const client = { ...toCall().client, principal: { ...KEY_HOLDER, expiresAt } };
    const settling = desk.settle({ n: 1 }, { client });
    await desk.allow();
    return settling;
  };

  test('has expired meanwhile is worth nothing', async () => {
    const { decision, spend } = await settleAs(systemClock.now());
    expect(decision.verdict).toMatchObject({
      ...{ kind: 'deny', reason: "The caller's credential expired while a person was asked." },
    });
    expect(spend).toBeUndefined();
  });

  test('is good for longer lets the call go', async () => {
    const { decision, spend } = await settleAs(systemClock.now() + 60_000);
    expect(decision.verdict.kind).toBe('allow');
    expect(await spend?.()).toBe(true);
  });
});

/** Asks about small amounts, wants two people for large ones, and a rule against huge ones. */
const byAmount = (large: object): Guard => ({
  ...{ name: 'amounts', kinds: ['call'] },
  judge: ({ body: { n } }) =>
    Number(n) > 1_000
      ? { kind: 'deny', code: 'denied', reason: 'too much' }
      : { ...ask, ...(Number(n) > 100 ? large : {}) },
});

describe('a yes that comes after', () => {
  const denies: Guard = {
    ...{ name: 'new', kinds: ['call'] },
    judge: () => ({ kind: 'deny', code: 'denied', reason: 'by a new rule' }),
  };
  test.each<[string, (world: World) => void, string]>([
    ['the caller’s key was revoked', (world) => (world.isCurrent = false), 'withdrawn'],
    ['a rule came that denies', (world) => (world.guards = [...guards, denies]), 'by a new rule'],
    [
      'a rule came that asks, too',
      (world) => (world.guards = [...guards, { ...denies, judge: () => ask }]),
      'The rules changed while a person was asked.',
    ],
  ])('%s is worth nothing', async (_, meanwhile, reason) => {
    const { decision, spend } = await waitForYes(meanwhile);
    expect(decision.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining(reason) });
    expect(spend).toBeUndefined();
  });
});

describe.each([
  ['a guard that wants two people', { people: 2 }, {}],
  ['an effect that needs two people', { classes: ['pay'] }, { twoPerson: ['pay'] }],
] as const)('arguments that one person changed are judged anew, by %s', (_, large, settings) => {
  const changed = async (n: number) => {
    const desk = await openDesk(settings);
    desk.world.guards = [byAmount(large)];
    const settling = desk.settle({ n: 1 });
    await desk.allow({ arguments: { n } });
    return settling;
  };

  test('one person’s yes is enough for what one may allow', async () => {
    const { decision, spend } = await changed(100);
    expect(decision).toMatchObject({ verdict: { kind: 'allow' }, rewritten: { n: 100 } });
    expect(await spend?.()).toBe(true);
  });

  test.each([
    [101, 'With these arguments two people must allow the call.'],
    [1_001, 'too much'],
  ])('it is not for %d', async (n, reason) => {
    const { decision, spend } = await changed(n);
    expect(decision.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining(reason) });
    expect(spend).toBeUndefined();
  });

  test('two people’s is', async () => {
    const desk = await openDesk(settings);
    desk.world.guards = [byAmount(large)];
    const settling = desk.settle({ n: 101 });
    await desk.allow({ arguments: { n: 102 }, by: 'key:ann', person: 'ann' });
    await desk.allow({ arguments: { n: 102 }, by: 'key:bob', person: 'bob' });
    expect((await settling).decision).toMatchObject({ verdict: { kind: 'allow' }, rewritten: { n: 102 } });
  });
});

describe('a standing grant', () => {
  const RULES = { approvals: { ...NO_APPROVAL_RULES, asks: ['sample/pay'] }, taint: { mode: 'ask' } };
  const others = (...servers: [string, object][]) => ({
    servers: new Map([['sample', { command: 'sample' }], ...servers]),
  });
  const rules = (approvals: object) => ({ ...RULES, approvals: { ...RULES.approvals, ...approvals } });

  test.each<[string, Snapshot, 'allow' | 'ask']>([
    ['nothing changed', toSnapshot({ command: 'sample' }, RULES), 'allow'],
    ['another program stands behind the server', toSnapshot({ command: 'another' }, RULES), 'ask'],
    [
      'the server is not there any more',
      { ...toSnapshot({}, RULES), servers: new Map() } as unknown as Snapshot,
      'ask',
    ],
    ['a section of rules changed', toSnapshot({ command: 'sample' }, { ...RULES, taint: { mode: 'deny' } }), 'ask'],
    ['another tool is asked about', toSnapshot({ command: 'sample' }, rules({ asks: ['sample/*'] })), 'ask'],
    ['two people are needed', toSnapshot({ command: 'sample' }, rules({ twoPerson: ['any'] })), 'ask'],
    ['callers may not answer', toSnapshot({ command: 'sample' }, rules({ selfApproval: false })), 'ask'],
    ['people are asked for longer', toSnapshot({ command: 'sample' }, rules({ ttlMs: 7_000 })), 'allow'],
    ['another server came', { ...toSnapshot({}, RULES), ...others(['b', {}]) } as unknown as Snapshot, 'allow'],
    [
      'it listens elsewhere',
      toSnapshot({ command: 'sample' }, { ...RULES, gateway: { port: 1 }, telemetry: {}, version: 9 }),
      'allow',
    ],
  ])('where %s', async (_, snapshot, kind) => {
    const desk = await openDesk({ waitMs: 0 });
    desk.world.snapshot = toSnapshot({ command: 'sample' }, RULES);
    await desk.settle({ n: 1 });
    await desk.allow({ scope: 'always' });
    desk.world.snapshot = snapshot;
    expect((await desk.settle({ n: 1 })).decision.verdict.kind).toBe(kind);
    expect((await desk.settle({ n: 2 })).decision.verdict.kind).toBe('ask');
  });
});

describe('other systems', () => {
  const open = async (isOn: boolean) => {
    const heard: string[] = [];
    const announce: Announce = {
      isOn: () => isOn,
      send: (event) => heard.push(event),
      close: () => heard.push('closed'),
    };
    return { heard, announce, ...(await openDesk({ waitMs: 0 }, announce)) };
  };

  test('are told once of what is asked, and of the answer', async () => {
    const { heard, settle, allow, desk } = await open(true);
    await settle({ n: 1 });
    await settle({ n: 1 });
    expect(heard).toEqual(['asked']);
    await allow();
    expect(heard).toEqual(['asked', 'answered']);
    desk.close();
    expect(heard).toEqual(['asked', 'answered', 'closed']);
  });

  test('are told of answers to what was asked before this process began', async () => {
    const { heard, settle, allow, approvals, announce } = await open(true);
    await settle({ n: 1 });
    const later = new ApprovalDesk({ approvals, announce, clock: systemClock, log: silentLog } as never);
    await later.resume();
    await allow();
    const [answered] = await approvals.list();
    if (answered !== undefined) later.heard(answered);
    expect(heard).toEqual(['asked', 'answered', 'answered']);
    later.close();
  });

  test('are told of nothing while they are off', async () => {
    const { heard, settle, allow, desk } = await open(false);
    await settle({ n: 1 });
    await desk.resume();
    await allow();
    expect(heard).toEqual([]);
  });
});

test('a call that waits and is cancelled is not answered as denied', async () => {
  const desk = await openDesk();
  const call = toCall({ body: { n: 1 } });
  const exchange = { client: call.client, cancelled: false, onCancel: undefined as (() => void) | undefined };
  const inbound = { exchange, snapshot: desk.world.snapshot } as unknown as Inbound;
  const settling = desk.desk.settle(await inspect(guards, call), call, inbound);
  await expect.poll(() => exchange.onCancel).toBeDefined();
  exchange.cancelled = true;
  exchange.onCancel?.();
  await expect(settling).rejects.toMatchObject({ code: 'cancelled', message: 'The client cancelled the request.' });
});

test('what a person denied is denied, with their words', async () => {
  const { desk, settle, approvals } = await openDesk({ waitMs: 0 });
  await settle({ n: 1 });
  const [waiting] = await approvals.list({ state: 'waiting' });
  const by = { by: 'os:someone', via: 'command', at: systemClock.now() } as const;
  await desk.answer(waiting?.id ?? '', { kind: 'deny', message: 'not on a Friday', ...by });
  const { decision, spend, approvalId } = await settle({ n: 1 });
  expect(decision).toMatchObject({
    verdict: { kind: 'deny', reason: expect.stringContaining('not on a Friday') },
    guard: 'approval',
  });
  expect([spend, approvalId]).toEqual([undefined, waiting?.id]);
});

test('what is no body of a message can be allowed or denied, and not changed', async () => {
  const about: Guard = {
    ...{ name: 'names', kinds: ['call'] },
    judge: () => ({ ...ask, about: { host: 'a.example' } }),
  };
  const answer = async (given: Allowed) => {
    const desk = await openDesk();
    desk.world.guards = [about];
    const settling = desk.settle({ n: 1 });
    await desk.allow(given);
    return (await settling).decision;
  };
  expect(await answer({})).toMatchObject({ verdict: { kind: 'allow' }, rewritten: undefined });
  expect((await answer({ arguments: { host: 'b.example' } })).verdict).toMatchObject({
    ...{ kind: 'deny', reason: expect.stringContaining('cannot be done here') },
  });
});

test.each([
  [{}, 'A person must allow this call before it runs. a person has to look'],
  [{ twoPerson: ['any'] as const }, 'Two people must allow this call before it runs.'],
])('with %j the caller is told who is waited for', async (settings, text) => {
  const { settle } = await openDesk({ waitMs: 0, ...settings });
  const { decision, approvalId } = await settle({ n: 1 });
  expect(decision.verdict).toMatchObject({ kind: 'ask', reason: expect.stringContaining(text) });
  expect(decision.verdict).toMatchObject({ reason: expect.stringContaining(`Approval ${approvalId} waits for`) });
});

test('after the first of two people one more is waited for', async () => {
  const { settle, allow } = await openDesk({ waitMs: 0, twoPerson: ['any'] });
  await settle({ n: 1 });
  await allow({ by: 'key:ann', person: 'ann' });
  expect((await settle({ n: 1 })).decision.verdict).toMatchObject({
    reason: expect.stringContaining('One more person'),
  });
});

test('a call that has waited long enough is followed no longer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const waiting = { id: 'ap_1', state: 'waiting', needed: 1, answers: [], reasons: [], expiresAt: Date.now() + 60_000 };
  const approvals = {
    open: async () => ({ approval: waiting, isNew: true }),
    get: async () => waiting,
    changedSince: async () => {
      looks++;
      return [];
    },
  };
  const desk = new ApprovalDesk({
    ...{ approvals, grants: { find: async () => undefined }, clock: systemClock, log: silentLog },
    ...{ settings: () => ({ ...NO_APPROVAL_RULES, waitMs: 500, elicit: false }), guards: () => guards },
    hiding: () => ({ key: Buffer.alloc(32) }),
  } as never);
  const call = toCall({ body: { n: 1 } });
  const exchange = { client: call.client, cancelled: false, onCancel: undefined };
  const inbound = { exchange, snapshot: toSnapshot({}) } as unknown as Inbound;
  const settling = desk.settle(await inspect(guards, call), call, inbound);
  await vi.advanceTimersByTimeAsync(500);
  expect((await settling).decision.verdict.kind).toBe('ask');
  expect(exchange.onCancel).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  const before = looks;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([before > 0, looks]).toEqual([true, before]);
});
