import { expect, test } from 'vitest';
import { findPackage, toPackageName } from '../../config/find-package.ts';
import { readLockFile, toItem, writeLockFile } from './lock-file.ts';

const DIGEST = 'ab'.repeat(32);
const ITEMS = [
  { server: 'b', kind: 'tools', name: '__proto__', digest: DIGEST },
  { server: 'a', kind: 'resources', name: 'file:///x/y', digest: DIGEST },
  { server: 'a', kind: 'instructions', name: '', digest: DIGEST },
] as const;

test('what is written is read, in whatever order it came', () => {
  const packages = new Map([['a', 'npm:x@1.2.3']]);
  const text = writeLockFile(ITEMS, packages);
  expect(writeLockFile([...ITEMS].reverse(), packages)).toBe(text);
  const read = readLockFile('f', text);
  expect(read.items).toHaveLength(3);
  expect(read.packages).toEqual(packages);
  expect(read.digest('b', 'tools', '__proto__')).toBe(DIGEST);
  expect(read.digest('a', 'resources', 'file:///x/y')).toBe(DIGEST);
  expect(read.digest('a', 'tools', 'file:///x/y')).toBeUndefined();
  expect(read.digest('constructor', 'tools', 'toString')).toBeUndefined();
});

test.each([
  ['no JSON', '{', /is no JSON/],
  ['another version', '{"version":2,"servers":{}}', /version 1/],
  ['no servers', '{"version":1}', /"servers"/],
  ['a server without items', '{"version":1,"servers":{"a":{}}}', /"items"/],
  ['a kind nobody knows', `{"version":1,"servers":{"a":{"items":{"spells/x":"sha256:${DIGEST}"}}}}`, /no kind of item/],
  ['a short digest', '{"version":1,"servers":{"a":{"items":{"tools/x":"sha256:ab"}}}}', /no digest/],
])('%s is refused as a whole', (_, text, message) => {
  expect(() => readLockFile('f', text)).toThrow(message);
});

test('an item is named by its kind and its name', () => {
  expect(toItem('tools/a/b')).toEqual({ kind: 'tools', name: 'a/b' });
  expect(toItem('instructions')).toEqual({ kind: 'instructions', name: '' });
  expect(toItem('instructions/x')).toBeUndefined();
  expect(toItem('search')).toBeUndefined();
});

test.each([
  ['npx', ['-y', '@scope/name@1.2.3', '--flag'], 'npm:@scope/name@1.2.3'],
  ['/usr/bin/npx', ['name'], 'npm:name@*'],
  ['npx.cmd', ['-y', 'name@latest'], 'npm:name@*'],
  ['npx', ['name@^1.2.0'], 'npm:name@*'],
  ['npx', ['-p', 'name@1.0.0', 'program'], 'npm:name@1.0.0'],
  ['npx', ['--package=name@1.0.0-rc.1', 'program'], 'npm:name@1.0.0-rc.1'],
  ['npm', ['exec', '-y', 'name@1.0.0'], 'npm:name@1.0.0'],
  ['uvx', ['name==0.6.2'], 'pypi:name@0.6.2'],
  ['uvx', ['name@0.6.2'], 'pypi:name@0.6.2'],
  ['uvx', ['name>=0.6.2'], 'pypi:name@*'],
  ['uvx', ['--from', 'name[extra]==1.0', 'program'], 'pypi:name@1.0'],
  ['uv', ['tool', 'run', 'name'], 'pypi:name@*'],
  ['uvx', ['-p', '3.12', 'name==1.0'], 'pypi:name@1.0'],
  ['uvx', ['--prerelease', 'allow', 'name==1.0'], 'pypi:name@1.0'],
  ['npx', ['--cache', '/tmp/cache', 'name@1.0.0'], 'npm:name@1.0.0'],
  ['npx', ['--loglevel', 'silent', '-y', 'name@1.0.0'], 'npm:name@1.0.0'],
])('%s %j runs %s', (command, args, expected) => {
  const found = findPackage({ type: 'stdio', command, args, env: {}, cwd: undefined });
  expect(found && toPackageName(found)).toBe(expected);
});

test.each([
  ['node', ['server.js']],
  ['npx', ['./local']],
  ['npx', ['github:owner/name']],
  ['npx', []],
])('%s %j runs no package of a registry', (command, args) => {
  expect(findPackage({ type: 'stdio', command, args, env: {}, cwd: undefined })).toBeUndefined();
});
