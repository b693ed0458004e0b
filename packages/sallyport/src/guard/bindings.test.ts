import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import type { BindingSettings, ServerAccess } from '../config/access-settings.ts';
import type { JsonObject } from '../core/json.ts';
import type { Attributes } from '../core/principal.ts';
import { bindings } from './bindings.ts';
import { inspect } from './guard.ts';

const BINDING: BindingSettings = {
  upstream: 'sample',
  path: ['repo'],
  attributes: ['repo'],
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
  /** What a person approved; the definition says the same unless the test says otherwise. */
  readonly approvedHints?: JsonObject;
  readonly attributes?: Attributes;
}

function decide(given: JsonObject, setting: Setting = {}) {
  const {
    name = 'create_issue',
    annotations = {},
    binding = {},
    none,
    access,
    attributes,
    approvedHints = annotations,
  } = setting;
  const tool = toTool({ name, annotations, inputSchema: { type: 'object' } }, { approvedHints });
  const call = toCall({ tool, body: given });
  const principal = { ...call.client.principal, attributes: attributes ?? { repo: 'acme/app', root: '/data/acme' } };
  const guard = bindings({
    bindings: () => (none === true ? [] : [{ ...BINDING, ...binding }]),
    access: () => access,
  });
  return inspect([guard], { ...call, client: { ...call.client, principal } });
}

const PATH = { path: ['path'], attributes: ['root'], match: 'path' } as const;

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
    ['an attribute of the prototype', { repo: 'x' }, { binding: { attributes: ['constructor'] } }],
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
    ['none of several values', { repo: 'acme/app3' }, { attributes: { repo: ['acme/app', 'acme/app2'] } }],
    ['values that look like one when joined', { repo: 'a,b' }, { attributes: { repo: ['a', 'b'] } }],
    [
      'a list given where each of several is meant',
      { repo: [['acme/app', 'x']] },
      { attributes: { repo: ['acme/app'] } },
    ],
    ['no values', { repo: '' }, { attributes: { repo: [] } }],
    ['an empty one of several', { repo: '' }, { attributes: { repo: ['', 'acme/app'] } }],
    [
      'none of several attributes',
      { repo: 'c' },
      { binding: { attributes: ['repo', 'team'] }, attributes: { repo: 'a', team: ['b'], other: 'c' } },
    ],
    ['several attributes, and none there', { repo: 'c' }, { binding: { attributes: ['team', 'tenant'] } }],
    [
      'own ones mixed with another in lists in lists',
      { changes: [{ files: [{ repo: 'acme/app' }] }, { files: [{ repo: 'acme/app' }, { repo: ['b/c'] }] }] },
      { binding: { path: ['changes', 'files', 'repo'] } },
    ],
    ['a text where an object is expected', { items: '{"repo":"acme/app"}' }, { binding: { path: ['items', 'repo'] } }],
    ['an index', { items: [{ repo: 'acme/app' }, { repo: 'b/c' }] }, { binding: { path: ['items', '0', 'repo'] } }],
    ['a second name in another case, as Go reads it', { repo: 'acme/app', Repo: 'evil/app' }],
    [
      'a second name with a Kelvin sign',
      { key: 'a', '\u212aey': 'b' },
      { binding: { path: ['key'] }, attributes: { repo: 'a' } },
    ],
    ['a second name with an invisible character', { repo: 'acme/app', 're\u200bpo': 'evil/app' }],
    ['a second name in full width', { repo: 'acme/app', ｒepo: 'evil/app' }],
    [
      'a second name further in',
      { target: { repo: 'acme/app', REPO: 'evil/app' } },
      { binding: { path: ['target', 'repo'] } },
    ],
    [
      'path: none of several folders',
      { path: '/data/c/x' },
      { binding: PATH, attributes: { root: ['/data/a', '/data/b'] } },
    ],
    [
      "path: upwards from one folder into the other one's parent",
      { path: '/data/a/../c' },
      { binding: PATH, attributes: { root: ['/data/a', '/data/b'] } },
    ],
    ['path: overlong UTF-8 as written in addresses', { path: '/data/acme/%c0%ae%c0%ae/evil' }, { binding: PATH }],
    ['path: as an address', { path: 'file:///data/acme/../evil' }, { binding: PATH }],
    ['path: relative', { path: 'data/acme/x' }, { binding: PATH }],
    ['path: of the home', { path: '~/data/acme' }, { binding: PATH }],
    ['path: a list with one outside', { path: ['/data/acme/a', '/data/b'] }, { binding: PATH }],
    [
      'path: another case where it is ignored, and upwards',
      { path: '/DATA/acme/../x' },
      { binding: { ...PATH, ignoreCase: true } },
    ],
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
    ['path: upwards with a parameter', { path: '/data/acme/..;/evil' }, { binding: PATH }],
    ['path: upwards with a parameter that has a value', { path: '/data/acme/..;a=b/evil' }, { binding: PATH }],
    ['path: upwards with a soft hyphen', { path: '/data/acme/.\u00ad./evil' }, { binding: PATH }],
    ['path: upwards with a two dot leader', { path: '/data/acme/\u2025/evil' }, { binding: PATH }],
    ['path: upwards with another slash', { path: '/data/acme/..\u2215evil' }, { binding: PATH }],
    ['path: upwards with ideographic stops', { path: '/data/acme/。。/evil' }, { binding: PATH }],
    ['path: upwards in braces', { path: '/data/acme/{a,../evil}' }, { binding: PATH }],
    ['path: upwards out of braces', { path: '/data/acme/{..,a}/evil' }, { binding: PATH }],
    ['path: upwards out of two braces', { path: '/data/acme/{.,x}{.,x}/evil' }, { binding: PATH }],
    ['path: upwards with a glob', { path: '/data/acme/.?/evil' }, { binding: PATH }],
    ['path: empty segments further in', { path: '/data/acme//evil' }, { binding: PATH }],
    ['path: braces around the folder', { path: '/data/{acme,evil}/x' }, { binding: PATH }],
    ['a second name as a list, as PHP and Rails read it', { repo: 'acme/app', 'repo[]': 'evil/app' }],
    ['a second name with an index', { repo: 'acme/app', 'Repo[0]': 'evil/app' }],
    ['a second name as a list, encoded', { repo: 'acme/app', 'repo%5B%5D': 'evil/app' }],
    [
      'a second name for the member inside',
      { target: { repo: 'acme/app' }, 'target[repo]': 'evil/app' },
      { binding: { path: ['target', 'repo'] } },
    ],
    ['only a name as a list', { 'repo[]': 'acme/app' }],
    ['a writing tool of a shared credential that nothing binds', { repo: 'acme/app' }, { none: true, access: SHARED }],
    [
      'one that says it only reads and is named otherwise',
      {},
      { none: true, access: SHARED, name: 'delete_repo', annotations: { readOnlyHint: true } },
    ],
    [
      'one that says it only reads since it was approved',
      {},
      { none: true, access: SHARED, name: 'get_repo', annotations: { readOnlyHint: true }, approvedHints: {} },
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
    ['one of several values', { repo: 'acme/app2' }, { attributes: { repo: ['acme/app', 'acme/app2'] } }],
    ['each one of several values', { repo: ['b', 'a', 'b'] }, { attributes: { repo: ['a', 'b'] } }],
    [
      'one of several attributes',
      { repo: 'b' },
      { binding: { attributes: ['repo', 'team'] }, attributes: { repo: 'a', team: ['c', 'b'] } },
    ],
    [
      'several attributes, one of which the caller has',
      { repo: 'b' },
      { binding: { attributes: ['repo', 'team'] }, attributes: { team: 'b' } },
    ],
    [
      'lists in lists',
      { changes: [{ files: [{ repo: 'acme/app' }] }, { files: [{ repo: ['acme/app'] }] }] },
      { binding: { path: ['changes', 'files', 'repo'] } },
    ],
    ['names that only resemble each other', { repo: 'acme/app', repos: 'x', repo_: 'y', 'repo.x': 'z' }],
    [
      'another case of a name further out',
      { Target: 1, target: { repo: 'acme/app' } },
      { binding: { path: ['repo'] }, none: true },
    ],
    ['a name with a dot', { 'a.b': 'acme/app' }, { binding: { path: ['a.b'] } }],
    ['a name with a slash', { 'a/b': 'acme/app' }, { binding: { path: ['a/b'] } }],
    [
      'path: in either folder',
      { path: ['/data/a/x', '/data/b'] },
      { binding: PATH, attributes: { root: ['/data/a', '/data/b'] } },
    ],
    ['path: another case where it is ignored', { path: '/DATA/acme/X' }, { binding: { ...PATH, ignoreCase: true } }],
    ['path: braces and a glob', { path: '/data/acme/{a,b}/[id].{ts,tsx}/*' }, { binding: PATH }],
    ['path: a semicolon', { path: '/data/acme/a;b/..c/d' }, { binding: PATH }],
    ['path: stops of other scripts', { path: '/data/acme/报告。五月/x' }, { binding: PATH }],
    ['names with brackets of another argument', { repo: 'acme/app', 'labels[]': 'a', 'repos[]': 'b' }],
    ['a name with brackets that is meant', { 'a[]': 'acme/app' }, { binding: { path: ['a[]'] } }],
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
