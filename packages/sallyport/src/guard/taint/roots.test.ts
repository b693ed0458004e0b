import { describe, expect, test } from 'vitest';
import { isInsideRoots, readRoots } from './roots.ts';

const AT = { home: '/home/ada', cwd: '/srv/gateway' };
const started = (command: string, args: readonly string[], more: object = {}) => ({
  ...{ command, args, env: {}, cwd: undefined },
  ...more,
});

describe('the roots of a server that runs here', () => {
  test.each([
    [
      started('npx', ['-y', '@modelcontextprotocol/server-filesystem', '/data', '~/notes']),
      ['/data', '/home/ada/notes'],
    ],
    [started('node', ['../node_modules/fs/dist/index.js', 'shared']), ['/srv/gateway/shared']],
    [started('npx', ['some-server', '--root=/data', '--verbose']), ['/data']],
    [started('node', ['server.js']), ['/srv/gateway']],
    [started('node', ['server.js'], { cwd: '/work' }), ['/work']],
    [
      started('node', ['server.js'], { env: { FILE: '/var/memory.jsonl', PATH: '/bin:/usr/bin' } }),
      ['/srv/gateway', '/var/memory.jsonl'],
    ],
    [
      started('docker', ['run', '-i', '-v', '/data:/mnt/data', 'image']),
      ['/srv/gateway/run', '/data', '/mnt/data', '/srv/gateway/image'],
    ],
    [started('server', ['https://example.com/']), ['/srv/gateway']],
  ])('%j', (program, roots) => {
    expect(readRoots(program, AT)).toEqual(roots);
  });
});

test.each([
  ['/data/a/b.md', true],
  ['/data/./a/../b.md', true],
  ['notes/a.md', true],
  ['./a/../b.md', true],
  ['~/notes/a.md', true],
  ['file:///data/a%20b.md', true],
  ['/data', true],
  ['/database/a.md', false],
  ['/data/../etc/hosts', false],
  ['../a.md', false],
  ['a/../../b.md', false],
  ['~/other.md', false],
  ['/data/.ssh/authorized_keys', false],
  ['.env', false],
])('%s is inside: %s', (path, isInside) => {
  expect(isInsideRoots(path, ['/data', '/home/ada/notes'], AT.home)).toBe(isInside);
});

test('of a server elsewhere only a path that goes nowhere else is inside', () => {
  expect(isInsideRoots('reports/a.md', undefined, AT.home)).toBe(true);
  expect(isInsideRoots('/reports/a.md', undefined, AT.home)).toBe(false);
});
