import { modernParams } from './plain-client.ts';

/** Numbers that look random and are the same in every run (xorshift32). */
export class FixedRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** An integer from 0 up to, not including, `end`. */
  below(end: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % end;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const request = (method: string, params: object, id = '1') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
const notification = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', method, params });

const REQUESTS: readonly [method: string, params: Record<string, unknown>][] = [
  ['tools/list', {}],
  ['tools/list', { cursor: 'sp1.AAAA' }],
  ['tools/call', { name: 'fake_echo', arguments: { text: 'héllo "x"', n: 1.5, list: [1, null, { a: true }] } }],
  ['tools/call', { name: 'fake_asks', arguments: {}, _meta: { progressToken: 7 } }],
  ['tools/call', { name: 'fake_fails', arguments: {} }],
  ['tools/call', { name: 'constructor', arguments: {} }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'fake+test://one' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'fake_prompt', arguments: { topic: 'x' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'fake_prompt' }, argument: { name: 'topic', value: 'a' } },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'fake+test://{x}' }, argument: { name: 'x', value: '' } },
  ],
  ['tasks/get', { taskId: 'fake.t1' }],
  ['tasks/cancel', { taskId: 'fake.t1' }],
  ['no/such/method', { a: 1 }],
];

const LEGACY: readonly string[] = [
  request(
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } },
    '"a"',
  ),
  request('ping', {}),
  request('logging/setLevel', { level: 'debug' }),
  request('resources/subscribe', { uri: 'fake+test://one' }),
  request('resources/unsubscribe', { uri: 'fake+test://one' }),
];

const MODERN: readonly string[] = [
  request('server/discover', modernParams()),
  request(
    'subscriptions/listen',
    modernParams({ notifications: { toolsListChanged: true, resourceSubscriptions: ['fake+test://one'] } }),
    '9',
  ),
  request(
    'tools/call',
    modernParams({
      name: 'fake_asks',
      arguments: {},
      requestState: 'sp1.AAAA',
      inputResponses: { q1: { action: 'accept' } },
    }),
  ),
];

const EITHER: readonly string[] = [
  notification('notifications/initialized', {}),
  notification('notifications/cancelled', { requestId: 1, reason: 'no' }),
  notification('notifications/cancelled', { requestId: 9 }),
  notification('notifications/progress', { progressToken: 1, progress: 1 }),
  notification('notifications/roots/list_changed', {}),
  '{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}',
  '{"jsonrpc":"2.0","id":"1","result":{"roots":[]}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no","data":{}}}',
  '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}',
];

const WRITTEN: readonly string[] = [
  ...REQUESTS.map(([method, params], index) => request(method, params, String(index))),
  ...REQUESTS.map(([method, params], index) =>
    request(method, modernParams(params, params['name'] === 'fake_asks' ? { elicitation: {} } : {}), `"m${index}"`),
  ),
  ...LEGACY,
  ...MODERN,
  ...EITHER,
  `[${request('ping', {}, '101')},${request('tools/list', {}, '102')},${notification('notifications/initialized', {})}]`,
];

/** A real message of one of the eras, cut where its id stands: requests with one id would only be told that it is in flight. */
export interface Seed {
  readonly before: Buffer;
  readonly after: Buffer | undefined;
}

const BEFORE_ID = '{"jsonrpc":"2.0","id":';

export function toSeed(text: string): Seed {
  if (!text.startsWith(BEFORE_ID)) return { before: Buffer.from(text), after: undefined };
  return { before: Buffer.from(BEFORE_ID), after: Buffer.from(text.slice(text.indexOf(',', BEFORE_ID.length))) };
}

export const SEEDS: readonly Seed[] = WRITTEN.map((text) =>
  text.includes('"method"') ? toSeed(text) : { before: Buffer.from(text), after: undefined },
);

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '0',
  '-0',
  '1e400',
  '1.0',
  '9007199254740993',
  '"__proto__":{"a":1},',
  '"constructor":{},',
  '"id":null,',
  '"id":1,',
  '"jsonrpc":"2.0",',
  '"method":"tools/call",',
  '"params":{},',
  '"params":[],',
  '"result":{},',
  '"error":{"code":1,"message":""},',
  '"name":"fake_echo",',
  '"name":7,',
  '"arguments":[],',
  '"_meta":{},',
  '"_meta":null,',
  '"cursor":"x",',
  '"uri":"", ',
  '"uri":7,',
  '"requestState":"sp1.x",',
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28",',
  '\ufeff',
  ' ',
  '\t',
  '\r',
  '\u2028',
  '\x7f',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[',
  '{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":',
].map((text) => Buffer.from(text));

/** Structural bytes: changes there reach further than changes within text. */
const STRUCTURE = Buffer.from('{}[]:,"\\0123456789-.eE \t\r');

/** A message with one to four changes; never with a line feed, so that a line stays one message. */
export function mutate(random: FixedRandom, { before, after }: Seed, id: number): Buffer {
  let bytes: Buffer =
    after === undefined ? Buffer.from(before) : Buffer.concat([before, Buffer.from(String(id)), after]);
  for (let changes = 1 + random.below(3); changes > 0; changes--) bytes = change(random, bytes);
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at)) bytes[at] = 0x20;
  return bytes;
}

function change(random: FixedRandom, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const length = Math.min(random.below(12) + 1, bytes.length - at);
  switch (random.below(10)) {
    case 0:
      // Mostly letters, so that many messages stay whole and are read further on.
      if (at < bytes.length) bytes[at] = random.below(4) === 0 ? random.below(256) : 0x61 + random.below(26);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = STRUCTURE[random.below(STRUCTURE.length)]!;
      return bytes;
    case 2:
      return insert(bytes, at, random.pick(TOKENS));
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 4:
      return insert(bytes, at, bytes.subarray(at, at + length));
    case 5:
      return random.below(4) === 0 ? bytes.subarray(0, at) : bytes;
    case 6: {
      const { before, after = before } = random.pick(SEEDS);
      const other = random.below(8) === 0 ? before : after;
      const from = random.below(other.length);
      return insert(bytes, at, other.subarray(from, from + random.below(60)));
    }
    default:
      return replaceToken(random, bytes, at);
  }
}

/** Puts another value, or another member, where one begins: the result is often well formed. */
function replaceToken(random: FixedRandom, bytes: Buffer, from: number): Buffer {
  const colon = bytes.indexOf(0x3a, from);
  if (colon < 0) return bytes;
  const ends = [0x2c, 0x7d].map((byte) => bytes.indexOf(byte, colon)).filter((end) => end > 0);
  const end = Math.min(bytes.length, ...ends);
  return Buffer.concat([bytes.subarray(0, colon + 1), random.pick(TOKENS), bytes.subarray(end)]);
}

function insert(bytes: Buffer, at: number, part: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}
