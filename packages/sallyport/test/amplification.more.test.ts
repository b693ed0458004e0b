import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { exchange } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { memoryOf, resetPeak } from './process-table.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

/** Near the limit of a request. */
const SIZE = 4_000_000;
/** What one request may cost at most, in its own size (the rule of Envoy's threat model). */
const MOST = 100;

let gateway: RunningGateway;
let client: PlainClient;
/** What a byte of a usual large request costs. Nanoseconds of CPU. */
let usual: number;

beforeAll(async () => {
  gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['echo'] }) } });
  client = await new PlainClient(gateway).initialize();
  // The first large messages grow buffers that stay.
  for (let i = 0; i < 3; i++) await client.call('bad_echo', { a: 'x'.repeat(3_000_000) });
  const busy = cpu();
  for (let i = 0; i < 5; i++) await client.call('bad_echo', { a: 'word '.repeat(600_000) });
  usual = ((cpu() - busy) * 1_000_000) / 15_000_000;
});

/** Of the process, in milliseconds. */
function cpu(): number {
  const fields = readFileSync(`/proc/${gateway.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const call = (given: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: modernParams({ name: 'bad_echo', arguments: { a: '@' } }),
  }).replace('"@"', given);
const fill = (piece: string) => piece.repeat(Math.floor((SIZE - 1_000) / piece.length));

const REQUESTS: readonly [name: string, body: () => string][] = [
  ['one long string', () => call(`"${fill('x')}"`)],
  ['escapes', () => call(`"${fill('\\u0041')}"`)],
  ['empty arrays', () => call(`[${fill('[],')}[]]`)],
  ['empty objects', () => call(`[${fill('{},')}{}]`)],
  ['numbers', () => call(`[${fill('1,')}1]`)],
  ['long numbers', () => call(`[${fill('1e-300,')}1]`)],
  ['short members', () => call(`{${Array.from({ length: 400_000 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`)],
  ['arrays in arrays', () => `${'['.repeat(SIZE)}`],
  ['objects in objects', () => '{"a":'.repeat(SIZE / 5)],
  ['a batch', () => `[${fill('{"jsonrpc":"2.0","id":1,"method":"ping"},')}{}]`],
  ['spaces', () => `${' '.repeat(SIZE)}{}`],
  ['no JSON', () => 'x'.repeat(SIZE)],
  ['bytes that are no UTF-8', () => call(`"${fill('\xff')}"`)],
];

it.each(REQUESTS)('a request costs less than a hundred times its size: %s', async (_, toBody) => {
  const body = Buffer.from(toBody(), 'latin1');
  expect(body.length).toBeLessThan(4_194_304);
  const send = () =>
    exchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...modernHeaders('tools/call', { name: 'bad_echo' }) },
      body,
    });
  await resetPeak(gateway.pid);
  const [memory, busy] = [memoryOf(gateway.pid).now, cpu()];
  const { status } = await send();
  expect([200, 400, 413, 429, 503]).toContain(status);
  expect(((memoryOf(gateway.pid).peak - memory) * 1_048_576) / body.length).toBeLessThan(MOST);
  expect(((cpu() - busy) * 1_000_000) / body.length).toBeLessThan(MOST * usual);
  expect(textOf(await client.call('bad_echo'))).toContain('"tools/call"');
});
