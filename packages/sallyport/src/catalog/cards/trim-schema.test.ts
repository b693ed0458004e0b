import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../core/estimate-tokens.ts';
import type { JsonObject } from '../../core/json.ts';
import { shorten, trimSchema } from './trim-schema.ts';

const text = (length: number) => 'word '.repeat(length / 5).trim();

test('leaves out what decides nothing, and keeps arguments that are called like keywords', () => {
  const schema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'SendArguments',
    type: 'object',
    properties: {
      title: { type: 'string', title: 'Title', description: 'The  title\nof it.', examples: ['a'] },
      required: { type: 'boolean', default: false, 'x-order': 1 },
      enum: { enum: ['a', 'b'] },
    },
    required: ['title'],
    additionalProperties: false,
  };
  expect(trimSchema(schema, { tokens: 1000 })).toEqual({
    isWhole: true,
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string', description: 'The title of it.' },
        required: { type: 'boolean', default: false },
        enum: { enum: ['a', 'b'] },
      },
      required: ['title'],
      additionalProperties: false,
    },
  });
});

test('keeps definitions that something refers to, and no others', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { who: { $ref: '#/$defs/person' } },
    $defs: {
      person: { type: 'object', properties: { friend: { $ref: '#/$defs/friend' } } },
      friend: { type: 'string' },
      other: { type: 'string' },
    },
  };
  const { schema: trimmed } = trimSchema(schema, { tokens: 1000 });
  expect(Object.keys(trimmed['$defs'] as JsonObject)).toEqual(['person', 'friend']);
});

describe('a schema of three hundred arguments', () => {
  const names = Array.from({ length: 300 }, (_, i) => `argument${i}`);
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name, i) => [
        name,
        { type: 'string', description: text(500), ...(i === 1 ? { enum: names } : {}) } satisfies JsonObject,
      ]),
    ),
    required: ['argument0', 'argument1'],
  };

  test('fits, says that it is shortened, and has what is required', () => {
    const { schema: trimmed, isWhole } = trimSchema(schema, { tokens: 1500 });
    expect(isWhole).toBe(false);
    expect(estimateTokens(trimmed)).toBeLessThan(1500);
    expect(trimmed['required']).toEqual(['argument0', 'argument1']);
    expect(trimmed['properties']).toMatchObject({
      argument0: { type: 'string', description: expect.stringContaining('word') },
      argument1: { $comment: '300 values, e.g. "argument0", "argument1", "argument2"' },
    });
  });

  test('of some arguments, has those and what is required; the others are named', () => {
    const { schema: trimmed } = trimSchema(schema, { tokens: 1500, only: new Set(['argument7']) });
    expect(Object.keys(trimmed['properties'] as JsonObject)).toEqual(['argument0', 'argument1', 'argument7']);
    expect(trimmed['$comment']).toMatch(/^Optional arguments not shown: argument2, .* and \d+ more$/);
  });
});

test.each([
  ['a short text', 20, 'a short text'],
  ['one  two\nthree', 20, 'one two three'],
  ['one two three', 9, 'one two…'],
  ['abcdefghijkl', 5, 'abcde…'],
  ['anything', 0, ''],
])('%j within %i', (given, most, expected) => expect(shorten(given, most)).toBe(expected));
