import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import type { BindingSettings, ServerAccess } from '../config/access-settings.ts';
import type { JsonObject } from '../core/json.ts';
import { bindings } from './bindings.ts';
import { inspectRequest } from './guard.ts';

const BINDING: BindingSettings = {
  upstream: 'sample',
  path: ['repo'],
  attribute: 'repo',
  match: 'equal',
  ignoreCase: false,
  tools: undefined,
  writingOnly: true,
};
const SHARED: ServerAccess = {
  allow: { tools: undefined, resources: undefined, prompts: undefined },
  deny: { tools: [], resources: [], prompts: [] },
  groups: undefined,
  shared: true,
  readOnlyTools: ['list_*'],
};

interface Setting {
  readonly name?: string;
  readonly annotations?: JsonObject;
  readonly binding?: Partial<BindingSettings>;
  readonly none?: boolean;
  readonly access?: ServerAccess;
  readonly attributes?: Record<string, string>;
}

function decide(given: JsonObject, setting: Setting = {}) {
  const { name = 'create_issue', annotations = {}, binding = {}, none, access, attributes } = setting;
  const call = toCall({ tool: toTool({ name, annotations, inputSchema: { type: 'object' } }), arguments: given });
  const principal = { ...call.client.principal, attributes: attributes ?? { repo: 'acme/app', root: '/data/acme' } };
  const guard = bindings({
    bindings: () => (none === true ? [] : [{ ...BINDING, ...binding }]),
    access: () => access,
  });
  return inspectRequest([guard], { ...call, client: { ...call.client, principal } });
}

const PATH = { path: ['path'], attribute: 'root', match: 'path' } as const;

describe('attacks', () => {
  test.each<[string, JsonObject, Setting?]>([
    ['another repository', { repo: 'evil/app' }],
    ['one that begins the same', { repo: 'acme/app2' }],
    ['one that ends the same', { repo: 'x/acme/app' }],
    ['another case', { repo: 'Acme/app' }],
    ['none at all', { title: 'x' }],
    ['null', { repo: null }],
    ['an object', { repo: { toString: 'acme/app' } }],
    ['a list with one of another', { repo: ['acme/app', 'evil/app'] }],
    ['an empty list', { repo: [] }],
    ['a space behind', { repo: 'acme/app ' }],
    ['a zero width space', { repo: 'acme/\u200bapp' }],
    ['a full width letter', { repo: 'ａcme/app' }],
    ['a full width letter where case is ignored', { repo: 'ａcme/app' }, { binding: { ignoreCase: true } }],
    [
      'a Kelvin sign where case is ignored',
      { repo: 'ac\u212ae/app' },
      { binding: { ignoreCase: true }, attributes: { repo: 'acke/app' } },
    ],
    ['a caller without the attribute', { repo: 'acme/app' }, { attributes: {} }],
    ['a caller with an empty one', { repo: '' }, { attributes: { repo: '' } }],
    ['an attribute of the prototype', { repo: 'x' }, { binding: { attribute: 'constructor' } }],
    ['an argument of the prototype', { repo: 'x' }, { binding: { path: ['constructor', 'name'] } }],
    [
      'deep, and missing in one of a list',
      { items: [{ repo: 'acme/app' }, {}] },
      { binding: { path: ['items', 'repo'] } },
    ],
    [
      'deep, and another in one of a list',
      { items: [{ repo: 'acme/app' }, { repo: 'b/c' }] },
      { binding: { path: ['items', 'repo'] } },
    ],
    ['a number that is not exact', { repo: 9_007_199_254_740_992 }, { attributes: { repo: '9007199254740992' } }],
    ['path: upwards', { path: '/data/acme/../evil' }, { binding: PATH }],
    ['path: upwards, encoded', { path: '/data/acme/%2e%2e/evil' }, { binding: PATH }],
    ['path: upwards, encoded twice', { path: '/data/acme/%252e%252e/evil' }, { binding: PATH }],
    ['path: upwards with a backslash', { path: '/data/acme/..\\evil' }, { binding: PATH }],
    ['path: upwards in full width', { path: '/data/acme/．．/evil' }, { binding: PATH }],
    ['path: one dot leaders', { path: '/data/acme/\u2024\u2024/evil' }, { binding: PATH }],
    ['path: a name that begins the same', { path: '/data/acme-evil/x' }, { binding: PATH }],
    ['path: another case', { path: '/DATA/acme/x' }, { binding: PATH }],
    ['path: NUL', { path: '/data/acme\0/../evil' }, { binding: PATH }],
    ['path: empty segments', { path: '/data//acme/x' }, { binding: PATH }],
    ['path: dots at the end, as Windows drops them', { path: '/data/acme/.../evil' }, { binding: PATH }],
    ['path: a stream', { path: '/data/acme/x:hidden' }, { binding: PATH }],
    ['path: the folder above', { path: '/data' }, { binding: PATH }],
    ['a writing tool of a shared credential that nothing binds', { repo: 'acme/app' }, { none: true, access: SHARED }],
    [
      'one that says it only reads and is named otherwise',
      {},
      { none: true, access: SHARED, name: 'delete_repo', annotations: { readOnlyHint: true } },
    ],
    ['one that says nothing of itself', {}, { none: true, access: SHARED, name: 'get_repo' }],
    [
      'a shared credential with a binding for other tools',
      { repo: 'acme/app' },
      { access: SHARED, binding: { tools: ['close_*'] } },
    ],
  ])('%s', (_, given, setting) => {
    expect(decide(given, setting)).toMatchObject({ guard: 'bindings', verdict: { kind: 'deny', code: 'denied' } });
  });

  test('says which argument, and not what would have been right', () => {
    const { verdict } = decide({ repo: 'evil/app' }) as { verdict: { reason: string } };
    expect(verdict.reason).toBe('"sample_create_issue" is refused: "repo" is not the caller\'s own "repo".');
  });
});

describe('harmless', () => {
  test.each<[string, JsonObject, Setting?]>([
    ['the own repository', { repo: 'acme/app' }],
    ['several times the own', { repo: ['acme/app', 'acme/app'] }],
    ['another case where it is ignored', { repo: 'Acme/App' }, { binding: { ignoreCase: true } }],
    ['a number', { repo: 42 }, { attributes: { repo: '42' } }],
    ['reading another repository', { repo: 'b/c' }, { name: 'get_issue', annotations: { readOnlyHint: true } }],
    ['reading what the operator says is read', { repo: 'b/c' }, { name: 'list_issues', access: SHARED }],
    ['a tool the binding is not for', { repo: 'b/c' }, { binding: { tools: ['close_*'] } }],
    ['another upstream', { repo: 'b/c' }, { binding: { upstream: 'other' } }],
    [
      'deep in a list',
      { items: [{ repo: 'acme/app' }, { repo: 'acme/app' }] },
      { binding: { path: ['items', 'repo'] } },
    ],
    ['path: itself', { path: '/data/acme' }, { binding: PATH }],
    ['path: with a slash behind', { path: '/data/acme/' }, { binding: PATH }],
    ['path: below', { path: '/data/acme/report (1)/日本.txt' }, { binding: PATH }],
    ['path: a hidden file', { path: '/data/acme/.gitignore' }, { binding: PATH }],
    ['path: an organisation', { path: 'acme/app' }, { binding: PATH, attributes: { root: 'acme' } }],
    ['nothing configured', { repo: 'b/c' }, { none: true }],
    [
      'a reading tool of a shared credential',
      {},
      { none: true, access: SHARED, name: 'get_x', annotations: { readOnlyHint: true } },
    ],
  ])('%s', (_, given, setting) => {
    expect(decide(given, setting)).toMatchObject({ verdict: { kind: 'allow' } });
  });
});
