import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toTool } from '../../../test/sample-call.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { createSchemaChecker, type SchemaChecker } from './schema-checker.ts';

const built = fileURLToPath(new URL('../../../dist/guard/schema/schema-checker.js', import.meta.url));
let checker: SchemaChecker;
beforeAll(() => {
  expect(existsSync(built), `the worker runs from ${built}, which is missing: run npx tsc -b`).toBe(true);
  checker = createSchemaChecker();
});
afterAll(() => checker.close());

const tool = (inputSchema: Json, outputSchema?: Json) =>
  toTool({ name: 't', inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
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

const LATE = 'its schemas take longer than 100 ms to compile and try out';

describe('attacks: the tool is set aside, with the reason', () => {
  test.each<[string, Json, string]>([
    ['an exponential pattern', object({ a: { type: 'string', pattern: '^(a+)+$' } }), LATE],
    ['the same in a list in a list', object({ a: { items: { items: { pattern: '^(\\d+)+$' } } } }), LATE],
    ['the same for member names', { type: 'object', patternProperties: { '^(a+)+$': {} } }, LATE],
    ['doubling allOf', doubling, LATE],
    ['thousands of properties', wide, LATE],
    ['too large', { description: 'x'.repeat(300_000) }, 'its inputSchema is larger than 256 KiB'],
    [
      'a remote reference',
      object({ a: { $ref: 'https://example.com/a' } }),
      'its inputSchema refers to "https://example.com/a", which is not in it; other documents are not fetched',
    ],
    ['no schema', null, 'its inputSchema is no object'],
  ])('%s', async (_, schema, reason) => {
    const hostile = tool(schema);
    expect(await checker.check(hostile)).toBe(reason);
    expect(checker.whySetAside(hostile.digest)).toBe(reason);
    expect(await checker.check(hostile)).toBe(reason);
  });

  test('references that never end', async () => {
    const hostile = tool({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } });
    // Whichever comes first on this machine: the end of the stack or the end of its time.
    expect(await checker.check(hostile)).toMatch(/recurses too deeply|take longer than 100 ms/);
  });

  test('a missing inputSchema, and an outputSchema that cannot be used', async () => {
    expect(await checker.check(toTool({ name: 't' }))).toBe('its inputSchema is missing');
    expect(await checker.check(tool({}, { type: 'any' }))).toBe(
      'its outputSchema cannot be compiled: type must be JSONType or JSONType[]: any',
    );
  });

  let deep: JsonObject = {};
  for (let i = 0; i < 30; i++) deep = { n: deep };
  const unique = object({ a: { type: 'array', uniqueItems: true } });
  test.each<[string, JsonObject, JsonObject]>([
    ['an exponential pattern no sample met', object({ a: { pattern: '^(x+)+$' } }), { a: `${'x'.repeat(40)}!` }],
    ['recursion that branches', branching, { a: deep }],
    ['quadratic uniqueItems', unique, { a: Array.from({ length: 30_000 }, (_, i) => ({ i })) }],
  ])('%s: the call that meets it is stopped, the next one is not tried', async (_, schema, value) => {
    const hostile = tool(schema);
    expect(await checker.check(hostile)).toBeUndefined();
    const validation = await checker.validate(hostile, 'inputSchema', value);
    expect(validation).toEqual({ kind: 'unknown', reason: 'took longer than 100 ms to check one value' });
    expect(checker.whySetAside(hostile.digest)).toBe('its inputSchema took longer than 100 ms to check one value');
  });

  test('the main thread is free meanwhile, and other tools are served', async () => {
    const hostile = tool(object({ a: { pattern: '^(x+)+$' } }));
    const honest = tool(object({ a: { pattern: '^x+$' } }));
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const [slow, served, here] = await Promise.all([
      checker.validate(hostile, 'inputSchema', { a: `${'x'.repeat(40)}!` }),
      checker.validate(honest, 'inputSchema', { a: 'xx' }),
      checker.validate(tool({ type: 'object' }), 'inputSchema', {}),
    ]);
    clearInterval(ticking);
    expect([slow.kind, served.kind, here.kind]).toEqual(['unknown', 'valid', 'valid']);
    expect(turns).toBeGreaterThan(10);
  });

  test('a value that would fill the memory of the worker is not sent there', async () => {
    const honest = tool(object({ a: { type: 'array', contains: { const: 1 } } }));
    const a: Json[] = Array.from({ length: 1_000_000 }, () => ({}));
    expect(await checker.validate(honest, 'inputSchema', { a })).toEqual({
      kind: 'unknown',
      reason: 'was not run: the value is too large',
    });
    expect(checker.whySetAside(honest.digest)).toBeUndefined();
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
    expect(await checker.check(honest)).toBeUndefined();
    for (const name of ['inputSchema', 'outputSchema'] as const) {
      expect(await checker.validate(honest, name, { a: 'abc', b: [1, 2] })).toEqual({ kind: 'valid' });
      expect(await checker.validate(honest, name, { a: 5 })).toEqual({
        kind: 'invalid',
        problems: ['"a" must be string'],
      });
    }
    expect(checker.whySetAside(honest.digest)).toBeUndefined();
  });

  test('validates without having been checked, and synchronously from the second time on', async () => {
    const honest = tool(object({ a: { type: 'string' } }));
    await checker.validate(honest, 'inputSchema', { a: 'x' });
    expect(checker.validate(honest, 'inputSchema', { a: 'x' })).toEqual({ kind: 'valid' });
    expect(checker.validate(honest, 'inputSchema', {})).toEqual({ kind: 'valid' });
    expect(checker.validate(honest, 'outputSchema', {})).toEqual({ kind: 'valid' });
  });

  test('a value too large for the main thread goes to the worker and is checked there', async () => {
    const honest = tool(object({ a: { type: 'array', items: { type: 'number' } } }));
    const a: Json[] = Array.from({ length: 100_000 }, () => 1);
    expect(await checker.validate(honest, 'inputSchema', { a })).toEqual({ kind: 'valid' });
    expect(await checker.validate(honest, 'inputSchema', { a: [...a, 'x'] })).toEqual({
      kind: 'invalid',
      problems: ['"a[100000]" must be number'],
    });
  });

  test('a thousand tools and more are remembered within bounds and stay right', async () => {
    for (let i = 0; i < 1_050; i++) {
      const honest = tool(object({ a: { const: i } }));
      expect((await checker.validate(honest, 'inputSchema', { a: i })).kind).toBe('valid');
      expect((await checker.validate(honest, 'inputSchema', { a: -1 })).kind).toBe('invalid');
    }
  }, 20_000);

  test('many schemas in the worker are forgotten and sent again', async () => {
    const tools = Array.from({ length: 250 }, (_, i) => tool(object({ a: { pattern: `^${i}$` } })));
    for (let round = 0; round < 2; round++)
      for (const [i, honest] of tools.entries())
        expect(await checker.validate(honest, 'inputSchema', { a: `${i}` })).toEqual({ kind: 'valid' });
  }, 20_000);
});

describe('lifetime', () => {
  test('closing answers who waits, and nothing is started again', async () => {
    const closing = createSchemaChecker();
    const waiting = [closing.check(tool(doubling)), closing.check(tool({}))];
    await closing.close();
    await closing.close();
    expect(await Promise.all(waiting)).toEqual([
      'its schemas could not be checked',
      'its schemas could not be checked',
    ]);
    expect(await closing.validate(tool(object({ a: { pattern: 'x' } })), 'inputSchema', {})).toEqual({
      kind: 'unknown',
      reason: 'could not be run',
    });
  });

  test('an idle worker is ended, and another one started when needed', async () => {
    const ended = vi.spyOn(Worker.prototype, 'terminate');
    const brief = createSchemaChecker({ idleMs: 1 });
    for (let i = 1; i <= 3; i++) {
      expect(await brief.check(tool(object({ a: { pattern: `${i}` } })))).toBeUndefined();
      await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(i));
    }
    await brief.close();
    ended.mockRestore();
  });

  test('the worker does not keep the process alive', async () => {
    const script = `
      import { createSchemaChecker } from ${JSON.stringify(built)};
      const tool = { upstream: 'u', digest: 'd', definition: { inputSchema: { properties: { a: { pattern: 'x' } } } } };
      process.stdout.write(String(await createSchemaChecker().check(tool)));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(out).toBe('undefined');
  });
});
