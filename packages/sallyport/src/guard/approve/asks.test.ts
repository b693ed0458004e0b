import { expect, test } from 'vitest';
import { asks } from './asks.ts';

const call = (upstream: string, name: string) => ({ tool: { upstream, name } }) as never;

test.each([
  [['a/*'], 'a', 'delete', true],
  [['*/delete_*'], 'b', 'delete_all', true],
  [['a/delete'], 'a', 'delete', true],
  [['a/delete'], 'a', 'delete2', false],
  [['a/*'], 'b', 'delete', false],
  [['a/x.y'], 'a', 'xzy', false],
  [[], 'a', 'delete', false],
])('%j on %s/%s', (globs, upstream, name, asked) => {
  const guard = asks(() => globs);
  expect(guard.judge(call(upstream, name))).toMatchObject({ kind: asked ? 'ask' : 'allow' });
});

test('a new list counts at once, also for a tool seen before', () => {
  let globs: readonly string[] = [];
  const guard = asks(() => globs);
  const same = call('a', 't');
  expect(guard.judge(same)).toMatchObject({ kind: 'allow' });
  globs = ['a/t'];
  expect(guard.judge(same)).toMatchObject({ kind: 'ask' });
});
