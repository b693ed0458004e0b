import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countKeys, objectMembers } from './json-scan.ts';
import { readFrame } from './read-frame.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

test('one pass finds the members that are looked for one object at a time, and as many pairs as there are keys', () => {
  const params = fc.oneof(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.jsonValue());
  const message = fc.tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), params);
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), ([rest, held], indent, isFirst) => {
      const value = isFirst ? { params: held, ...rest } : { ...rest, params: held };
      const buffer = bytes(` ${JSON.stringify(value, undefined, indent)}\n`);
      const frame = readFrame(buffer, 1_000);
      const members = objectMembers(buffer, 0);
      const holder = members.findLast(({ key }) => key === 'params');
      expect(frame.members).toEqual(members);
      expect(frame.params).toEqual(objectMembers(buffer, holder?.start ?? 0));
      expect(frame.pairs).toBe(countKeys(JSON.parse(buffer.toString('utf8'))));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['the last of two params is the one', '{"params":{"a":1},"params":{"b":2}}', ['b']],
  ['an escaped name is its plain spelling', '{"p\\u0061rams":{"a":1}}', ['a']],
  ['params further in are none', '{"x":{"params":{"a":1}},"y":[{"params":{"a":1}}]}', []],
  ['a value that says params names nothing', '{"x":"params","y":{"a":1}}', []],
  ['a list has no members', '[{"params":{"a":1}}]', []],
  ['params that are a list have none', '{"params":[{"a":1}]}', []],
])('%s', (_name, text, keys) => {
  expect(readFrame(bytes(text), 64).params.map(({ key }) => key)).toEqual(keys);
});

test('what is no JSON is walked through as well', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[]",:\\ a'), { maxLength: 60 }), (signs) => {
      const buffer = bytes(signs.join(''));
      for (const { start, end } of readFrame(buffer, 64).members) {
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(buffer.length);
      }
    }),
  );
});

test('depth is measured without recursion and stops just past the limit', () => {
  const bomb = Buffer.from('['.repeat(1_000_000));
  expect(readFrame(bomb, 64).depth).toBe(65);
  expect(readFrame(bytes('{"a":[{"b":[]}]}'), 64)).toMatchObject({ depth: 4, pairs: 2 });
  expect(readFrame(bytes('{"a":"[[[[:"}'), 64)).toMatchObject({ depth: 1, pairs: 1 });
});

test('a key that stands twice shows as more pairs than keys, at any depth and in any spelling', () => {
  for (const text of ['{"a":1,"a":2}', '{"x":[{"a":1,"\\u0061":2}]}', '{"__proto__":1,"__proto__":2}']) {
    expect(readFrame(bytes(text), 64).pairs).toBeGreaterThan(countKeys(JSON.parse(text)));
  }
  const honest = '{"__proto__":{"a":1},"constructor":2}';
  expect(readFrame(bytes(honest), 64).pairs).toBe(countKeys(JSON.parse(honest)));
});
