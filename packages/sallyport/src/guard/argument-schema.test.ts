import { afterAll, describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { argumentSchema } from './argument-schema.ts';
import { type Decision, inspectRequest } from './guard.ts';
import { createSchemaChecker } from './schema/schema-checker.ts';

const checker = createSchemaChecker();
afterAll(() => checker.close());

async function inspect(inputSchema: Json, args: JsonObject): Promise<Decision> {
  return inspectRequest(
    [argumentSchema(checker)],
    toCall({ tool: toTool({ name: 't', inputSchema }), arguments: args }),
  );
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1, maximum: 7 },
    unit: { enum: ['C', 'F'] },
  },
  required: ['city'],
  additionalProperties: false,
};

describe('attacks', () => {
  test.each<[string, Json, JsonObject, string]>([
    ['a missing argument', SCHEMA, {}, '"city" is required and missing'],
    ['a smuggled argument', SCHEMA, { city: 'x', path: 'hunter2' }, '"path" is not known here'],
    ['a wrong type', SCHEMA, { city: ['hunter2'] }, '"city" must be string'],
    ['a number out of range', SCHEMA, { city: 'x', days: 8 }, '"days" must be <= 7'],
    ['a value that is no choice', SCHEMA, { city: 'x', unit: 'hunter2' }, '"unit" must be one of "C", "F"'],
    [
      'a pattern missed, in the worker',
      { properties: { id: { pattern: '^\\d+$' } } },
      { id: 'hunter2' },
      '"id" must match the pattern "^\\\\d+$"',
    ],
    ['inherited members do not count', { required: ['toString'] }, {}, '"toString" is required and missing'],
  ])('%s: says what is wrong and what to do, never the value', async (_, schema, args, problem) => {
    const { verdict, guard } = await inspect(schema, args);
    expect(guard).toBe('argument-schema');
    expect(verdict).toMatchObject({ kind: 'deny', code: 'schema' });
    expect(verdict).toHaveProperty(
      'reason',
      `Invalid arguments: they do not match the inputSchema of "sample_t": ${problem}. Correct them and call again.`,
    );
    expect(JSON.stringify(verdict)).not.toContain('hunter2');
  });

  test.each<[string, Json, string]>([
    ['no schema', null, 'is no object'],
    [
      'a schema that cannot be compiled',
      { type: 'any' },
      'cannot be compiled: type must be JSONType or JSONType[]: any',
    ],
    [
      'a remote reference',
      { $ref: 'http://169.254.169.254/' },
      'refers to "http://169.254.169.254/", which is not in it; other documents are not fetched',
    ],
  ])('%s: arguments nobody can check are not passed on', async (_, schema, reason) => {
    expect((await inspect(schema, {})).verdict).toEqual({
      kind: 'deny',
      code: 'denied',
      reason: `The arguments could not be checked: the inputSchema of "sample_t" ${reason}. The call was stopped; use another tool, or ask the operator.`,
    });
  });
});

describe('harmless', () => {
  test.each<[string, Json, JsonObject]>([
    ['all arguments', SCHEMA, { city: '上海', days: 3, unit: 'C' }],
    ['the required ones', SCHEMA, { city: 'Oslo' }],
    ['an empty schema', {}, { any: 'thing' }],
    ['an argument called constructor', { properties: { constructor: { type: 'string' } } }, { constructor: 'ferrari' }],
    ['no argument called constructor', { properties: { constructor: { type: 'string' } } }, {}],
    ['in the worker', { properties: { id: { pattern: '^\\d+$' } } }, { id: '42' }],
  ])('%s', async (_, schema, args) => {
    expect(await inspect(schema, args)).toMatchObject({ verdict: { kind: 'allow' }, rewritten: undefined });
  });
});
