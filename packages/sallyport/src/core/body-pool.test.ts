import { expect, test } from 'vitest';
import { giveBody, takeBody } from './body-pool.ts';

test('memory is used again, and who gave it back can read nothing of it', () => {
  const first = takeBody(100_000);
  expect(first).toHaveLength(100_000);
  first.fill('a');
  const part = first.subarray(10, 20);
  giveBody(part);
  const second = takeBody(90_000).fill('b');
  expect(first).toHaveLength(0);
  expect(part.toString('latin1')).toBe('');
  expect(second.toString('latin1', 0, 3)).toBe('bbb');
  expect(second.buffer.byteLength).toBe(131_072);
});

test('a body is given back once', () => {
  const body = takeBody(70_000);
  giveBody(body);
  giveBody(body);
  const one = takeBody(70_000).fill('1');
  const other = takeBody(70_000).fill('2');
  expect(one[0]).not.toBe(other[0]);
});

test('what is no body stays what it is', () => {
  const small = Buffer.from('small');
  const own = Buffer.alloc(100_000, 'x');
  giveBody(small);
  giveBody(own);
  expect(small.toString()).toBe('small');
  expect(own[99_999]).toBe(0x78);
});

test('no more than a bound waits to be used', () => {
  const many = Array.from({ length: 64 }, () => takeBody(1_000_000));
  for (const body of many) giveBody(body);
  expect(many.every((body) => body.length === 0)).toBe(true);
});
