import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSnapshot } from '../config/load-snapshot.ts';
import type { Snapshot } from '../config/settings.ts';
import type { JsonObject } from '../core/json.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../storage/database.ts';
import { createApi } from './api.ts';
import { policyRoutes } from './policy-routes.ts';
import type { ControlPorts } from './ports.ts';
import type { Role } from './route.ts';

const ALL = '@id("all") permit(principal, action, resource);\n';
const FORBID = `${ALL}@id("no") @reason("No.") forbid(principal, action == Action::"call", resource in Server::"bank");`;
const LIMIT = `${ALL}@id("limit") forbid(principal, action == Action::"call", resource) when { context.arguments has n && context.arguments.n > 1 };`;

const ROLES: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['viewer'],
  operator: ['operator'],
  admin: ['admin'],
};

function snapshotOf(texts: Readonly<Record<string, string>>, policy: JsonObject): Snapshot {
  return loadSnapshot({
    text: JSON.stringify({ mcpServers: { bank: { url: 'http://127.0.0.1:9/mcp' } }, policy }),
    file: '/home/you/sallyport.json',
    env: {},
    stateDir: '/tmp/state',
    version: 1,
    readText: (path) => texts[path.split('/').at(-1) ?? ''] ?? '',
  });
}

/** The routes over a configuration and the calls of an audit. */
async function open(records: readonly JsonObject[] = [], text = ALL, policy: JsonObject = { files: ['p.cedar'] }) {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.destroy());
  const snapshot = snapshotOf({ 'p.cedar': text, 'c.cedar': FORBID.replace(ALL, '') }, policy);
  const ports = {
    clock: { now: () => Date.UTC(2026, 0, 8, 12) },
    snapshot: () => snapshot,
    database: async () => database,
    recordedCalls: async ({ callId }: { callId?: string }) => ({
      items: records.filter((one) => callId === undefined || one['callId'] === callId),
      next: undefined,
    }),
  } as unknown as ControlPorts; // what policies need of it
  const api = createApi({ routes: policyRoutes(ports), version: '0', log: silentLog, roles: () => ROLES });
  return async (method: string, path: string, { body, role = 'admin' }: { body?: unknown; role?: string } = {}) => {
    const reply = await api.handle({
      method,
      path: `/api/v1${path}`,
      query: '',
      principal: { id: 'key:1', kind: 'key', groups: [role] },
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(body ?? {})),
    });
    if (reply.kind !== 'whole') throw new Error('an answer was expected');
    return { status: reply.status, body: JSON.parse(reply.body) as Record<string, never> };
  };
}

const RECORD: JsonObject = {
  callId: 'c1',
  time: '2026-01-08T12:00:00.000Z',
  method: 'tools/call',
  principal: { id: 'key:1', kind: 'key' },
  client: { name: 'test', version: '1' },
  upstream: 'bank',
  tool: 'pay',
  rights: { groups: ['finance'] },
  arguments: 'digest',
  outcome: 'ok',
};

describe('roles', () => {
  test.each([
    ['GET', '/policies', 'viewer'],
    ['POST', '/policies/check', 'viewer'],
    ['POST', '/policies/test', 'viewer'],
    ['GET', '/policies/decisions', 'viewer'],
    ['GET', '/policies/why/c1', 'viewer'],
    ['POST', '/policies/shadow', 'operator'],
  ])('%s %s needs %s', async (method, path, needed) => {
    const ask = await open([RECORD]);
    expect((await ask(method, path, { role: 'nobody' })).status).toBe(403);
    if (needed === 'operator') expect((await ask(method, path, { role: 'viewer' })).status).toBe(403);
    expect((await ask(method, path, { role: needed, body: { tool: 'bank/pay' } })).status).toBe(200);
  });
});

describe('what is in force', () => {
  test('sources with digests, policies, candidates', async () => {
    const ask = await open([], ALL, { files: ['p.cedar'], shadow: ['c.cedar'] });
    expect((await ask('GET', '/policies')).body).toMatchObject({
      mode: 'enforce',
      sources: [
        { file: 'p.cedar', use: 'file', text: ALL, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { file: 'c.cedar', use: 'shadow' },
      ],
      policies: [{ id: 'all', effect: 'permit', server: null, reads: [] }],
      candidates: [{ id: 'no', effect: 'forbid', server: 'bank' }],
    });
  });

  test('a text with problems is told with all of them', async () => {
    const ask = await open();
    const files = [{ file: 'x.cedar', text: 'permit(principal, action, resource in Server::"bnak");\npermit(' }];
    const { status, body } = await ask('POST', '/policies/check', { body: { policies: { files } } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ policies: [], problems: [{ file: 'x.cedar', line: 2 }] });
    const good = [{ file: 'x.cedar', text: FORBID }];
    expect((await ask('POST', '/policies/check', { body: { policies: { files: good } } })).body).toMatchObject({
      problems: [],
      sources: ['x.cedar'],
      policies: [{ id: 'all' }, { id: 'no' }],
    });
  });
});

describe('a call that nobody makes', () => {
  test.each<[string, unknown, unknown]>([
    ['permitted', { tool: 'bank/pay' }, { effect: 'allow', visible: true, policies: [{ id: 'all' }] }],
    ['denied by an argument', { tool: 'bank/pay', arguments: { n: 2 } }, { effect: 'deny', visible: true }],
    ['a resource', { resource: 'bank/file:///a' }, { effect: 'allow' }],
    ['a prompt', { prompt: 'bank/greet' }, { effect: 'allow' }],
    ['a starter set', { tool: 'bank/pay', policies: { set: 'locked' } }, { effect: 'deny', visible: false }],
    [
      'an effect',
      {
        tool: 'bank/pay',
        sinks: ['pay'],
        policies: { set: 'team' },
        principal: { groups: ['writers'] },
      },
      { effect: 'ask', policies: [{ id: 'team:ask' }] },
    ],
  ])('%s', async (_, body, expected) => {
    const ask = await open([], LIMIT);
    expect(await ask('POST', '/policies/test', { body })).toMatchObject({ status: 200, body: expected });
  });

  test.each<[string, unknown]>([
    ['nothing named', {}],
    ['two things named', { tool: 'bank/pay', prompt: 'bank/greet' }],
    ['no server', { tool: 'pay' }],
    ['an unknown effect', { tool: 'bank/pay', sinks: ['steal'] }],
    ['an unknown hint', { tool: 'bank/pay', hints: { harmless: true } }],
    ['an unknown kind', { tool: 'bank/pay', principal: { kind: 'ghost' } }],
    ['groups as a text', { tool: 'bank/pay', principal: { groups: 'admin' } }],
    ['arguments as a list', { tool: 'bank/pay', arguments: [1] }],
    ['no time', { tool: 'bank/pay', time: 'soon' }],
    ['an unknown set', { tool: 'bank/pay', policies: { set: 'lax' } }],
    ['a file without text', { tool: 'bank/pay', policies: { files: [{ file: 'a' }] } }],
  ])('refused: %s', async (_, body) => {
    const ask = await open();
    expect([400, 422]).toContain((await ask('POST', '/policies/test', { body })).status);
  });
});

describe('recorded calls under other policies', () => {
  const shadow = async (records: readonly JsonObject[], text: string) => {
    const ask = await open(records);
    const files = [{ file: 'x.cedar', text }];
    return (await ask('POST', '/policies/shadow', { body: { policies: { files } } })).body as unknown;
  };
  const denied = { outcome: 'denied', guard: 'policy', policy: { effect: 'deny', policies: ['x'], version: 'v' } };
  test.each<[string, JsonObject, string, unknown]>([
    ['the same', {}, ALL, { same: 1, changed: 0 }],
    ['denied now', {}, FORBID, { changed: 1, changes: [{ did: 'allow', would: 'deny', policies: ['no'] }] }],
    ['permitted now', denied, ALL, { changed: 1, changes: [{ did: 'deny', would: 'allow' }] }],
    ['noted and not carried out', { ...denied, outcome: 'ok', policyMode: 'shadow' }, ALL, { same: 1 }],
    ['arguments that are not kept', {}, LIMIT, { same: 0, unknown: { arguments: 1, policies: ['limit'] } }],
    ['arguments that are kept', { argumentsValue: { n: 2 } }, LIMIT, { changed: 1 }],
    ['no arguments', { arguments: undefined as never }, LIMIT, { same: 1 }],
    ['arguments of a refused call', { ...denied, arguments: undefined as never }, LIMIT, { unknown: { arguments: 1 } }],
    ['stopped by another guard', { outcome: 'denied', guard: 'rate-limit' }, FORBID, { unknown: { earlier: 1 } }],
    ['nothing named', { tool: undefined as never }, FORBID, { unknown: { target: 1 } }],
    ['by group', {}, 'permit(principal in Group::"finance", action, resource);', { same: 1 }],
    ['by the group of others', {}, 'permit(principal in Group::"sales", action, resource);', { changed: 1 }],
    [
      'by an approved hint',
      { hints: { readOnlyHint: true } },
      'permit(principal, action, resource) when { resource.readOnly };',
      { same: 1 },
    ],
    [
      'by a hint nobody approved',
      {},
      'permit(principal, action, resource) when { resource.readOnly };',
      { changed: 1 },
    ],
    [
      'by an effect',
      { sinks: ['pay'] },
      `${ALL}forbid(principal, action, resource) when { resource.sinks.contains(Sink::"pay") };`,
      { changed: 1, assumed: { effects: 1 } },
    ],
    [
      'by the time of the call',
      {},
      `${ALL}forbid(principal, action == Action::"call", resource) when { context.time.instant > datetime("2026-01-08T12:00:01Z") };`,
      { same: 1 },
    ],
    [
      'a resource',
      { method: 'resources/read', tool: 'file:///a' },
      `${ALL}forbid(principal, action, resource is Resource);`,
      { changed: 1 },
    ],
    [
      'a prompt whose arguments are not kept',
      { method: 'prompts/get', tool: 'greet' },
      `${ALL}forbid(principal, action == Action::"get", resource) when { context.arguments has who };`,
      { unknown: { arguments: 1 } },
    ],
  ])('%s', async (_, more, text, expected) => {
    expect(await shadow([{ ...RECORD, ...more }], text)).toMatchObject({ calls: 1, ...(expected as object) });
  });

  test('policies that do not pass their checks are refused', async () => {
    const ask = await open([RECORD]);
    const files = [{ file: 'x.cedar', text: 'permit(' }];
    expect((await ask('POST', '/policies/shadow', { body: { policies: { files } } })).status).toBe(422);
    expect((await ask('POST', '/policies/shadow', { body: { limit: 0 } })).status).toBe(422);
    expect((await ask('POST', '/policies/shadow', { body: { since: 'soon' } })).status).toBe(400);
  });
});

describe('why', () => {
  const why = async (more: JsonObject) =>
    (await (await open([{ ...RECORD, ...more }]))('GET', '/policies/why/c1')).body;
  test.each<[string, JsonObject, RegExp]>([
    ['no policies', {}, /^No policies were in force/],
    ['allowed', { policy: { effect: 'allow', policies: ['all'], version: 'v' } }, /^The policies allowed it\.$/],
    [
      'denied',
      { outcome: 'denied', guard: 'policy', policy: { effect: 'deny', policies: [], version: 'v', reason: 'Nope.' } },
      /^The policies denied it: Nope\.$/,
    ],
    [
      'a person agreed',
      { policy: { effect: 'ask', policies: ['all'], version: 'v', reason: 'Sure?' } },
      /^The policies wanted a person to agree \(Sure\?\), who did\.$/,
    ],
    [
      'nobody agreed',
      {
        outcome: 'denied',
        guard: 'approval',
        reason: 'Waiting.',
        policy: { effect: 'ask', policies: [], version: 'v', reason: 'Sure?' },
      },
      /^The policies said ask; the guard "approval" stopped it: Waiting\.$/,
    ],
    [
      'another guard first',
      { outcome: 'denied', guard: 'pin', reason: 'Changed.' },
      /^The guard "pin" stopped it before/,
    ],
    [
      'the result was held',
      {
        outcome: 'denied',
        guard: 'policy',
        policy: { effect: 'allow', policies: [], version: 'v' },
        release: { effect: 'deny', policies: [], version: 'v', reason: 'Stays.' },
      },
      /^The result was held back: Stays\.$/,
    ],
  ])('%s', async (_, more, expected) => expect((await why(more))['explanation']).toMatch(expected));

  test('a policy that was changed since says so; a call nobody knows is not there', async () => {
    expect(await why({ policy: { effect: 'allow', policies: ['all'], version: 'older' } })).toMatchObject({
      policies: [{ id: 'all', isCurrent: false, text: ALL.trim() }],
    });
    const ask = await open();
    expect((await ask('GET', '/policies/why/c1')).status).toBe(404);
  });
});
