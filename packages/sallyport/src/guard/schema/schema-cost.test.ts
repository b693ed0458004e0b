import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { isCheapValue, isWorkerValue, KNOWN, type SchemaCost, toSchemaCost } from './schema-cost.ts';

const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

describe('attacks: never on the main thread', () => {
  test.each<[string, JsonObject]>([
    ['a pattern', object({ a: { type: 'string', pattern: '^(a+)+$' } })],
    ['a pattern inside a branch', object({ a: { anyOf: [{ type: 'null' }, { items: { pattern: 'x' } }] } })],
    ['a pattern of member names', { patternProperties: { '^(a+)+$': true } }],
    ['a pattern in propertyNames', { propertyNames: { pattern: 'x' } }],
    ['a reference', object({ a: { $ref: '#/$defs/a' } })],
    ['a dynamic reference', { $dynamicRef: '#a' }],
    ['a name others could share', { $id: 'https://example.com/schema' }],
    ['a name in a part', object({ a: { $id: 'https://example.com/schema' } })],
    ['an anchor', { $defs: {}, $anchor: 'a' }],
    ['quadratic uniqueItems', object({ a: { type: 'array', uniqueItems: true } })],
    ['contains', object({ a: { contains: {} } })],
    ['unevaluated members', { unevaluatedProperties: false }],
    ['a format that is a slow expression', object({ a: { format: 'url' } })],
    ['400 properties', object(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${i}`, {}])))],
    ['400 branches', { anyOf: Array.from({ length: 400 }, () => ({})) }],
    ['an enum of 400', object({ a: { enum: Array.from({ length: 400 }, (_, i) => i) } })],
    [
      '300 assertions',
      object(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'string', maxLength: 9 }]))),
    ],
    ['17 levels', Array.from({ length: 17 }).reduce<JsonObject>((schema) => ({ items: schema }), {})],
    ['64 KiB of description', object({ a: { description: 'x'.repeat(65_536) } })],
    ['properties that are no object', { properties: 5 }],
    ['a branch list that is no list', { anyOf: {} }],
    ['a property that is no schema', object({ a: 5 })],
  ])('%s', (_, schema) => {
    expect(toSchemaCost(schema)).toMatchObject({ kind: 'worker' });
  });

  test('a schema that is too large is refused', () => {
    expect(toSchemaCost({ description: 'x'.repeat(300_000) })).toEqual({
      kind: 'refused',
      reason: 'is larger than 256 KiB',
    });
    expect(
      toSchemaCost(object(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }])))),
    ).toMatchObject({ kind: 'refused' });
  });

  test('a schema that is too deep is refused, however deep', () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 100_000; i++) schema = { items: schema };
    expect(toSchemaCost(schema)).toEqual({ kind: 'refused', reason: 'is nested deeper than 100 levels' });
  });
});

describe('harmless: on the main thread', () => {
  test.each<[string, JsonObject, number]>([
    ['nothing', {}, 1],
    ['plain properties', object({ a: { type: 'string', description: 'A.' }, b: { type: 'integer', minimum: 0 } }), 7],
    ['required and enum count', { ...object({ a: { enum: ['x', 'y'] } }), required: ['a'] }, 8],
    [
      'a property called like an expensive keyword',
      object({ pattern: { type: 'string' }, $ref: { type: 'string' } }),
      6,
    ],
    ['a default that looks like a schema', object({ a: { default: { pattern: '(a+)+' } } }), 3],
    ['definitions nobody refers to', { $defs: { a: { pattern: 'x' } } }, 1],
    ['unknown keywords', { 'x-order': ['a'], example: { $ref: 1 } }, 1],
    ['uniqueItems that is off', { uniqueItems: false }, 1],
    ['a draft-07 tuple', { items: [{ type: 'string' }, { type: 'number' }] }, 5],
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    ['branches, conditions, negation', { anyOf: [{}, { not: {} }], if: {}, then: {}, else: {}, prefixItems: [{}] }, 8],
  ])('%s', (_, schema, nodes) => {
    expect(toSchemaCost(schema)).toMatchObject({ kind: 'cheap', nodes });
  });
});

test('every keyword Ajv acts on has been judged', () => {
  const acted = new Set(
    [Ajv, Ajv2020].flatMap((Dialect) => Object.keys(new Dialect({ strict: false }).RULES.keywords)),
  );
  expect(acted.size).toBeGreaterThan(50);
  expect([...acted].filter((keyword) => !KNOWN.has(keyword))).toEqual([]);
});

describe('values', () => {
  const cheap = (schema: JsonObject): SchemaCost & { kind: 'cheap' } => {
    const cost = toSchemaCost(schema);
    if (cost.kind !== 'cheap') throw new Error('not cheap');
    return cost;
  };
  const many = (count: number): JsonObject => ({ a: Array.from({ length: count }, () => 1) });

  test.each<[string, boolean, JsonObject, JsonObject]>([
    ['a few numbers', true, object({ a: {} }), many(100)],
    ['many numbers for a small schema', true, object({ a: {} }), many(60_000)],
    ['more numbers than one go allows', false, object({ a: {} }), many(110_000)],
    [
      'fewer for a larger schema',
      false,
      object({ a: { items: { anyOf: Array.from({ length: 200 }, () => ({})) } } }),
      many(1_000),
    ],
    ['a long text nobody measures', true, object({ a: { type: 'string' } }), { a: 'x'.repeat(4_000_000) }],
    ['a text of 10 KB that is measured', true, object({ a: { maxLength: 5 } }), { a: 'x'.repeat(10_000) }],
    ['a text of 10 MB that is measured', false, object({ a: { maxLength: 5 } }), { a: 'x'.repeat(10_000_000) }],
    ['a URL', true, object({ a: { format: 'uri' } }), { a: `https://example.com/${'x'.repeat(400)}` }],
    ['a long text where a format is an expression', false, object({ a: { format: 'email' } }), { a: 'a.'.repeat(300) }],
  ])('%s', (_, expected, schema, value) => {
    expect(isCheapValue(value, cheap(schema))).toBe(expected);
  });

  test.each<[string, boolean, unknown]>([
    ['200,000 numbers', true, Array.from({ length: 200_000 }, () => 1)],
    ['300,000 numbers', false, Array.from({ length: 300_000 }, () => 1)],
    ['7 MB of text', true, 'x'.repeat(7_000_000)],
    ['9 MB of text', false, 'x'.repeat(9_000_000)],
    ['9 MB of names', false, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}`.repeat(1_000_000), 1]))],
  ])('%s may be sent to the worker: %s', (_, expected, value) => {
    expect(isWorkerValue(value)).toBe(expected);
  });
});
