import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { loadSnapshot } from './load-snapshot.ts';

const load = (written: object) =>
  loadSnapshot({
    file: undefined,
    text: JSON.stringify({
      mcpServers: { code: { command: 'x' }, 'code.v2': { command: 'y' }, off: { command: 'z', disabled: true } },
      ...written,
    }),
    env: {},
    stateDir: '/tmp/state',
    version: 1,
  });

function problemOf(written: object): string {
  try {
    load(written);
  } catch (error) {
    if (error instanceof FaultError && error.code === 'config') return error.message;
    throw error;
  }
  return '';
}

describe('references', () => {
  test('the longest server name that fits counts', () => {
    const { tools } = load({ bundles: { b: { tools: ['code.v2.read', 'code.read', 'co*.x', 'off.y'] } } }).bundles?.get(
      'b',
    ) ?? {
      tools: [],
    };
    expect(tools.map(({ server, item }) => [server, item])).toEqual([
      ['code.v2', 'read'],
      ['code', 'read'],
      ['co*', 'x'],
      ['off', 'y'],
    ]);
  });

  test.each<[object, RegExp]>([
    [
      { bundles: { b: { tools: ['cods.read'] } } },
      /bundles\.b\.tools\.0: names no server of this file; did you mean "code"\?/,
    ],
    [{ bundles: { b: { tools: ['zz*.read'] } } }, /names no server of this file/],
    [
      {
        bundles: {
          b: {
            tools: [
              { tool: 'code.a', name: 'x' },
              { tool: 'code.v2.b', name: 'x' },
            ],
          },
        },
      },
      /"code\.a" and "code\.v2\.b" would both be "x"; rename one/,
    ],
    [{ bundles: { b: { tools: [{ tool: 'code.*', name: 'x' }] } } }, /gives one name to all that a pattern finds/],
    [{ bundles: { '..': { tools: [] } } }, /bundles/],
    [{ sinks: { floor: { delet: 'ask' } } }, /sinks\.floor/],
    [{ sinks: { overrides: { 'nobody.x': [] } } }, /names no server of this file/],
    [{ bindings: [{ upstream: 'cod', argument: 'repo', attribute: 'repo' }] }, /did you mean "code"\?/],
    [{ bindings: [{ upstream: 'code', argument: '/items/0/repo', attribute: 'repo' }] }, /leave the index out/],
    [{ bindings: [{ upstream: 'code', argument: '/', attribute: 'repo' }] }, /leads to nothing/],
    [{ bindings: [{ upstream: 'code', argument: '/a~2b', attribute: 'repo' }] }, /RFC 6901/],
  ])('%j is a mistake', (written, problem) => {
    expect(problemOf(written)).toMatch(problem);
  });
});

test('what is left out', () => {
  const { bundles, sinks, bindings, servers } = load({});
  expect([bundles?.size, sinks?.floor.size, sinks?.overrides, bindings]).toEqual([0, 0, [], []]);
  expect(servers.get('code')).not.toHaveProperty('access');
});

test('a pointer is a path, and several attributes are a list', () => {
  const [pointer, plain] =
    load({
      bindings: [
        { upstream: 'code', argument: '/target/a~1b/c~0d', attribute: ['repo', 'team'] },
        { upstream: 'code', argument: 'repo', attribute: 'repo' },
      ],
    }).bindings ?? [];
  expect([pointer?.path, pointer?.attributes]).toEqual([
    ['target', 'a/b', 'c~d'],
    ['repo', 'team'],
  ]);
  expect(plain?.attributes).toEqual(['repo']);
});

test('a dotted argument is a path', () => {
  const [dotted, listed] =
    load({
      bindings: [
        { upstream: 'code', argument: 'target.repo', attribute: 'repo' },
        { upstream: 'code', argument: ['a.b'], attribute: 'repo' },
      ],
    }).bindings ?? [];
  expect([dotted?.path, listed?.path]).toEqual([['target', 'repo'], ['a.b']]);
});
