import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, StdioGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** What strangers may call their tools and prompts; as a program sees them, and as a person does. */
const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'length',
  'null',
  '0',
  '.',
  '..',
  '-',
  '_',
  'a.b-c_d',
  'odd_constructor',
  'a b',
  ' a',
  'a/b',
  'a\\b',
  'a"b',
  "a'b",
  'a\nb',
  'a\tb',
  'a\u0000b',
  'a=b;c',
  '../../etc/passwd',
  '%2e%2e%2f',
  '=?base64?YQ==?=',
  'ünïcode',
  '日本語ツール',
  '🔑',
  '\u202egnp.exe',
  '\u200b',
  'é',
  'e\u0301',
  'tools/call',
  'x'.repeat(64),
  'x'.repeat(128),
  `${'x'.repeat(127)}y`,
  'y'.repeat(1_000),
];
const URIS = NAMES.map((name) => `odd://${encodeURIComponent(name.slice(0, 200))}`).concat(
  'constructor:a',
  '__proto__:a',
  'file:///etc/passwd',
  'odd://a b',
  'odd:🔑',
  `odd://${'u'.repeat(2_000)}`,
);

let gateway: RunningGateway;
const odd = misbehaving({ tools: NAMES, prompts: NAMES, resources: URIS });

/** Names that nobody sees, or that read backwards, are held by what reads definitions; here they are to go through. */
const scan = { definitions: 'show' };

beforeAll(async () => {
  const modern = await startHttpUpstream({ tools: NAMES, modern: true });
  gateway = await startGateway({ scan, mcpServers: { odd, modern: { url: modern.url } } });
});

type Ask = (
  method: string,
  params?: Record<string, unknown>,
) => Promise<{ readonly result?: Record<string, unknown>; readonly error?: unknown }>;

async function namesOf(
  ask: Ask,
  list: 'tools' | 'prompts' | 'resources',
  key: 'name' | 'uri' = 'name',
): Promise<string[]> {
  const { result } = await ask(`${list}/list`);
  return ((result?.[list] ?? []) as Record<string, string>[]).map((item) => item[key] ?? '');
}

/** A client of either era on either endpoint. */
const CLIENTS: readonly [name: string, shared: boolean, open: () => Promise<Ask>][] = [
  ['legacy on /mcp', true, async () => bind(await new PlainClient(gateway).initialize()).request],
  ['modern on /mcp', true, async () => bind(new PlainClient(gateway)).requestModern],
  [
    'legacy on /servers/odd/mcp',
    false,
    async () => bind(await new PlainClient(gateway, gateway.servers['odd']).initialize()).request,
  ],
  [
    'modern on /servers/odd/mcp',
    false,
    async () => bind(new PlainClient(gateway, gateway.servers['odd'])).requestModern,
  ],
];

function bind(client: PlainClient): { request: Ask; requestModern: Ask } {
  return {
    request: (method, params) => client.request(method, params),
    requestModern: (method, params) => client.requestModern(method, params),
  };
}

describe.each(CLIENTS)('%s', (_name, shared, open) => {
  it('every tool can be listed and called, each by one name', async () => {
    const ask = await open();
    const names = (await namesOf(ask, 'tools')).filter((name) => !name.startsWith('modern'));
    expect(new Set(names).size).toBe(NAMES.length);
    if (shared) for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    else expect(names).toEqual(NAMES);
    const called = [];
    for (const name of names) called.push(textOf(await ask('tools/call', { name, arguments: {} })));
    expect(called).toEqual(NAMES);
  });

  it('every prompt can be listed, got and completed', async () => {
    const ask = await open();
    const names = await namesOf(ask, 'prompts');
    expect(names).toHaveLength(NAMES.length);
    const got = [];
    for (const name of names) {
      const { result } = await ask('prompts/get', { name });
      const complete = await ask('completion/complete', {
        ref: { type: 'ref/prompt', name },
        argument: { name: 'a', value: '' },
      });
      got.push([
        (result?.['messages'] as { content: { text: string } }[])?.[0]?.content.text,
        complete.result?.['completion'],
      ]);
    }
    expect(got).toEqual(NAMES.map((name) => [name, { values: [name] }]));
  });

  it('every resource can be listed and read, and is called in the answer what it is called in the list', async () => {
    const ask = await open();
    const uris = await namesOf(ask, 'resources', 'uri');
    expect(uris).toHaveLength(URIS.length);
    const read = [];
    for (const uri of uris) {
      const { result } = await ask('resources/read', { uri });
      const [contents] = (result?.['contents'] ?? []) as { uri: string; text: string }[];
      expect(contents?.uri).toBe(uri);
      read.push(contents?.text);
    }
    expect(read).toEqual(URIS);
  });

  it('what is not there is unknown, or up to the server of the endpoint, also when every object has it', async () => {
    const ask = await open();
    for (const name of ['isPrototypeOf', '__lookupGetter__', 'propertyIsEnumerable', 'odd_isPrototypeOf']) {
      const [called, got] = [await ask('tools/call', { name, arguments: {} }), await ask('prompts/get', { name })];
      if (shared) {
        expect(called.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown tool: /) });
        expect(got.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown prompt: /) });
      } else {
        expect(textOf(called)).toBe(name);
        expect(got.result).toMatchObject({ messages: [{ content: { text: name } }] });
      }
    }
    // On the shared endpoint no name is the bare one of a server.
    if (shared)
      for (const name of ['constructor', '__proto__', 'toString'])
        expect((await ask('tools/call', { name })).error).toMatchObject({
          code: -32602,
          message: `Unknown tool: ${name}. tools/list has the names.`,
        });
  });
});

it('an upstream that checks Mcp-Name against the body gets it right for every name', async () => {
  for (const url of [gateway.url, gateway.servers['modern']]) {
    const client = new PlainClient(gateway, url);
    const ask = bind(client).requestModern;
    const names = (await namesOf(ask, 'tools')).filter((name) => url !== gateway.url || name.startsWith('modern'));
    expect(names).toHaveLength(NAMES.length);
    const called = [];
    for (const name of names) called.push(textOf(await client.callModern(name)));
    expect(called).toEqual(NAMES.map((name) => `${name} done`));
  }
});

it('without prefixes two servers with the same names share nothing, on stdio as well', async () => {
  const twice = {
    scan,
    gateway: { prefix: 'none', limits: { inFlightPerClient: 200 } },
    mcpServers: { one: odd, two: odd },
  };
  const stdio = new StdioGateway(twice, ['--no-call-log']);
  const ask = (id: number, method: string, params: object) =>
    stdio.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
  await stdio.line('"id":1,');
  let id = 1;
  const names = await waitFor(async () => {
    ask(++id, 'tools/list', {});
    const { result } = JSON.parse(Buffer.from(await stdio.line(`"id":${id},`), 'latin1').toString());
    const listed: string[] = result.tools.map(({ name }: { name: string }) => name);
    expect(new Set(listed).size).toBe(2 * NAMES.length);
    return listed;
  });
  expect(names.filter((name) => name === 'constructor')).toHaveLength(1);
  names.forEach((name, index) => {
    ask(100 + index, 'tools/call', { name, arguments: {} });
  });
  for (let index = 0; index < names.length; index++) {
    const answer = JSON.parse(Buffer.from(await stdio.line(`"id":${100 + index},`), 'latin1').toString());
    expect(textOf(answer)).toBe(NAMES[index % NAMES.length]);
  }
});
