import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import { createChecker } from '../../../test/schema-checker.ts';
import { waitFor } from '../../../test/wait-for.ts';
import type { Tool } from '../../core/call.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { KEY_HOLDER } from '../../core/principal.ts';
import type { SchemaChecker, SchemaName } from './schema-checker.ts';

const built = fileURLToPath(new URL('../../../dist/guard/schema/schema-checker.js', import.meta.url));
let checker: SchemaChecker;
beforeAll(() => {
  expect(existsSync(built), `the worker runs from ${built}, which is missing: run npx tsc -b`).toBe(true);
  checker = createChecker();
});
afterAll(() => checker.close());

const CLIENT = toCall().client;
const tool = (inputSchema: Json, outputSchema?: Json) =>
  toTool({ name: 't', inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
const validate = (used: Tool, name: SchemaName, value: Json) =>
  checker.validate({ tool: used, client: CLIENT }, name, value);
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

/** Each level refers to the next one twice: 2^26 validations for any value. */
const doubling: JsonObject = {
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries([
    ...Array.from({ length: 26 }, (_, i) => [
      `n${i}`,
      { allOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}` }] },
    ]),
    ['n26', { type: 'object' }],
  ]),
};
/** Every level tries three branches that recurse. */
const branching: JsonObject = {
  ...object({ a: { $ref: '#/$defs/n' } }),
  $defs: {
    n: {
      anyOf: ['x', 'y', 'z'].map((end) => ({
        allOf: [{ properties: { n: { $ref: '#/$defs/n' } } }, { required: [end] }],
      })),
    },
  },
};
const wide = object(Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`p${i}`, { pattern: `^${i}` }])));

const LATE = 'its inputSchema takes too long for small values';

describe('attacks: the schema is unusable, with the reason', () => {
  test.each<[string, Json, string]>([
    ['an exponential pattern', object({ a: { type: 'string', pattern: '^(a+)+$' } }), LATE],
    ['the same in a list in a list', object({ a: { items: { items: { pattern: '^(\\d+)+$' } } } }), LATE],
    ['the same for member names', { type: 'object', patternProperties: { '^(a+)+$': {} } }, LATE],
    ['doubling allOf', doubling, LATE],
    ['thousands of properties', wide, 'its inputSchema takes longer than 1000 ms to compile'],
    ['too large', { description: 'x'.repeat(300_000) }, 'its inputSchema is larger than 256 KiB'],
    [
      'a remote reference',
      object({ a: { $ref: 'https://example.com/a' } }),
      'its inputSchema refers to "https://example.com/a", which is not in it; other documents are not fetched',
    ],
    [
      'references that never end',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
      'its inputSchema cannot be compiled: Maximum call stack size exceeded',
    ],
  ])('%s', async (_, schema, reason) => {
    const hostile = tool(schema);
    await checker.check(hostile);
    expect(checker.unusable(hostile.digest)).toEqual([reason]);
    expect(await validate(hostile, 'inputSchema', { a: 1 })).toEqual({
      kind: 'unusable',
      reason: reason.slice('its inputSchema '.length),
    });
  });

  let deep: JsonObject = {};
  for (let i = 0; i < 30; i++) deep = { n: deep };
  const unique = object({ a: { type: 'array', uniqueItems: true } });
  test.each<[string, JsonObject, JsonObject]>([
    ['an exponential pattern no sample met', object({ a: { pattern: '^(x+)+$' } }), { a: `${'x'.repeat(40)}!` }],
    ['recursion that branches', branching, { a: deep }],
    ['quadratic uniqueItems', unique, { a: Array.from({ length: 60_000 }, (_, i) => ({ i })) }],
  ])('%s: the call that meets it is stopped, and the next one is served', async (_, schema, value) => {
    const hostile = tool(schema);
    await checker.check(hostile);
    const validation = await validate(hostile, 'inputSchema', value);
    expect(validation).toEqual({ kind: 'unknown', reason: 'takes too long to be validated' });
    expect(checker.unusable(hostile.digest)).toEqual([]);
    expect(await validate(hostile, 'inputSchema', {})).toEqual({ kind: 'valid' });
  });

  test('the slow values of one caller hold up no other caller of the same tool for longer than two of them take', async () => {
    const shared = tool(object({ a: { pattern: '^(x+)+$' } }));
    const by = (id: string) => ({ tool: shared, client: { ...CLIENT, principal: { ...KEY_HOLDER, id } } });
    let slow = 0;
    const attacks = Array.from({ length: 5 }, () =>
      Promise.resolve(checker.validate(by('mallory'), 'inputSchema', { a: `${'x'.repeat(40)}!` })).then(
        (validation) => {
          slow += 1;
          return validation;
        },
      ),
    );
    expect(await checker.validate(by('alice'), 'inputSchema', { a: 'xx' })).toEqual({ kind: 'valid' });
    expect(slow).toBeLessThanOrEqual(2);
    expect((await Promise.all(attacks)).map(({ kind }) => kind)).toEqual(Array(5).fill('unknown'));
  });

  test('no call waits while a bomb is checked', async () => {
    const checking = checker.check(tool(doubling));
    let checked = false;
    void checking.then(() => {
      checked = true;
    });
    expect(await validate(tool(object({ a: { pattern: '^x+$' } })), 'inputSchema', { a: 'x' })).toEqual({
      kind: 'valid',
    });
    expect(checked).toBe(false);
    await checking;
  });

  test('the main thread is free meanwhile, and other tools are served', async () => {
    const hostile = tool(object({ a: { pattern: '^(x+)+$' } }));
    const honest = tool(object({ a: { pattern: '^x+$' } }));
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const [slow, served, here] = await Promise.all([
      validate(hostile, 'inputSchema', { a: `${'x'.repeat(40)}!` }),
      validate(honest, 'inputSchema', { a: 'xx' }),
      validate(tool({ type: 'object' }), 'inputSchema', {}),
    ]);
    clearInterval(ticking);
    expect([slow.kind, served.kind, here.kind]).toEqual(['unknown', 'valid', 'valid']);
    expect(turns).toBeGreaterThan(10);
  });

  test('a value that would fill the memory of the worker is not sent there', async () => {
    const honest = tool(object({ a: { type: 'array', contains: { const: 1 } } }));
    const a: Json[] = Array.from({ length: 1_000_000 }, () => ({}));
    expect(await validate(honest, 'inputSchema', { a })).toEqual({
      kind: 'unknown',
      reason: 'is too large to be validated',
    });
    expect(checker.unusable(honest.digest)).toEqual([]);
  });
});

describe('harmless', () => {
  const schemas: [string, JsonObject][] = [
    ['plain', object({ a: { type: 'string' } })],
    ['with a pattern', object({ a: { type: 'string', pattern: '^[a-z]+$' } })],
    ['with references', { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type: 'string' } } }],
    ['with uniqueItems', object({ a: { type: 'string' }, b: { type: 'array', uniqueItems: true } })],
    ['a tree', object({ a: { type: 'string' }, kids: { type: 'array', items: { $ref: '#' } } })],
    ['equal $id one', { $id: 'https://example.com/s', ...object({ a: { type: 'string' } }) }],
    ['equal $id two', { $id: 'https://example.com/s', ...object({ a: { type: 'string', maxLength: 9 } }) }],
  ];
  test.each(schemas)('%s: usable, and checked', async (_, schema) => {
    const honest = tool(schema, schema);
    await checker.check(honest);
    for (const name of ['inputSchema', 'outputSchema'] as const) {
      expect(await validate(honest, name, { a: 'abc', b: [1, 2] })).toEqual({ kind: 'valid' });
      expect(await validate(honest, name, { a: 5 })).toEqual({
        kind: 'invalid',
        problems: ['"a" must be string'],
      });
    }
    expect(checker.unusable(honest.digest)).toEqual([]);
  });

  test('an outputSchema that cannot be used costs its own check only', async () => {
    const honest = tool(object({ a: { type: 'string' } }), { type: 'text' });
    await checker.check(honest);
    expect(checker.unusable(honest.digest)).toEqual([
      'its outputSchema cannot be compiled: type must be JSONType or JSONType[]: text',
    ]);
    expect((await validate(honest, 'inputSchema', { a: 1 })).kind).toBe('invalid');
    expect((await validate(honest, 'outputSchema', { a: 1 })).kind).toBe('unusable');
  });

  test('a schema that takes longer to compile than one value may take is compiled, and used', async () => {
    const slow = object(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { pattern: `^${i}` }])));
    const brief = createChecker({ validateMs: 20 });
    const honest = { tool: tool(slow), client: CLIENT };
    expect(await brief.validate(honest, 'inputSchema', { p1: '1' })).toEqual({ kind: 'valid' });
    expect((await brief.validate(honest, 'inputSchema', { p1: 'x' })).kind).toBe('invalid');
    await brief.check(honest.tool);
    expect(brief.unusable(honest.tool.digest)).toEqual([]);
    await brief.close();
  });

  test('validates without having been checked, and synchronously from the second time on', async () => {
    const honest = tool(object({ a: { type: 'string' } }));
    await validate(honest, 'inputSchema', { a: 'x' });
    expect(validate(honest, 'inputSchema', { a: 'x' })).toEqual({ kind: 'valid' });
    expect(validate(honest, 'inputSchema', {})).toEqual({ kind: 'valid' });
    expect(validate(honest, 'outputSchema', {})).toEqual({ kind: 'valid' });
  });

  test('a value too large for the main thread goes to the worker and is checked there', async () => {
    const honest = tool(object({ a: { type: 'array', items: { type: 'number' } } }));
    const a: Json[] = Array.from({ length: 100_000 }, () => 1);
    expect(await validate(honest, 'inputSchema', { a })).toEqual({ kind: 'valid' });
    expect(await validate(honest, 'inputSchema', { a: [...a, 'x'] })).toEqual({
      kind: 'invalid',
      problems: ['"a[100000]" must be number'],
    });
  });

  test('a thousand tools and more are remembered within bounds and stay right', async () => {
    for (let i = 0; i < 1_050; i++) {
      const honest = tool(object({ a: { const: i } }));
      expect((await validate(honest, 'inputSchema', { a: i })).kind).toBe('valid');
      expect((await validate(honest, 'inputSchema', { a: -1 })).kind).toBe('invalid');
    }
  }, 20_000);

  test('many schemas in the worker are forgotten and sent again', async () => {
    const tools = Array.from({ length: 250 }, (_, i) => tool(object({ a: { pattern: `^${i}$` } })));
    for (let round = 0; round < 2; round++)
      for (const [i, honest] of tools.entries())
        expect(await validate(honest, 'inputSchema', { a: `${i}` })).toEqual({ kind: 'valid' });
  }, 20_000);
});

describe('lifetime', () => {
  test('closing answers who waits, and nothing is started again', async () => {
    const closing = createChecker();
    const waiting = [closing.check(tool(doubling)), closing.check(tool({}))];
    await closing.close();
    await closing.close();
    await Promise.all(waiting);
    const late = { tool: tool(object({ a: { pattern: 'x' } })), client: CLIENT };
    expect(await closing.validate(late, 'inputSchema', {})).toEqual({
      kind: 'unknown',
      reason: 'could not be validated',
    });
  });

  test('an idle worker is ended, and another one started when needed', async () => {
    const ended = vi.spyOn(Worker.prototype, 'terminate');
    const brief = createChecker({ idleMs: 1 });
    for (let i = 1; i <= 3; i++) {
      await brief.check(tool(object({ a: { pattern: `${i}` } })));
      await waitFor(() => expect(ended).toHaveBeenCalledTimes(i));
    }
    await brief.close();
    ended.mockRestore();
  });

  test('the worker does not keep the process alive', async () => {
    const script = `
      import { createSchemaChecker } from ${JSON.stringify(built)};
      const tool = { upstream: 'u', digest: 'd', definition: { inputSchema: { properties: { a: { pattern: 'x' } } } } };
      await createSchemaChecker().check(tool);
      process.stdout.write('done');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(out).toBe('done');
  });
});
