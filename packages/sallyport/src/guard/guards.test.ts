import { afterAll, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { createChecker } from '../../test/schema-checker.ts';
import { inspectRequest } from './guard.ts';
import { createGuards } from './guards.ts';

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
