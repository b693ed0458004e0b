import { afterAll, expect, test } from 'vitest';
import { toCall, toResult, toTool } from '../../test/sample-call.ts';
import { openGuards } from '../../test/sample-guards.ts';
import { createChecker } from '../../test/schema-checker.ts';
import { KINDS } from '../core/envelope.ts';
import { createChains, type Guard, inspect } from './guard.ts';
import { createGuards, type GuardPorts } from './guards.ts';

const checker = createChecker();
afterAll(() => checker.close());

function callGuards(closed: Partial<GuardPorts> = {}) {
  return createChains(createGuards(openGuards(checker, closed)))('call', toCall().snapshot).guards;
}

test('the order of the doors', () => {
  const kindsOf = ({ kinds }: Guard) => (kinds.length === 1 ? kinds[0] : kinds.length);
  expect(createGuards(openGuards(checker)).map((one) => [one.name, kindsOf(one)])).toEqual([
    ['size-and-shape', 5],
    ['rate-limit', 8],
    ['visibility', 'call'],
    ['pin', 'call'],
    ['plan', 7],
    ['argument-schema', 2],
    ['argument-safety', 8],
    ['bindings', 'call'],
    ['own-keys', 9],
    ['secrets-masked', 9],
    ['secrets', 9],
    ['taint', 9],
    ['policy', 7],
    ['reach', 4],
    ['sink-floor', 'call'],
    ['asks', 'call'],
    ['resources', 2],
    ['resources', 2],
    ['result-schema', 'result'],
    ['page-pin', 'contents'],
    ['handles', 10],
    ['elicitation', 3],
    ['scan-result', 6],
    ['secrets-in-result', 5],
    ['taint-labels', 5],
    ['sampling', 'server_request'],
  ]);
});

test('every kind of message is judged by some guard', () => {
  const judged = new Set(createGuards(openGuards(checker)).flatMap(({ kinds }) => kinds));
  expect([...judged].sort()).toEqual(Object.keys(KINDS).sort());
});

test('a simple call passes synchronously once its schema is known', async () => {
  const guards = callGuards();
  const call = toCall({
    tool: toTool({ name: 'echo', inputSchema: { properties: { text: { type: 'string' } } } }),
    body: { text: 'x' },
  });
  await inspect(guards, call);
  expect(inspect(guards, call)).toMatchObject({ verdict: { kind: 'allow' } });
});

test('a call that shows what its schema costs is stopped, and the next one is served', async () => {
  const guards = callGuards();
  const tool = toTool({ name: 'slow', inputSchema: { properties: { text: { pattern: '^(x+)+$' } } } });
  const first = await inspect(guards, toCall({ tool, body: { text: `${'x'.repeat(40)}!` } }));
  expect(first).toMatchObject({ guard: 'argument-schema', verdict: { kind: 'deny', code: 'denied' } });
  const second = await inspect(guards, toCall({ tool, body: { text: 'x' } }));
  expect(second).toMatchObject({ verdict: { kind: 'allow' } });
});

test('limits of the snapshot are the limits of the door', () => {
  const guards = callGuards({ limits: () => ({ bodyBytes: 10, depth: 1 }) });
  expect(inspect(guards, toCall({ bytes: 11 }))).toMatchObject({ verdict: { code: 'too_large' } });
});

test('every guard decides by the snapshot of its message, in both directions', async () => {
  const asked: [string, unknown][] = [];
  const { snapshot } = toCall();
  const watched = <Ports extends object>(ports: Ports, path = ''): Ports =>
    Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [
        name,
        typeof port === 'function' && SETTINGS.has(name)
          ? (...given: unknown[]) => {
              asked.push([`${path}${name}`, given.includes(snapshot)]);
              return port(...given);
            }
          : PORTS.has(name)
            ? watched(port, `${name}.`)
            : port,
      ]),
    ) as Ports;
  const chains = createChains(createGuards(watched(openGuards(checker))));
  const call = toCall({ tool: toTool({ name: 'echo', outputSchema: {} }) });
  expect(await inspect(chains('call', snapshot).guards, call)).toMatchObject({ verdict: { kind: 'allow' } });
  const result = toResult(call, { content: [{ type: 'text', text: 'x' }], structuredContent: {} });
  expect(await inspect(chains('result', snapshot).guards, result)).toMatchObject({ verdict: { kind: 'allow' } });
  expect([...new Set(asked.map(([name]) => name))]).toEqual(
    expect.arrayContaining([
      ...[
        'limits',
        'rateLimit.limits',
        'plan.settings',
        'argumentSafety.settings',
        'bindings.bindings',
        'secrets.settings',
      ],
      ...['taint.settings', 'policy.engine', 'sinks', 'asks', 'scan.settings'],
    ]),
  );
  expect(asked.filter(([, isOfCall]) => isOfCall !== true)).toEqual([]);
});

/** Members of the ports that read settings, and those that hold such members. */
const SETTINGS = new Set([
  'limits',
  'settings',
  'bindings',
  'access',
  'engine',
  'mode',
  'sinks',
  'asks',
  'sampling',
  'unvalidated',
]);
const PORTS = new Set([
  'rateLimit',
  'plan',
  'argumentSafety',
  'bindings',
  'secrets',
  'taint',
  'policy',
  'scan',
  'resources',
]);
