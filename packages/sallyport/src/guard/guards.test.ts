import { afterAll, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { createChecker } from '../../test/schema-checker.ts';
import type { ArgumentSafetySettings } from '../config/argument-safety-section.ts';
import { DEFAULT_SCAN } from '../config/scan-section.ts';
import { inspectRequest, inspectResult, needsResult } from './guard.ts';
import { createGuards } from './guards.ts';
import { policy } from './policy.ts';
import { rateLimit } from './rate-limit.ts';

const checker = createChecker();
afterAll(() => checker.close());

test('the order of the doors', () => {
  expect(createGuards({ checker }).map(({ name }) => name)).toEqual([
    'size-and-shape',
    'visibility',
    'argument-schema',
    'result-schema',
  ]);
});

test('a simple call passes synchronously once its schema is known', async () => {
  const guards = createGuards({ checker });
  const call = toCall({
    tool: toTool({ name: 'echo', inputSchema: { properties: { text: { type: 'string' } } } }),
    arguments: { text: 'x' },
  });
  await inspectRequest(guards, call);
  expect(inspectRequest(guards, call)).toMatchObject({ verdict: { kind: 'allow' } });
});

test('a call that shows what its schema costs is stopped, and the next one is served', async () => {
  const guards = createGuards({ checker });
  const tool = toTool({ name: 'slow', inputSchema: { properties: { text: { pattern: '^(x+)+$' } } } });
  const first = await inspectRequest(guards, toCall({ tool, arguments: { text: `${'x'.repeat(40)}!` } }));
  expect(first).toMatchObject({ guard: 'argument-schema', verdict: { kind: 'deny', code: 'denied' } });
  const second = await inspectRequest(guards, toCall({ tool, arguments: { text: 'x' } }));
  expect(second).toMatchObject({ verdict: { kind: 'allow' } });
});

test('limits of the snapshot are the limits of the door', () => {
  const guards = createGuards({ checker, limits: () => ({ bodyBytes: 10, depth: 1 }) });
  expect(inspectRequest(guards, toCall({ bytes: 11 }))).toMatchObject({ verdict: { code: 'too_large' } });
});

test('every guard decides by the snapshot of the call, in both doors', async () => {
  const asked: [string, unknown][] = [];
  const of =
    <Settings>(name: string, settings: Settings) =>
    (snapshot?: unknown): Settings => {
      asked.push([name, snapshot]);
      return settings;
    };
  const nothing = () => undefined as never;
  const guards = createGuards({
    checker,
    limits: of('limits', { bodyBytes: 1_000, depth: 9 }),
    rateLimit: rateLimit({ limits: of('rate', { rules: [], quotas: [] }), rates: nothing(), quotas: nothing() }),
    plan: {
      ...{ settings: of('plan', undefined), plans: nothing(), handles: nothing() },
      ...{ hasReadUntrusted: nothing, now: () => 0 },
    },
    argumentSafety: { settings: of('safety', { enabled: false } as ArgumentSafetySettings) },
    secrets: { settings: of('secrets', undefined), vault: nothing() },
    bindings: {
      bindings: of('bindings', []),
      access: (_, snapshot) => of('access', undefined)(snapshot),
    },
    sinks: of('sinks', undefined),
    taint: { settings: of('taint', undefined), memory: nothing(), printer: nothing(), sinksOf: () => [] },
    policy: policy({ engine: of('policy', undefined), mode: of('mode', 'enforce') }),
    asks: of('asks', []),
    scan: { settings: of('scan', DEFAULT_SCAN), hostOf: (_, snapshot) => of('host', undefined)(snapshot) },
  });
  const call = toCall();
  expect(await inspectRequest(guards, call)).toMatchObject({ verdict: { kind: 'allow' } });
  needsResult(guards, call);
  await inspectResult(guards, call, { content: [{ type: 'text', text: 'x' }] });
  const names = [
    'limits',
    'rate',
    'plan',
    'safety',
    'secrets',
    'bindings',
    'access',
    'sinks',
    'taint',
    'policy',
    'asks',
  ];
  expect([...new Set(asked.map(([name]) => name))]).toEqual(expect.arrayContaining([...names, 'scan', 'host']));
  expect(asked.filter(([, snapshot]) => snapshot !== call.snapshot)).toEqual([]);
});
