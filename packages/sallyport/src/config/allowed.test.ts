import { describe, expect, test } from 'vitest';
import type { AllowKind, ServerAccess } from './access-settings.ts';
import { concerns, isAllowed } from './allowed.ts';
import type { Snapshot } from './settings.ts';

const OPEN: ServerAccess = {
  allow: { tools: undefined, resources: undefined, prompts: undefined },
  deny: { tools: [], resources: [], prompts: [] },
  groups: undefined,
  shared: false,
  readOnlyTools: [],
};
const entry = (match: string, groups?: string[]) => ({ match, groups });
const allow = (kind: AllowKind, ...entries: ReturnType<typeof entry>[]): ServerAccess => ({
  ...OPEN,
  allow: { ...OPEN.allow, [kind]: entries },
});
const deny = (kind: AllowKind, ...patterns: string[]): ServerAccess => ({
  ...OPEN,
  deny: { ...OPEN.deny, [kind]: patterns },
});
const FILES = allow('resources', entry('file:///data/*'));
const NOT_ETC = deny('resources', 'file:///etc/*');
const WRITERS = allow('tools', entry('*'), entry('write_*', ['writers']));

describe('attacks', () => {
  test.each<[ServerAccess, AllowKind, string, string[]?]>([
    [allow('tools', entry('read_*')), 'tools', 'write_file'],
    [allow('tools'), 'tools', 'anything'],
    [deny('tools', 'delete_*'), 'tools', 'delete_all'],
    [{ ...allow('tools', entry('*')), deny: deny('tools', 'x').deny }, 'tools', 'x'],
    [{ ...OPEN, groups: ['personnel'] }, 'prompts', 'x', ['writers']],
    [WRITERS, 'tools', 'write_file'],
    [allow('tools', entry('x', [])), 'tools', 'x', ['writers']],
    [FILES, 'resources', 'file:///data/../etc/passwd'],
    [FILES, 'resources', 'file:///data/%2e%2e/etc/passwd'],
    [FILES, 'resources', 'file:///data/%252e%252e/etc'],
    [FILES, 'resources', 'file:///data/..\\etc'],
    [FILES, 'resources', 'file:///data/．．/etc'],
    [FILES, 'resources', 'file:///data/x\u200b'],
    [NOT_ETC, 'resources', 'file:///%65tc/passwd'],
    [NOT_ETC, 'resources', 'FILE:///etc/passwd'],
    [NOT_ETC, 'resources', 'file:////etc/passwd'],
    [NOT_ETC, 'resources', 'file:///./etc/passwd'],
    [NOT_ETC, 'resources', ' file:///etc/passwd'],
  ])('%j %s %j %j is not there', (access, kind, name, groups = []) => {
    expect(isAllowed(access, { kind, name }, groups)).toBe(false);
  });
});

describe('harmless', () => {
  test.each<[ServerAccess | undefined, AllowKind, string, string[]?]>([
    [undefined, 'tools', 'x'],
    [OPEN, 'resources', 'odd:../%2e'],
    [allow('tools', entry('read_*')), 'tools', 'read_file'],
    [allow('tools', entry('read_*')), 'prompts', 'anything'],
    [WRITERS, 'tools', 'read_file'],
    [WRITERS, 'tools', 'write_file', ['writers']],
    [allow('tools', entry('w*', ['a']), entry('write', ['b'])), 'tools', 'write', ['b']],
    [{ ...OPEN, groups: ['personnel'] }, 'prompts', 'x', ['personnel']],
    [FILES, 'resources', 'file:///data/reports/q1.pdf'],
    [FILES, 'resources', 'file:///data/%E6%97%A5%E6%9C%AC.txt'],
    [FILES, 'resources', 'file:///data/{path}'],
    [NOT_ETC, 'resources', 'https://example.com/a/b?c=../d'],
  ])('%j %s %j %j is there', (access, kind, name, groups = []) => {
    expect(isAllowed(access, { kind, name }, groups)).toBe(true);
  });
});

describe('what happens behind a bundle', () => {
  const bundle = (groups?: string[]) => ({ groups, tools: [{ server: 's', item: '*' }], resources: [], prompts: [] });
  const snapshot = (groups?: string[]) =>
    ({ servers: new Map([['s', {}]]), bundles: new Map([['b', bundle(groups)]]) }) as unknown as Snapshot;

  test.each<[string[] | undefined, string, boolean]>([
    [undefined, 's', true],
    [['dev'], 's', true],
    [['ops'], 's', false],
    [undefined, 'other', false],
  ])('for the groups %j concerns a caller of dev: %s %s', (groups, upstream, expected) => {
    expect(concerns(snapshot(groups), { kind: 'bundle', name: 'b' }, { upstream, groups: ['dev'] })).toBe(expected);
  });
});
