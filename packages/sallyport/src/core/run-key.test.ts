import { expect, test } from 'vitest';
import { fromRunKey, isRunId, toRunKey } from './run-key.ts';

test.each([
  ['task-7', { id: 'local' }],
  ['task-7', { id: 'key:a', agent: 'worker' }],
  ['a\\nb', { id: 'oauth:https://idp.example#x\ny', agent: 'a\\b\n' }],
])('a run is read as it was named: %j %j', (id, { id: principal, agent = '' }: { id: string; agent?: string }) => {
  expect(fromRunKey(toRunKey(id, { id: principal, agent }))).toEqual({ id, principal, agent });
});

test('no name of a caller ends early', () => {
  const all = [
    toRunKey('r', { id: 'a\nb' }),
    toRunKey('r', { id: 'a', agent: 'b' }),
    toRunKey('r', { id: 'a', agent: 'b\n' }),
    toRunKey('r', { id: 'a\\nb' }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test('the run of a session is nobody’s by name', () => {
  for (const key of ['session-1', '', 'run', 'run\na\nb', 'run\na\nb\nc\nd']) expect(fromRunKey(key)).toBeUndefined();
  for (const id of ['', 'a b', 'a\n', 'é', 'x'.repeat(129), 7, null]) expect(isRunId(id)).toBe(false);
});
