import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesTemplate, qualifyNames } from './uris.ts';

describe('qualifyNames', () => {
  const names = qualifyNames(['github', 'My Server', 'my-server', '9', '天气', 'a:b']);

  it.each([
    ['github', 'file:///a', 'github+file:///a'],
    ['My Server', 'x:1', 'my-server+x:1'],
    ['my-server', 'x:1', 'my-server-2+x:1'],
    ['9', 'x:1', 's9+x:1'],
    ['天气', 'x:{+y}', 's--+x:{+y}'],
  ])('writes the owner %s into %s', (server, uri, expected) => {
    expect(names.toPublicUri(server, uri)).toBe(expected);
    expect(names.fromPublicUri(expected)).toEqual({ server, uri });
  });

  it('reads schemes in any case and leaves unknown ones alone', () => {
    expect(names.fromPublicUri('GitHub+file:///A')).toEqual({ server: 'github', uri: 'file:///A' });
    expect(names.fromPublicUri('git+https://x')).toBeUndefined();
    expect(names.fromPublicUri('file:///a+b')).toBeUndefined();
    expect(names.fromPublicUri('+x')).toBeUndefined();
  });

  it.each([
    ['github', 'a:b:c', 'github:a:b:c'],
    ['a:b', '', 'a%3Ab:'],
    ['My Server', '1', 'My%20Server:1'],
  ])('writes the owner %s into task %s', (server, taskId, expected) => {
    expect(names.toPublicTaskId(server, taskId)).toBe(expected);
    expect(names.fromPublicTaskId(expected)).toEqual({ server, taskId });
  });

  it('knows no task of servers that are not there', () => {
    expect(names.fromPublicTaskId('gitlab:1')).toBeUndefined();
    expect(names.fromPublicTaskId('__proto__:1')).toBeUndefined();
    expect(names.fromPublicTaskId('1')).toBeUndefined();
  });

  it('maps everything back whatever the names', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('a', 'A', 'a-2', 'a+b', '__proto__'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), fc.string(), (servers, rest) => {
        const qualified = qualifyNames(servers);
        for (const server of servers) {
          expect(qualified.fromPublicUri(qualified.toPublicUri(server, rest))).toEqual({ server, uri: rest });
          expect(qualified.fromPublicTaskId(qualified.toPublicTaskId(server, rest))).toEqual({ server, taskId: rest });
        }
      }),
      { seed: 3 },
    );
  });
});

it.each([
  ['file:///{path}', 'file:///a/b', true],
  ['file:///{path}', 'http:///a', false],
  ['repo://{owner}/{name}/issues', 'repo://a/b/issues', true],
  ['repo://{owner}/{name}/issues', 'repo://a/b/pulls', false],
  ['a{x}b{y}a', 'aba', true],
  ['a{x}aa', 'aa', false],
  ['plain:1', 'plain:1', true],
  ['plain:1', 'plain:12', false],
  ['x:{?q,r}', 'x:?q=1', true],
])('template %s and %s', (template, uri, expected) => {
  expect(matchesTemplate(template, uri)).toBe(expected);
});
