import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { readParamHeaders } from './param-headers.ts';

const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name }) as JsonObject;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('readParamHeaders', () => {
  it.each<[string, JsonObject, [string, string[]][]]>([
    ['nothing', { type: 'object' }, []],
    [
      'each primitive',
      object({ a: marked('A'), b: marked('B', 'integer'), c: marked('C', 'boolean') }),
      [
        ['A', ['a']],
        ['B', ['b']],
        ['C', ['c']],
      ],
    ],
    ['nested properties', object({ a: object({ constructor: marked('Region') }) }), [['Region', ['a', 'constructor']]]],
    ['a property of that name', object({ 'x-mcp-header': { type: 'string' } }), []],
    ['data that looks like it', object({ a: { type: 'object', default: marked('A'), examples: [marked('A')] } }), []],
  ])('finds %s', (_, schema, expected) => {
    const found = readParamHeaders(schema);
    expect(found).toEqual(new Map(expected));
  });

  it.each<[string, JsonObject]>([
    ['empty', object({ a: marked('') })],
    ['a number', object({ a: marked(5) })],
    ['a space', object({ a: marked('My Region') })],
    ['a colon', object({ a: marked('Region:') })],
    ['CR LF', object({ a: marked('A\r\nB') })],
    ['beyond ASCII', object({ a: marked('Région') })],
    ['twice', object({ a: marked('Region'), b: marked('Region') })],
    ['twice in another case', object({ a: marked('Region'), b: object({ c: marked('REGION') }) })],
    ['on a number', object({ a: marked('A', 'number') })],
    ['on an object', object({ a: marked('A', 'object') })],
    ['on null', object({ a: marked('A', 'null') })],
    ['on several types', object({ a: marked('A', ['string', 'null']) })],
    ['on no type', object({ a: { 'x-mcp-header': 'A' } })],
    ['on the root', { type: 'object', 'x-mcp-header': 'A' }],
    ['under items', object({ a: { type: 'array', items: marked('A') } })],
    ['under items as a list', object({ a: { type: 'array', items: [marked('A')] } })],
    ['under anyOf', object({}, { anyOf: [object({ a: marked('A') })] })],
    ['under not', object({}, { not: object({ a: marked('A') }) })],
    ['under then', JSON.parse('{"if":{},"then":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}')],
    ['under $defs', object({}, { $defs: { x: marked('A') } })],
    ['under patternProperties', object({}, { patternProperties: { '^x': marked('A') } })],
    ['under additionalProperties', object({}, { additionalProperties: marked('A') })],
  ])('refuses one that is %s', (_, schema) => {
    expect(readParamHeaders(schema)).toEqual(expect.stringContaining('x-mcp-header'));
  });
});
