import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrayElements, fromBinary, objectMembers, skipValue, splice, spliceBytes, toBinary } from './json-scan.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const slice = (text: string, span: { start: number; end: number }) =>
  bytes(text).toString('utf8', span.start, span.end);

describe('objectMembers', () => {
  const rows: [string, string, Record<string, string>][] = [
    ['plain', '{"a":1,"b":"x"}', { a: '1', b: '"x"' }],
    ['white space everywhere', ' {\n "a" :\t1 , "b" : [ 1 , 2 ] } ', { a: '1', b: '[ 1 , 2 ]' }],
    ['brackets and quotes inside strings', '{"a":"}]\\"{","b":{"c":"\\\\"}}', { a: '"}]\\"{"', b: '{"c":"\\\\"}' }],
    ['an escaped key is its plain spelling', '{"\\u006dethod":"x"}', { method: '"x"' }],
    ['non-ASCII', '{"ключ":"значение"}', { ключ: '"значение"' }],
    ['empty', '{}', {}],
    ['not an object', '[1]', {}],
  ];
  test.each(rows)('%s', (_name, text, expected) => {
    const found = Object.fromEntries(objectMembers(bytes(text), 0).map((one) => [one.key, slice(text, one)]));
    expect(found).toEqual(expected);
  });

  test('long strings with and without escapes are skipped whole', () => {
    for (const filler of ['x'.repeat(5_000), '\\"'.repeat(2_500), `${'x'.repeat(100)}\\\\`.repeat(50)]) {
      const text = `{"a":"${filler}","b":2}`;
      expect(objectMembers(bytes(text), 0).map((one) => slice(text, one))).toEqual([`"${filler}"`, '2']);
    }
  });
});

test('what JSON.parse sees and what the scanner finds agree on any object', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.constantFrom(undefined, 1, '\t'),
      (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const buffer = bytes(text);
        const members = objectMembers(buffer, 0);
        expect(new Set(members.map((one) => one.key))).toEqual(new Set(Object.keys(parsed)));
        for (const one of members)
          expect(JSON.parse(buffer.toString('utf8', one.start, one.end))).toEqual(parsed[one.key]);
        expect(skipValue(buffer, 0)).toBe(buffer.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('array elements are found as JSON.parse finds them', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const text = JSON.stringify(value, undefined, 1);
      const spans = arrayElements(bytes(text), 0);
      expect(spans.map((span) => JSON.parse(slice(text, span)) as unknown)).toEqual(JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test('edits apply in any order, insert at empty ranges, and keep every other byte', () => {
  const text = '{"id":1,"имя":"x"}';
  const buffer = bytes(text);
  const [id, name] = objectMembers(buffer, 0);
  const edits = [
    { start: name!.start, end: name!.end, text: toBinary('"ы"') },
    { start: id!.start, end: id!.end, text: '22' },
    { start: 1, end: 1, text: '"n":0,' },
  ];
  expect(fromBinary(splice(buffer.toString('latin1'), edits))).toBe('{"n":0,"id":22,"имя":"ы"}');
  expect(spliceBytes(buffer, edits).toString('utf8')).toBe('{"n":0,"id":22,"имя":"ы"}');
});
