import { beforeAll, describe, expect, it } from 'vitest';
import { rest } from './approvals-set-up.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const typed = (rest: string): string => `{"type":"object"${rest}}`;
const named = ($schema: string): string => typed(`,"$schema":"${$schema}","properties":{"a":{"type":"string"}}`);
const wide = typed(`,"properties":{${Array.from({ length: 500 }, (_, i) => `"p${i}":{"pattern":"^${i}"}`).join(',')}}`);

/** Definitions as servers write them, byte for byte, and arguments that fit them. */
const HONEST: Readonly<Record<string, readonly [definition: string, fitting: Record<string, unknown>]>> = {
  plain: [`"inputSchema":${typed('')}`, {}],
  'draft-03': [`"inputSchema":${named('http://json-schema.org/draft-03/schema#')}`, { a: 'x' }],
  'draft-04': [`"inputSchema":${named('http://json-schema.org/draft-04/schema#')}`, { a: 'x' }],
  'draft-06': [`"inputSchema":${named('http://json-schema.org/draft-06/schema#')}`, { a: 'x' }],
  '2019-09': [`"inputSchema":${named('https://json-schema.org/draft/2019-09/schema')}`, { a: 'x' }],
  'own-dialect': [`"inputSchema":${named('https://example.com/my-dialect')}`, { a: 'x' }],
  elsewhere: [`"inputSchema":${typed(',"properties":{"a":{"$ref":"https://example.com/a.json"}}')}`, { a: 1 }],
  'elsewhere-out': [`"inputSchema":${typed('')}, "outputSchema":${typed(',"$ref":"https://example.com/b.json"')}`, {}],
  wide: [`"inputSchema":${wide}`, { p1: '1' }],
  many: [
    `"inputSchema":${typed(',"properties":{"of":{"type":"object","additionalProperties":{"type":"string"}}}')}`,
    {},
  ],
  slow: [`"inputSchema":${typed(',"properties":{"a":{"pattern":"^(x+)+$"}}')}`, { a: 'xx' }],
};
const UNTYPED = ['{"name":"untyped", "inputSchema":{ "properties":{} }}', '{"name":"bare"}'];
const DEEP = `{"name":"deep", "inputSchema":${'{"a":'.repeat(600)}{}${'}'.repeat(600)}}`;
const texts = Object.entries(HONEST).map(([name, [definition]]) => `{ "name":"${name}",${definition} }`);
const structured = { content: [{ type: 'text', text: 'done' }], structuredContent: { b: 1 } };

let url: string;
let gateway: RunningGateway;
let client: PlainClient;
const endpoint = () => gateway.servers['odd'] ?? '';

beforeAll(async () => {
  const odd = await startHttpUpstream({
    behave: ({ id, method, params }, response) => {
      const send = (result: string) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
      if (method === 'tools/list') send(`{"tools":[${[...texts, DEEP, ...UNTYPED].join(',')}]}`);
      else if (method === 'tools/call' && params?.name === 'elsewhere-out') send(JSON.stringify(structured));
      else return false;
      return true;
    },
    tools: [...Object.keys(HONEST), 'untyped', 'bare'],
  });
  ({ url } = odd);
  gateway = await startGateway({ mcpServers: { odd: { url } } });
  client = await new PlainClient(gateway, endpoint()).initialize();
});

describe('schemas that are not the newest, or cannot be used', () => {
  it('leave their tools in the list, byte for byte; only a missing type is added', async () => {
    const { body } = await client.ask('tools/list');
    for (const text of texts) expect(body).toContain(text);
    expect(body).toContain('{"name":"untyped", "inputSchema":{"type":"object", "properties":{} }}');
    expect(body).toContain('{"inputSchema":{"type":"object"},"name":"bare"}');
  });

  it.each(Object.entries(HONEST))('%s: is called', async (name, [, fitting]) => {
    const { result } = await client.call(name, fitting);
    expect(result?.['isError']).toBeUndefined();
    if (name === 'elsewhere-out') expect(result).toEqual(structured);
  });

  it.each(['draft-03', 'draft-04', 'draft-06', '2019-09'])('%s: is validated', async (name) => {
    expect(textOf(await client.call(name, { a: 1 }))).toContain('"a" must be string');
  });

  it('are named by the API, with the reason, and the record of each call says it', async () => {
    const viewer = await keyHolder(gateway, 'eyes', ['--group', 'viewer']);
    const reasons = [
      'tools/list: own-dialect: its inputSchema is written in a dialect that is not supported',
      'tools/list: elsewhere: its inputSchema refers to "https://example.com/a.json", which is not in it',
      'tools/list: elsewhere-out: its outputSchema refers to "https://example.com/b.json", which is not in it',
    ];
    await waitFor(async () => {
      const { body } = await rest(viewer, 'GET', '/servers/odd');
      expect(body['problems']).toEqual([
        expect.stringContaining('deep'),
        ...reasons.map((reason) => expect.stringContaining(reason)),
      ]);
      expect(body['definitions']).toMatchObject({ unvalidated: 3, malformed: 1 });
    });
    await client.call('elsewhere', { a: 1 });
    await client.call('elsewhere-out');
    const { body } = await rest(viewer, 'GET', '/audit/calls?limit=2');
    expect(body['items']).toMatchObject([
      { tool: 'elsewhere-out', outcome: 'ok', notValidated: expect.stringContaining('outputSchema refers to') },
      { tool: 'elsewhere', outcome: 'ok', notValidated: expect.stringContaining('inputSchema refers to') },
    ]);
  });

  it('are blocked where the operator says so', async () => {
    const strict = await startGateway({ gateway: { unvalidatedArguments: 'deny' }, mcpServers: { odd: { url } } });
    const asking = await new PlainClient(strict, strict.servers['odd']).initialize();
    expect(textOf(await asking.call('elsewhere', { a: 1 }))).toContain('could not be validated');
    expect(textOf(await asking.call('draft-03', { a: 'x' }))).toBe('draft-03 done');
    expect((await asking.call('elsewhere-out')).result).toEqual(structured);
  });
});

describe('a tool nested beyond what is read', () => {
  it('is left out and named with its reason; the others stay', async () => {
    const { body } = await client.ask('tools/list');
    expect(body).not.toContain('"deep"');
    expect(body).toContain('"plain"');
    expect(textOf(await client.call('deep'))).toContain('nested deeper than 512 levels');
    const viewer = await keyHolder(gateway, 'looks', ['--group', 'viewer']);
    const { body: shown } = await rest(viewer, 'GET', '/servers/odd');
    expect(shown['problems']).toContain('tools/list: deep: nested deeper than 512 levels');
  });
});

describe('one caller’s argument', () => {
  it('of 100,000 short members costs nobody else the tool', async () => {
    const of = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`member-number-${i}`, `value-${i}`]));
    expect(textOf(await client.call('many', { of }))).toMatch(/^many done$|Other calls of this tool are served/);
    expect(textOf(await client.call('many', { of: { a: 'x' } }))).toBe('many done');
  });

  it('that is slow is refused, with a message that says so, and the next call is served', async () => {
    const refused = textOf(await client.call('slow', { a: `${'x'.repeat(40)}!` }));
    expect(refused).toContain('takes too long to be validated. Other calls of this tool are served.');
    expect(textOf(await client.call('slow', { a: 'xx' }))).toBe('slow done');
    expect(textOf(await client.call('slow', { a: 'y' }))).toContain('do not match');
  });
});
