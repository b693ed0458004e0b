import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Channel, openChannels, requestText } from './message-channels.ts';
import { modernParams, PlainClient } from './plain-client.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';

let channels: Channel[];
let counter: string;
let gateway: RunningGateway;

beforeAll(async () => {
  counter = join(newTestFolder(), 'counter');
  // The server echoes each byte as one character, C1 controls among them, which scanning would write out.
  const scan = { results: 'off' };
  const config = { mcpServers: { bad: misbehaving({ counter, tools: ['echo', 'count'] }) }, scan };
  gateway = await startGateway(config);
  channels = await openChannels(gateway, config);
});

const counted = () => {
  try {
    return readFileSync(counter, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const parse = (answer: string) => JSON.parse(Buffer.from(answer, 'latin1').toString('utf8'));
/** What the upstream got, byte for byte. */
const seen = (answer: string): string => parse(answer).result.content[0].text;

describe('ids come back byte for byte', () => {
  const IDS = [
    '1',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '1.0',
    '1.50',
    '-0',
    '0',
    '1e400',
    '-1e400',
    '1E+2',
    '0.1000',
    '""',
    '"1"',
    '"\\u0031"',
    '"a\\/b"',
    '"\\ud800"',
    '"__proto__"',
    '"constructor"',
    '"null"',
    '"\\""',
    utf8('"ключ 🔑"'),
    `"${'i'.repeat(1_048_576)}"`,
  ];
  const show = (id: string) => (id.length > 50 ? `a string of ${id.length} bytes` : id);
  const rows = IDS.map((id) => [show(id), id] as const);

  it.each(rows)('%s', async (_name, id) => {
    for (const channel of channels) {
      const asked: [string, Record<string, unknown>][] = [
        ['tools/call', { name: 'bad_echo', arguments: {} }],
        ['tools/call', { name: 'bad_missing', arguments: {} }],
        ['tools/list', {}],
        ['no/such/method', {}],
        [channel.modern ? 'server/discover' : 'ping', {}],
      ];
      for (const [method, params] of asked) {
        const answer = await channel.ask(requestText(channel, id, method, params));
        const found = /^\{"jsonrpc":"2\.0","id":(.*?),"(?:result|error)":/s.exec(answer)?.[1];
        expect(found === id, `${channel.name} ${method}: ${answer.slice(0, 200)}`).toBe(true);
      }
    }
  });

  it('an id of null, of another type or written as nothing is refused without an id', async () => {
    const before = counted();
    for (const channel of channels) {
      for (const id of ['null', 'true', '{}', '[]', '[1]']) {
        const answer = await channel.ask(requestText(channel, id, 'tools/call', { name: 'bad_count' }));
        expect(parse(answer), `${channel.name} ${id}`).toEqual({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32600, message: 'The id of an MCP request is a string or a number.' },
        });
      }
      for (const id of ['01', '+1', '.5', '1.', '0x1', 'NaN', 'Infinity', '', "'1'"]) {
        const answer = await channel.ask(requestText(channel, id, 'tools/call', { name: 'bad_count' }));
        expect(parse(answer), `${channel.name} ${id}`).toMatchObject({ id: null, error: { code: -32700 } });
      }
    }
    expect(counted()).toBe(before);
  });
});

describe('what the upstream sees is what was judged', () => {
  const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', 'method', 'id', 'jsonrpc'];
  /** In the arguments "__proto__" has a guard of its own, see below. */
  const argument = (key: string) => (key === '__proto__' ? 'proto' : key);
  const honest = KEYS.map((key) => [
    key,
    `{"name":"bad_echo","arguments":{"${argument(key)}":{"${argument(key)}":[{"${argument(key)}":1.0}],"name":"x"},"n":1.50,"big":9007199254740993},"${key === '' ? 'x' : key}":{"name":"bad_count","admin":true}}`,
  ]);

  it.each(honest)('the key "%s" at every level goes through unchanged and changes nothing', async (_key, params) => {
    const before = counted();
    for (const channel of channels) {
      // `id` and the like under params are params like any other.
      const inner = params.slice(1, -1);
      const meta = channel.modern
        ? `,${JSON.stringify(JSON.parse(requestText(channel, '1', 'x')).params).slice(1, -1)}`
        : '';
      const sent = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${inner}${meta}},"__proto__":{"method":"ping"}}`;
      const got = seen(await channel.ask(sent));
      expect(got, channel.name).toContain(inner.replace('bad_echo', 'echo'));
      expect(got, channel.name).toContain('"__proto__":{"method":"ping"}');
    }
    expect(counted()).toBe(before);
  });

  it('a "__proto__" in the arguments, and a number no two programs read alike, never reach an upstream', async () => {
    const before = counted();
    for (const channel of channels) {
      for (const [given, reason] of [
        ['{"__proto__":{"admin":true}}', /member "__proto__"/],
        ['{"a":[{"__proto__":1}]}', /member "__proto__"/],
        ['{"constructor":{"prototype":{"admin":true}}}', /member "constructor"/],
        ['{"a":1e400}', /too large to be read/],
      ] as const) {
        const text = requestText(channel, '1', 'tools/call', { name: 'bad_count', arguments: '!' }).replace(
          '"!"',
          given,
        );
        const { result } = parse(await channel.ask(text));
        expect(result, channel.name).toMatchObject({
          isError: true,
          content: [{ text: expect.stringMatching(reason) }],
        });
      }
    }
    expect(counted()).toBe(before);
  });

  const call = (params: string, top = '') =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}${top}}`;
  const DUPLICATES: readonly [string, string][] = [
    ['method', call('"name":"bad_count"', ',"method":"ping"')],
    ['method in another spelling', call('"name":"bad_count"', ',"\\u006dethod":"ping"')],
    ['id', call('"name":"bad_count"', ',"id":2')],
    ['jsonrpc', call('"name":"bad_count"', ',"jsonrpc":"2.0"')],
    ['params', call('"name":"bad_echo"', ',"params":{"name":"bad_count"}')],
    ['name', call('"name":"bad_echo","name":"bad_count"')],
    ['name in another spelling', call('"name":"bad_echo","nam\\u0065":"bad_count"')],
    ['arguments', call('"name":"bad_count","arguments":{},"arguments":{"a":1}')],
    ['an argument', call('"name":"bad_count","arguments":{"path":"/ok","path":"/etc/passwd"}')],
    ['an argument in another spelling', call('"name":"bad_count","arguments":{"path":"/ok","\\u0070ath":"/etc"}')],
    ['a key far below', call('"name":"bad_count","arguments":{"a":[[{"b":{"c":1,"c":2}}]]}')],
    ['a key below another spelling of it', call('"name":"bad_count","arguments":{"a":{"é":1,"\\u00e9":2}}')],
    ['__proto__', call('"name":"bad_count","arguments":{"__proto__":1,"__proto__":2}')],
    ['the empty key', call('"name":"bad_count","arguments":{"":1,"":2}')],
    ['_meta', call('"name":"bad_count","_meta":{},"_meta":{}')],
  ];

  it.each(DUPLICATES)('the same key twice is refused: %s', async (_name, text) => {
    const before = counted();
    for (const channel of channels) {
      expect(parse(await channel.ask(utf8(text))), channel.name).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'The message has the same key twice in one object.' },
      });
    }
    expect(counted()).toBe(before);
  });

  it('text keeps its own escapes', async () => {
    for (const channel of channels) {
      const given = utf8('{"b":"\\u00e9é\\/","c":"\\ud83d\\udd11","d":"🔑","e":"\\u0000","f":"\u2028"}');
      const meta = channel.modern
        ? `,${JSON.stringify(JSON.parse(requestText(channel, '1', 'x')).params).slice(1, -1)}`
        : '';
      const answer = await channel.ask(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad_echo","arguments":${given}${meta}}}`,
      );
      expect(seen(answer), channel.name).toContain(given);
    }
  });
});

describe('what is no message is refused', () => {
  const million = 1_000_000;
  const inParams = (text: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad_count","arguments":${text}}}`;
  const ROWS: readonly [name: string, bytes: string, code: number, message: RegExp][] = [
    ['a million brackets', '['.repeat(million), -32600, /nested deeper than 64 levels/],
    ['a million braces', '{"a":'.repeat(million / 5), -32600, /nested deeper than 64 levels/],
    [
      'a million brackets in the arguments',
      inParams('['.repeat(million) + ']'.repeat(million)),
      -32600,
      /nested deeper than 64 levels/,
    ],
    ['65 levels', inParams('['.repeat(63) + ']'.repeat(63)), -32600, /nested deeper than 64 levels/],
    ['a byte order mark', `\xef\xbb\xbf${inParams('{}')}`, -32700, /byte order mark/],
    ['UTF-16', Buffer.from(inParams('{}'), 'utf16le').toString('latin1'), -32700, /not JSON|not valid UTF-8/],
    [
      'UTF-16 with a mark',
      `\xff\xfe${Buffer.from(inParams('{}'), 'utf16le').toString('latin1')}`,
      -32700,
      /not valid UTF-8/,
    ],
    ['a byte that is no UTF-8', inParams('{"a":"\xff"}'), -32700, /not valid UTF-8/],
    ['half a character', inParams('{"a":"\xc3"}'), -32700, /not valid UTF-8/],
    ['an overlong slash', inParams('{"a":"\xc0\xaf"}'), -32700, /not valid UTF-8/],
    ['a surrogate as bytes', inParams('{"a":"\xed\xa0\x80"}'), -32700, /not valid UTF-8/],
    ['beyond Unicode', inParams('{"a":"\xf4\x90\x80\x80"}'), -32700, /not valid UTF-8/],
    ['a raw control character', inParams('{"a":"\x01"}'), -32700, /not JSON/],
    ['half a message', inParams('{}').slice(0, -1), -32700, /not JSON/],
    ['two messages', `${inParams('{}')}${inParams('{}')}`, -32700, /not JSON/],
    ['a trailing comma', inParams('{"a":1,}'), -32700, /not JSON/],
    ['a comment', inParams('{/*a*/}'), -32700, /not JSON/],
    [
      'params that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      -32600,
      /params of an MCP message are an object/,
    ],
    [
      'params that are null',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
      -32600,
      /params of an MCP message are an object/,
    ],
    [
      'a method that is no text',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      -32600,
      /method of a JSON-RPC message is a string/,
    ],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, /"jsonrpc": "2.0"/],
    ['no version', '{"id":1,"method":"ping"}', -32600, /"jsonrpc": "2.0"/],
    ['a number', '7', -32600, /is an object/],
    ['null', 'null', -32600, /is an object/],
    [
      'an answer with both',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
      -32600,
      /a method, or a result, or an error/,
    ],
    ['an empty batch', '[]', -32600, /[Bb]atch|is an object|There is no session/],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, /[Bb]atch|is an object|There is no session/],
    ['a batch of a million', `[${'0,'.repeat(million)}0]`, -32600, /[Bb]atch|is an object|There is no session/],
  ];

  it.each(ROWS)('%s', async (_name, bytes, code, message) => {
    const before = counted();
    for (const channel of channels) {
      const answer = parse(await channel.ask(bytes));
      expect(answer, channel.name).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code, message: expect.stringMatching(message) },
      });
    }
    expect(counted()).toBe(before);
  });

  it('64 levels are allowed, and what deep values a result holds is relayed', async () => {
    for (const channel of channels) {
      const deep = '['.repeat(61) + ']'.repeat(61);
      const answer = await channel.ask(
        requestText(channel, '1', 'tools/call', { name: 'bad_echo', arguments: { deep: JSON.parse(deep) } }),
      );
      expect(seen(answer), channel.name).toContain(deep);
    }
  });
});

describe('over HTTP', () => {
  const client = () => new PlainClient(gateway);
  const cancelled = (params: object) =>
    client().post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));

  it('a modern notification needs no header to be known as one', async () => {
    expect((await cancelled(modernParams({ requestId: 1 }))).status).toBe(202);
    expect((await cancelled({ requestId: 1 })).status).toBe(400);
  });

  it('a prompt without a name is asked for one', async () => {
    const legacy = await client().initialize();
    for (const params of [{}, { name: 7 }])
      expect((await legacy.request('prompts/get', params)).error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/needs "name"/),
      });
  });
});
