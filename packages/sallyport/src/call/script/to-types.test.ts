import { expect, test } from 'vitest';
import type { Json } from '../../core/json.ts';
import { toType } from './to-types.ts';

test.each<[string, Json | undefined, string]>([
  ['nothing', undefined, 'any'],
  ['anything', true, 'any'],
  ['a text', { type: 'string' }, 'string'],
  ['a whole number', { type: 'integer' }, 'number'],
  ['one of several', { enum: ['a', 1, null] }, '("a" | 1 | null)'],
  ['several types', { type: ['string', 'null'] }, '(string | null)'],
  ['a list', { type: 'array', items: { type: 'string' } }, 'string[]'],
  ['a list of several types', { type: 'array', items: { type: ['string', 'number'] } }, 'Array<(string | number)>'],
  [
    'an object',
    { type: 'object', properties: { a: { type: 'string', description: 'The\n*/ name.' }, 'b-c': {} }, required: ['a'] },
    '{ a: string /* The * / name. */; "b-c"?: any }',
  ],
  ['names without a type', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  ['no arguments', { type: 'object', additionalProperties: false }, '{}'],
  ['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'number' } } }, 'number'],
  ['a reference to elsewhere', { $ref: 'https://a.example/schema' }, 'any'],
  ['choices', { anyOf: [{ type: 'string' }, { const: 3 }] }, '(string | 3)'],
  ['all of several', { allOf: [{ type: 'object', properties: { a: {} } }, { $ref: '#/none' }] }, '{ a?: any }'],
])('%s', (_, schema, type) => expect(toType(schema)).toBe(type));

test('a schema that refers to itself, or has a million parts, ends', () => {
  const list = { type: 'object', properties: { next: { $ref: '#' } } };
  expect(toType(list)).toMatch(/^\{ next\?: \{ next\?: .*any.*\}$/);
  const wide = (depth: number): Json => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, depth === 0 ? {} : wide(depth - 1)])),
  });
  expect(toType(wide(4)).length).toBeLessThan(50_000);
});
