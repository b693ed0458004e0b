import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { assertComplete, toArguments } from './to-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    rate: { type: 'number' },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    where: {
      type: 'object',
      properties: { city: { type: 'string' }, zip: { type: 'integer' } },
      additionalProperties: false,
    },
    maybe: { type: ['integer', 'null'] },
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    unit: { enum: ['c', 'f'] },
    level: { enum: [1, 2] },
    linked: { $ref: '#/$defs/count' },
    'a.b': { type: 'integer' },
    any: {},
  },
  $defs: { count: { type: 'integer' } },
  additionalProperties: false,
};

test.each<[string[], object]>([
  [['text=3'], { text: '3' }],
  [['text='], { text: '' }],
  [['text=a=b'], { text: 'a=b' }],
  [['text={"x":1}'], { text: '{"x":1}' }],
  [['count=3', 'rate=1e3', 'deep=true'], { count: 3, rate: 1000, deep: true }],
  [['count=-3'], { count: -3 }],
  [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
  [['tags=["a","b"]'], { tags: ['a', 'b'] }],
  [['sizes=1', 'sizes=2'], { sizes: [1, 2] }],
  [['where={"city":"x"}'], { where: { city: 'x' } }],
  [['where.city=x', 'where.zip=1'], { where: { city: 'x', zip: 1 } }],
  [['maybe=null'], { maybe: null }],
  [['maybe=4'], { maybe: 4 }],
  [['either=4'], { either: 4 }],
  [['either=four'], { either: 'four' }],
  [['unit=c', 'level=2'], { unit: 'c', level: 2 }],
  [['linked=7'], { linked: 7 }],
  [['a.b=7'], { 'a.b': 7 }],
  [['any=7'], { any: 7 }],
  [['any=seven'], { any: 'seven' }],
  [['text:=7'], { text: 7 }],
])('%j', (words, expected) => {
  expect(toArguments(words, schema)).toEqual(expected);
});

test('names are own properties', () => {
  const given = toArguments(['__proto__=1', 'constructor=2'], {});
  expect(Object.entries(given)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ]);
});

describe('refused', () => {
  test.each<[string[], FaultError['code'], string]>([
    [['text'], 'usage', '"text" is no key=value'],
    [['=x'], 'usage', '"=x" is no key=value'],
    [['txet=x'], 'schema', 'The tool has no argument "txet"; did you mean "text"?'],
    [['constructor=x'], 'schema', 'The tool has no argument "constructor"; it has text, count'],
    [['where.town=x'], 'schema', 'The tool has no argument "town"; it has city, zip.'],
    [['count=x'], 'schema', 'The argument "count" must be integer.'],
    [['count=1.5'], 'schema', 'The argument "count" must be integer.'],
    [['count=9007199254740993'], 'schema', 'The argument "count" must be integer.'],
    [['rate='], 'schema', 'The argument "rate" must be number.'],
    [['deep=yes'], 'schema', 'The argument "deep" must be boolean.'],
    [['sizes=x'], 'schema', 'The argument "sizes" must be integer.'],
    [['unit=k'], 'schema', 'The argument "unit" must be one of "c", "f".'],
    [['text=a', 'text=b'], 'usage', 'The argument "text" is given twice.'],
    [['text:=a'], 'usage', 'What follows "text:=" is not JSON'],
  ])('%j', (words, code, message) => {
    const refused = () => toArguments(words, schema);
    expect(refused).toThrow(FaultError);
    expect(refused).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  test('what is missing', () => {
    expect(() => assertComplete({ a: 1 }, { required: ['a', 'b', 'constructor'] })).toThrow(
      new FaultError('schema', 'The tool also needs b, constructor; write b=… constructor=….'),
    );
    expect(() => assertComplete({ a: 1 }, { required: ['a'] })).not.toThrow();
  });
});
