import { describe, expect, test } from 'vitest';
import { openSampleControl } from '../../test/sample-control.ts';
import { SAMPLE_TEXTS } from '../../test/sample-texts.ts';
import { waitFor } from '../../test/wait-for.ts';
import type { Definition, Sighting } from '../catalog/pins/pin.ts';
import { systemClock } from '../core/clock.ts';
import type { Approval, Asked } from '../guard/approve/approval.ts';
import { toDigest } from '../guard/approve/digest.ts';
import { createApprovalStore } from '../storage/approvals.ts';
import { createGrantStore } from '../storage/grants.ts';
import { createPinStore } from '../storage/pins.ts';
import { createApprovalFeed } from './approval-feed.ts';
import { approvalRoutes } from './approval-routes.ts';
import { driftRoutes } from './drift-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { isEventFeed, type Route } from './route.ts';

const GIVEN = { to: 'ann', password: 'hunter2' };

const asked = (more: Partial<Asked> = {}): Asked => ({
  callId: 'c1',
  run: 'r',
  principal: 'key:agent',
  client: 'test',
  upstream: 'bank',
  tool: 'pay',
  toolDigest: 'd',
  arguments: GIVEN,
  argumentsDigest: toDigest(GIVEN),
  policyVersion: 'v',
  reasons: [{ guard: 'policy', reason: 'pays hunter2' }],
  classes: ['pay'],
  needed: 1,
  ...more,
});

/** Approvals, grants, health and drift over a real database; one call waits. */
async function open() {
  const heard: Approval[] = [];
  const recording = { mode: 'strict', trouble: undefined as string | undefined };
  let routes: readonly Route[] = [];
  const control = await openSampleControl((ports) => {
    const more = {
      ...ports,
      heard: (approval: Approval) => heard.push(approval),
      recording: () => ({ ...recording, isPublished: true }),
      version: '1',
      upstreams: { status: () => ({ state: 'ready', lastError: undefined }) },
    } as unknown as typeof ports;
    routes = [...approvalRoutes(more), ...grantRoutes(more), ...healthRoutes(more), ...driftRoutes(more)];
    return routes;
  });
  const approvals = createApprovalStore(control.database, systemClock, SAMPLE_TEXTS);
  const { approval } = await approvals.open(asked(), { ttlMs: 60_000, callerMayAnswer: true });
  /** What a stream tells. */
  const follow = async (id: string, role: 'viewer' | 'operator' = 'viewer') => {
    const route = routes.find((one) => one.id === id);
    const request = {
      principal: { id: 'x', kind: 'key', groups: [] },
      role,
      path: new Map(),
      query: new URLSearchParams(),
    };
    const feed = await route?.handle({ ...request, body: undefined } as never);
    if (feed === undefined || !isEventFeed(feed)) throw new Error(`${id} is no stream`);
    const told: [string, unknown][] = [];
    const stop = feed.follow((event, data) => told.push([event, data]));
    return { told, stop };
  };
  return {
    ...control,
    approvals,
    grants: createGrantStore(control.database, systemClock, SAMPLE_TEXTS),
    approval,
    heard,
    recording,
    follow,
  };
}

describe('answers', () => {
  test('stand in the record before they count, and reach calls that wait', async () => {
    const { ask, approval, notes, heard, grants } = await open();
    expect(await ask('operator', `POST /approvals/${approval.id}/allow`, {})).toMatchObject({
      status: 200,
      value: { state: 'allowed' },
    });
    expect(notes).toEqual([
      expect.objectContaining({
        kind: 'approval_answer',
        by: 'key:operator',
        answer: 'allow',
        scope: 'once',
        upstream: 'bank',
      }),
    ]);
    expect(JSON.stringify(notes)).not.toContain('hunter2');
    expect(heard).toMatchObject([{ id: approval.id, state: 'allowed' }]);
    expect(await grants.list()).toHaveLength(1);
  });

  test('that cannot be recorded are not taken; what would be refused is not recorded', async () => {
    const { ask, approval, approvals, notes, audit, grants, heard } = await open();
    audit.fails = true;
    expect(await ask('operator', `POST /approvals/${approval.id}/allow`, {})).toMatchObject({ status: 503 });
    expect(await approvals.get(approval.id)).toMatchObject({ state: 'waiting', answers: [] });
    expect(await grants.list()).toEqual([]);
    audit.fails = false;
    await ask('operator', `POST /approvals/${approval.id}/deny`, { message: 'No' });
    expect(await ask('operator', `POST /approvals/${approval.id}/allow`, {})).toMatchObject({ status: 409 });
    expect(await ask('operator', 'POST /approvals/ap_none/allow', {})).toMatchObject({ status: 404 });
    expect(await ask('operator', `POST /approvals/${approval.id}/allow`, { arguments: [1] })).toMatchObject({
      status: 422,
    });
    expect(notes).toHaveLength(1);
    expect(heard).toHaveLength(1);
  });

  test.each([{}, { scope: 'once' }])('for a pattern say for how long: %j does not', async (given) => {
    const { ask, approval, grants, notes } = await open();
    expect(await ask('operator', `POST /approvals/${approval.id}/allow`, { ...given, pattern: 'any' })).toMatchObject({
      status: 400,
      value: { detail: expect.stringContaining('Write the scope run (until the conversation ends) or always') },
    });
    expect(await grants.list()).toEqual([]);
    expect(notes).toEqual([]);
  });

  test('are for operators; so are grants', async () => {
    const { ask, approval, grants, notes, audit } = await open();
    for (const line of [`POST /approvals/${approval.id}/allow`, `POST /approvals/${approval.id}/deny`])
      expect(await ask('viewer', line, {})).toMatchObject({ status: 403 });
    await ask('operator', `POST /approvals/${approval.id}/allow`, {
      scope: 'always',
      pattern: { to: '*', password: '*' },
    });
    const [grant] = await grants.list();
    const line = `DELETE /grants/${grant?.id}`;
    expect(await ask('viewer', line)).toMatchObject({ status: 403 });
    audit.fails = true;
    expect(await ask('operator', line)).toMatchObject({ status: 503 });
    expect(await grants.list()).toHaveLength(1);
    audit.fails = false;
    expect(await ask('operator', line)).toMatchObject({ status: 200, value: { revoked: true } });
    expect(await ask('operator', line)).toMatchObject({ status: 404 });
    expect(notes.map(({ kind }) => kind)).toEqual(['approval_answer', 'grant_revoke']);
  });
});

describe('viewers', () => {
  test('see names and digests, in lists, alone, in grants and in events', async () => {
    const { ask, approval, follow } = await open();
    const { told, stop } = await follow('followApprovals');
    await waitFor(() => expect(told).toHaveLength(1));
    await ask('operator', `POST /approvals/${approval.id}/allow`, {
      arguments: { to: 'bob', password: 'hunter2' },
    });
    await waitFor(() => expect(told.map(([event]) => event)).toEqual(['asked', 'allowed']));
    stop();
    const seen = [
      await ask('viewer', 'GET /approvals'),
      await ask('viewer', `GET /approvals/${approval.id}`),
      await ask('viewer', 'GET /grants'),
      told,
    ];
    expect(seen[1]).toMatchObject({ value: { argumentNames: ['to', 'password'], reasons: [{ guard: 'policy' }] } });
    expect(JSON.stringify(seen)).not.toContain('hunter2');
    // Short secrets are guessed from a plain digest.
    expect(JSON.stringify(seen)).not.toContain(toDigest(GIVEN));
    expect(JSON.stringify(await ask('operator', `GET /approvals/${approval.id}`))).toContain('hunter2');
  });
});

test('a stream tells of what waits, then of each change once, and not of what was over before', async () => {
  const { approvals, approval } = await open();
  const feed = createApprovalFeed(async () => approvals, systemClock);
  const told: string[] = [];
  const stop = feed.follow((event, { id }) => told.push(`${event} ${id === approval.id}`));
  await waitFor(() => expect(told).toEqual(['asked true']));
  const other = asked({ argumentsDigest: 'other', needed: 2 });
  const { approval: second } = await approvals.open(other, { ttlMs: 60_000, callerMayAnswer: true });
  await waitFor(() => expect(told).toHaveLength(2));
  const allow = { kind: 'allow', scope: 'once', via: 'api' } as const;
  await approvals.answer(second.id, { ...allow, by: 'key:1', at: Date.now() });
  await waitFor(() => expect(told.at(-1)).toBe('noted false'));
  await approvals.answer(second.id, { ...allow, by: 'key:2', at: Date.now() });
  await waitFor(() => expect(told).toEqual(['asked true', 'asked false', 'noted false', 'allowed false']));
  stop();
  const late: string[] = [];
  const stopLate = feed.follow((event, { id }) => late.push(`${event} ${id === approval.id}`));
  await waitFor(() => expect(late).toEqual(['asked true']));
  stopLate();
});

test('health says what is wrong, and tells when it changes', async () => {
  const { ask, recording, follow } = await open();
  expect(await ask('viewer', 'GET /health')).toMatchObject({
    status: 200,
    value: { ok: true, audit: { mode: 'strict', trouble: null }, pinsWaiting: 0, approvalsWaiting: 1 },
  });
  const { told, stop } = await follow('followHealth');
  await waitFor(() => expect(told).toHaveLength(1));
  recording.trouble = 'the disk is full';
  await waitFor(() => expect(told).toHaveLength(2));
  stop();
  expect(told[1]).toMatchObject(['health', { ok: false, audit: { trouble: 'the disk is full' } }]);
});

test('drift tells of every definition that waits, then of changes and decisions', async () => {
  const { database, follow } = await open();
  const pins = createPinStore(database, 'none');
  const define = (text: string): Definition => ({
    digest: text.repeat(64).slice(0, 64),
    content: '00',
    text: `"${text}"`,
  });
  const sighting = (name: string, text: string): Sighting => ({
    ...{ server: 'git', kind: 'tools', name, approve: false },
    definition: define(text),
    renamedFrom: undefined,
  });
  await pins.keep([sighting('read', 'a')], '2026-01-01T00:00:00.000Z');
  const { told, stop } = await follow('followDrift');
  await waitFor(() => expect(told).toMatchObject([['held', { item: 'tools/read', state: 'new' }]]));
  await pins.keep([sighting('write', 'b')], '2026-01-01T00:00:01.000Z');
  await waitFor(() => expect(told).toHaveLength(2));
  const { digest } = define('a');
  const decision = { server: 'git', kind: 'tools', name: 'read', digest, decision: 'approve', by: 'ann' } as const;
  await pins.decide([decision], '2026-01-01T00:00:02.000Z');
  await waitFor(() => expect(told).toHaveLength(3));
  stop();
  expect(told[2]).toMatchObject(['decided', { item: 'tools/read', state: 'approved' }]);
});
