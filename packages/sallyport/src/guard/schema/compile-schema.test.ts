import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { compileSchema, SchemaRefusal } from './compile-schema.ts';

const DRAFT_03 = 'http://json-schema.org/draft-03/schema#';
const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const LATEST = 'https://json-schema.org/draft/2020-12/schema';

function problems(schema: JsonObject, value: Json): readonly string[] | string {
  const validator = compileSchema(schema, { allProblems: true });
  return validator instanceof SchemaRefusal ? validator.reason : validator(value);
}
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });

describe('what is wrong, in words and without the value', () => {
  const SECRET = 'hunter2hunter2';
  test.each<[string, JsonObject, Json, readonly string[]]>([
    ['a missing argument', object({ a: {} }, { required: ['a'] }), {}, ['"a" is required and missing']],
    [
      'a missing nested one',
      object({ a: object({ b: {} }, { required: ['b'] }) }),
      { a: {} },
      ['"a.b" is required and missing'],
    ],
    [
      'an unknown argument',
      object({ a: {} }, { additionalProperties: false }),
      { b: SECRET },
      ['"b" is not known here'],
    ],
    ['a wrong type', object({ a: { type: 'string' } }), { a: 314159 }, ['"a" must be string']],
    ['one of two types', object({ a: { type: ['string', 'null'] } }), { a: 314159 }, ['"a" must be string or null']],
    ['a wrong element', object({ a: { items: { type: 'number' } } }), { a: [1, SECRET] }, ['"a[1]" must be number']],
    ['a wrong choice', object({ a: { enum: ['x', 'y'] } }), { a: SECRET }, ['"a" must be one of "x", "y"']],
    ['a wrong constant', object({ a: { const: 'x' } }), { a: SECRET }, ['"a" must be "x"']],
    ['a wrong format', object({ a: { format: 'uri' } }), { a: SECRET }, ['"a" must have the format "uri"']],
    ['a wrong pattern', object({ a: { pattern: '^\\d+$' } }), { a: SECRET }, ['"a" must match the pattern "^\\\\d+$"']],
    ['a number too small', object({ a: { minimum: 3 } }), { a: 1 }, ['"a" must be >= 3']],
    ['a text too long', object({ a: { maxLength: 3 } }), { a: SECRET }, ['"a" must NOT have more than 3 characters']],
    ['the whole', { type: 'object' }, [SECRET], ['the value itself must be object']],
    [
      'optional types',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { a: 314159 },
      ['"a" must be string or null'],
    ],
    [
      'forms',
      object({ a: { oneOf: [object({ b: {} }, { required: ['b'] }), { type: 'string', maxLength: 2 }] } }),
      { a: SECRET },
      ['"a" must match exactly one of the forms its schema allows'],
    ],
    [
      'a member name with a slash and a dot',
      object({}, { additionalProperties: { type: 'number' } }),
      { 'a/b.c': SECRET },
      ['"a/b.c" must be number'],
    ],
    [
      'many problems',
      object({}, { required: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }),
      {},
      [...['a', 'b', 'c', 'd', 'e'].map((name) => `"${name}" is required and missing`), 'and 2 more problems'],
    ],
  ])('%s', (_, schema, value, expected) => {
    const found = problems(schema, value);
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).not.toMatch(/hunter2|314159/);
  });

  test('stays short whatever the schema and the names are', () => {
    const name = 'n'.repeat(10_000);
    const choices = Array.from({ length: 1000 }, (_, i) => `${i}${'x'.repeat(1000)}`);
    for (const found of [
      problems(object({ a: { enum: choices } }), { a: 1 }),
      problems(object({}, { additionalProperties: false }), { [name]: 1 }),
      problems(object({ a: { pattern: `^${name}$` } }), { a: '' }),
      problems(object({}, { required: [name] }), {}),
    ])
      expect(JSON.stringify(found).length).toBeLessThan(1200);
  });
});

describe('harmless schemas are taken as their servers mean them', () => {
  test.each<[string, JsonObject, Json]>([
    [
      'draft-07 by name',
      { $schema: DRAFT_07, ...object({ a: { items: [{ type: 'number' }], additionalItems: false } }) },
      { a: [1] },
    ],
    [
      '2020-12 by name',
      { $schema: LATEST, ...object({ a: { prefixItems: [{ type: 'number' }], items: false } }) },
      { a: [1] },
    ],
    [
      'a draft-07 tuple without a dialect',
      object({ a: { items: [{ type: 'number' }, { type: 'string' }] } }),
      { a: [1, 'x'] },
    ],
    ['definitions', { ...object({ a: { $ref: '#/$defs/n' } }), $defs: { n: { type: 'number' } } }, { a: 1 }],
    [
      'recursion',
      { ...object({ kids: { items: { $ref: '#' } } }), additionalProperties: false },
      { kids: [{ kids: [] }] },
    ],
    [
      'unknown keywords and formats',
      object({ a: { type: 'string', format: 'x-colour', 'x-order': 1, example: 1 } }),
      { a: 'x' },
    ],
    ['draft-04', object({ a: { minimum: 0, exclusiveMinimum: false } }, { $schema: DRAFT_04 }), { a: 0 }],
    ['draft-03', object({ a: { type: 'any' }, b: { required: false } }, { $schema: DRAFT_03 }), { a: 0 }],
    [
      'draft-03: types and schemas in one list',
      object({ a: { type: ['string', { type: 'number', divisibleBy: 2 }] } }, { $schema: DRAFT_03 }),
      { a: 4 },
    ],
    [
      'draft-03: parameters called as keywords',
      object({ extends: { type: 'string', required: true }, disallow: {}, __proto__x: {} }),
      { extends: 'x', disallow: 1 },
    ],
    ['no version of JSON Schema', object({ a: {} }, { $schema: 'http://json-schema.org/schema#' }), { a: 0 }],
    ['OpenAPI 3.1', object({ a: {} }, { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base' }), { a: 0 }],
    ['2019-09', object({ a: { items: [{ type: 'number' }] } }, { $schema: DRAFT_2019 }), { a: [1, 'x'] }],
    [
      'a parameter called as a keyword',
      object({ minimum: { type: 'number' }, exclusiveMinimum: true }),
      { minimum: 1 },
    ],
    ['draft-04 id', { id: 'https://example.com/a', ...object({ id: { type: 'string', id: 'x' } }) }, { id: 'x' }],
    ['an argument called constructor', object({ constructor: { type: 'string' } }), {}],
    ['a pattern that escapes too much', object({ a: { pattern: '^[\\w\\-]+\\@$' } }), { a: 'a-b@' }],
    ['an address with Chinese in it', object({ a: { format: 'uri' } }), { a: 'https://zh.wikipedia.org/wiki/中文' }],
    ['a time without a zone', object({ a: { format: 'date-time' } }), { a: '2025-01-01T10:00:00' }],
    ['$async', { $async: true, ...object({}) }, {}],
    [
      'a reference to the meta-schema',
      object({ a: { $ref: DRAFT_07 } }, { $schema: DRAFT_07 }),
      { a: { type: 'string' } },
    ],
    ['defaults are not filled in', object({ a: { default: 1 } }, { maxProperties: 0 }), {}],
  ])('%s', (_, schema, value) => {
    expect(problems(schema, value)).toEqual([]);
  });
});

describe('attacks', () => {
  test.each<[string, JsonObject, Json]>([
    ['$async does not make everything valid', { $async: true, ...object({ a: { type: 'string' } }) }, { a: 1 }],
    ['what every object inherits satisfies no requirement', object({}, { required: ['toString'] }), {}],
    ['draft-07 tuples are checked', { $schema: DRAFT_07, items: [{ type: 'number' }] }, ['x']],
    ['the old form of a bound is checked', object({ a: { minimum: 0, exclusiveMinimum: true } }), { a: 0 }],
    [
      'under the name of a new dialect, too',
      object({ a: { maximum: 9, exclusiveMaximum: true } }, { $schema: DRAFT_07 }),
      { a: 9 },
    ],
    [
      'and a bound that is not exclusive',
      object({ a: { minimum: 1, exclusiveMinimum: false } }, { $schema: DRAFT_04 }),
      { a: 0 },
    ],
    [
      '2019-09 tuples are checked',
      { $schema: DRAFT_2019, items: [{ type: 'number' }], additionalItems: false },
      [1, 2],
    ],
    ['draft-03: a required property', { $schema: DRAFT_03, ...object({ a: { required: true } }) }, {}],
    ['draft-03 without its name', object({ a: { type: 'string', required: true } }), {}],
    [
      'draft-03: extends, disallow and divisibleBy',
      { $schema: DRAFT_03, extends: object({ a: { disallow: ['string', { type: 'number', divisibleBy: 2 }] } }) },
      { a: 4 },
    ],
    ['draft-03: a dependency', { $schema: DRAFT_03, ...object({}), dependencies: { a: 'b' } }, { a: 1 }],
    ['2020-12 tuples are checked', { prefixItems: [{ type: 'number' }] }, ['x']],
  ])('%s', (_, schema, value) => {
    expect(problems(schema, value)).toHaveLength(1);
  });

  test('equal $ids of two tools never meet', () => {
    const $id = 'https://example.com/same';
    const first = compileSchema({ $id, ...object({ a: { $id: 'part', type: 'string' } }) }, { allProblems: true });
    const second = compileSchema({ $id, ...object({ a: { $id: 'part', type: 'number' } }) }, { allProblems: true });
    if (first instanceof SchemaRefusal || second instanceof SchemaRefusal) throw new Error('refused');
    expect([first({ a: 'x' }), second({ a: 1 })]).toEqual([[], []]);
    expect([first({ a: 1 }), second({ a: 'x' })]).toEqual([['"a" must be string'], ['"a" must be number']]);
  });

  test.each<[string, JsonObject, string]>([
    [
      'another document',
      object({ a: { $ref: 'https://example.com/schema.json' } }),
      'refers to "https://example.com/schema.json", which is not in it; other documents are not fetched',
    ],
    [
      'a file',
      object({ a: { $ref: 'file:///etc/passwd' } }),
      'refers to "file:///etc/passwd", which is not in it; other documents are not fetched',
    ],
    [
      'a part that is not there',
      object({ a: { $ref: '#/$defs/none' } }),
      'refers to "#/$defs/none", which is not in it; other documents are not fetched',
    ],
    [
      'a dialect nobody supports',
      { $schema: 'https://example.com/my-dialect' },
      'is written in a dialect that is not supported ("$schema": "https://example.com/my-dialect"; supported are 2020-12, 2019-09, draft-07, draft-06, draft-04 and draft-03)',
    ],
    [
      'a type that is none',
      object({ a: { type: 'text' } }),
      'cannot be compiled: type must be JSONType or JSONType[]: text',
    ],
    [
      'a pattern that is none',
      object({ a: { pattern: '(' } }),
      'cannot be compiled: Invalid regular expression: /(/: Unterminated group',
    ],
  ])('%s is refused and said', (_, schema, reason) => {
    expect(problems(schema, {})).toBe(reason);
  });
});
