import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { memoryOf } from './process-table.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

/** Each level asks for the one below twice: 2 to the 26th checks for one value. */
function doubling(): Record<string, unknown> {
  const $defs: Record<string, unknown> = { d0: { type: 'string' } };
  for (let i = 1; i <= 26; i++)
    $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  return object({ a: { $ref: '#/$defs/d26' } }, { $defs });
}

function deep(levels: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let i = 0; i < levels; i++) schema = object({ a: schema });
  return schema;
}

/** Schemas of strangers, and arguments that make them work hardest. */
const BOMBS: Readonly<Record<string, { schema: Record<string, unknown>; given: Record<string, unknown> }>> = {
  pattern: { schema: object({ a: { type: 'string', pattern: '^(a+)+$' } }), given: { a: `${'a'.repeat(40)}!` } },
  'nested-quantifiers': {
    schema: object({ a: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } }),
    given: { a: 'a'.repeat(60) },
  },
  'pattern-of-keys': {
    schema: object({}, { patternProperties: { '^(a|aa)+$': { type: 'string' } } }),
    given: { [`${'a'.repeat(60)}!`]: 1 },
  },
  doubling: { schema: doubling(), given: { a: 'x' } },
  wide: {
    schema: object(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]))),
    given: { p1: 'x' },
  },
  deep: { schema: deep(150), given: { a: {} } },
  circular: { schema: object({ a: { $ref: '#' } }), given: { a: { a: { a: {} } } } },
  'circle-of-references': {
    schema: object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } } }),
    given: { a: 1 },
  },
  foreign: { schema: object({ a: { $ref: 'http://127.0.0.1:1/schema.json' } }), given: { a: 1 } },
  file: { schema: object({ a: { $ref: 'file:///etc/passwd' } }), given: { a: 1 } },
  'no-pattern': { schema: object({ a: { type: 'string', pattern: '(' } }), given: { a: 'x' } },
  'other-dialect': { schema: object({ a: {} }, { $schema: 'https://example.com/my-dialect' }), given: { a: 1 } },
  unique: {
    schema: object({ a: { type: 'array', uniqueItems: true } }),
    given: { a: Array.from({ length: 20_000 }, (_, i) => ({ i })) },
  },
  proto: {
    schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"const":{"__proto__":1}}}}'),
    given: { a: {} },
  },
};

let gateway: RunningGateway;
let client: PlainClient;

beforeAll(async () => {
  const bombs = await startHttpUpstream({
    behave: ({ id, method }, response) => {
      if (method !== 'tools/list') return false;
      const tools = [
        { name: 'plain', inputSchema: object({ a: { type: 'string' } }, { required: ['a'] }) },
        ...Object.entries(BOMBS).map(([name, { schema }]) => ({ name, inputSchema: schema })),
        { name: 'last', inputSchema: { type: 'object' } },
      ];
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
      return true;
    },
  });
  gateway = await startGateway({ mcpServers: { bombs: { url: bombs.url }, good: misbehaving({ tools: ['echo'] }) } });
  client = await new PlainClient(gateway, `${gateway.url}/plain`).initialize();
});

describe('schemas made to cost', () => {
  it('leave the other tools of their server, and the others’, in the list', async () => {
    // A list does not wait for servers that take long to start.
    await waitFor(async () => {
      const { result } = await client.request('tools/list');
      const names = ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['bombs_plain', 'bombs_last', 'good_echo']));
    });
  });

  it.each(Object.entries(BOMBS))(
    '%s: the call is answered or refused with a reason, and nobody waits for it',
    async (name, { given }) => {
      const before = memoryOf(gateway.pid).now;
      const bomb = client.call(`bombs_${name}`, given);
      let over = false;
      void bomb.finally(() => {
        over = true;
      });
      let slowest = 0;
      while (!over) {
        const started = performance.now();
        expect(textOf(await client.call('good_echo'))).toContain('"tools/call"');
        slowest = Math.max(slowest, performance.now() - started);
      }
      // A bomb that goes off in the thread everybody shares takes all the time there is; a busy machine takes tenths.
      expect(slowest).toBeLessThan(20_000);
      const answer = await bomb;
      const said = textOf(answer) ?? answer.error?.message ?? '';
      expect(said).toMatch(/^bombs_|done$|waits for the operator|schema|pattern|argument|cannot|must/i);
      expect(memoryOf(gateway.pid).now - before).toBeLessThan(128);
    },
  );

  it('leave plain tools checked: what is missing is said, what is right goes through', async () => {
    expect((await client.call('bombs_plain', {})).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/"?a"?/) }],
    });
    expect(textOf(await client.call('bombs_plain', { a: 'x' }))).toBe('plain done');
    expect(textOf(await client.call('bombs_last', { anything: 1 }))).toBe('last done');
  });
});
