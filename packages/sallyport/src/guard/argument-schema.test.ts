import { afterAll, describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { createChecker } from '../../test/schema-checker.ts';
import type { CallNotes } from '../core/call.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { argumentSchema } from './argument-schema.ts';
import { type Decision, inspect } from './guard.ts';

const checker = createChecker();
afterAll(() => checker.close());

interface Given {
  readonly unvalidated?: 'allow' | 'deny';
  readonly notes?: CallNotes;
}

async function judge(
  inputSchema: Json,
  args: JsonObject,
  { unvalidated = 'allow', notes }: Given = {},
): Promise<Decision> {
  return inspect(
    [argumentSchema({ checker, unvalidated: () => unvalidated })],
    toCall({ tool: toTool({ name: 't', inputSchema }), body: args, notes }),
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

/** Schemas that validate nothing, and why. */
const UNUSABLE: readonly (readonly [string, Json, string])[] = [
  [
    'a schema that cannot be compiled',
    { type: 'text' },
    'cannot be compiled: type must be JSONType or JSONType[]: text',
  ],
  [
    'a remote reference',
    { $ref: 'http://169.254.169.254/' },
    'refers to "http://169.254.169.254/", which is not in it; other documents are not fetched',
  ],
];

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
    const { verdict, guard } = await judge(schema, args);
    expect(guard).toBe('argument-schema');
    expect(verdict).toMatchObject({ kind: 'deny', code: 'schema' });
    expect(verdict).toHaveProperty(
      'reason',
      `Invalid arguments: they do not match the inputSchema of "sample_t": ${problem}. Correct them and call again.`,
    );
    expect(JSON.stringify(verdict)).not.toContain('hunter2');
  });

  const SLOW: JsonObject = { properties: { a: { pattern: '^(x+)+$' } } };
  test('a value made to be slow is no way past the schema, and costs its own call only', async () => {
    const tool = toTool({ name: 't', inputSchema: SLOW });
    const guards = [argumentSchema({ checker, unvalidated: () => 'allow' })];
    const call = (a: string) => Promise.resolve(inspect(guards, toCall({ tool, body: { a } })));
    expect((await call(`${'x'.repeat(40)}!`)).verdict).toEqual({
      kind: 'deny',
      code: 'denied',
      reason:
        'This call of "sample_t" was refused, and nothing was sent: its arguments could not be validated, because the value takes too long to be validated. Other calls of this tool are served. Send fewer or shorter values, or call several times.',
    });
    expect((await call('xx')).verdict).toEqual({ kind: 'allow' });
    expect((await call('y')).verdict).toMatchObject({ kind: 'deny', code: 'schema' });
  });

  test.each(UNUSABLE)('%s: refused where the operator says so', async (_, schema, reason) => {
    expect((await judge(schema, {}, { unvalidated: 'deny' })).verdict).toEqual({
      kind: 'deny',
      code: 'denied',
      reason: `The arguments could not be validated: the inputSchema of "sample_t" ${reason}. The operator has such calls refused. Use another tool, or tell the user.`,
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
    expect(await judge(schema, args)).toMatchObject({ verdict: { kind: 'allow' }, rewritten: undefined });
  });

  test.each(UNUSABLE)('%s: passes, and the record says that it was not validated', async (_, schema, reason) => {
    const notes = { isEnforced: true } as CallNotes; // the notes of policies are not read here
    expect(await judge(schema, { any: 'thing' }, { notes })).toMatchObject({ verdict: { kind: 'allow' } });
    expect(notes.notValidated).toBe(`inputSchema ${reason}`);
  });

  test('a missing schema limits nothing', async () => {
    const tool = toTool({ name: 't' });
    const guards = [argumentSchema({ checker, unvalidated: () => 'deny' })];
    expect(await inspect(guards, toCall({ tool, body: { any: 1 } }))).toMatchObject({
      verdict: { kind: 'allow' },
    });
  });
});
