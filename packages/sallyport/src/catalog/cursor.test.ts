import { expect, it } from 'vitest';
import { fromCursor, toCursor } from './cursor.ts';

it('reads back what it wrote', () => {
  const position = { last: 'abc', next: 'def', index: 7 };
  const cursor = toCursor('tools', position);
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(fromCursor('tools', cursor)).toEqual(position);
});

it.each([
  '',
  'x',
  '!!!!',
  'null',
  Buffer.from('{}').toString('base64url'),
  Buffer.from('["tools","a","b",-1]').toString('base64url'),
  Buffer.from('["tools","a","b",1.5]').toString('base64url'),
  Buffer.from('["tools",1,"b",1]').toString('base64url'),
  `${toCursor('tools', { last: 'a', next: 'b', index: 1 })}=`,
  toCursor('prompts', { last: 'a', next: 'b', index: 1 }),
  'A'.repeat(10_000),
])('refuses %j', (cursor) => {
  expect(() => fromCursor('tools', cursor)).toThrow(
    expect.objectContaining({ code: 'invalid_params', message: expect.stringContaining('without a cursor') }),
  );
});
