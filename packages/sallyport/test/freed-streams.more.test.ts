import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { openExchange } from './http-exchange.ts';
import { eventsOf } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { memoryOf, openFiles } from './process-table.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const REPORT = fileURLToPath(new URL('fixtures/report-heap.mjs', import.meta.url));
const mcpServers = { bad: misbehaving({ tools: ['echo', 'hang'] }) };
const LISTEN = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: modernParams({ notifications: { toolsListChanged: true } }),
});
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: modernParams({ name: 'bad_hang', arguments: {} }),
});

let gateway: RunningGateway;
let client: PlainClient;

beforeAll(async () => {
  gateway = await startGateway({ mcpServers }, [], { NODE_OPTIONS: `--import ${REPORT}` });
  client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('bad_echo'))).toContain('"tools/call"');
});

let asked = 0;
/** What is left after a collection. KiB. */
async function heap(): Promise<number> {
  asked++;
  process.kill(gateway.pid, 'SIGUSR2');
  const [, bytes] = /heap \d+ (\d+)/.exec(await gateway.process.logged(new RegExp(`heap ${asked} \\d+`))) ?? [];
  return Number(bytes) / 1024;
}

type Open = () => Promise<IncomingMessage>;
const listen: Open = () =>
  openExchange({
    url: gateway.url,
    headers: { ...gateway.headers, ...modernHeaders('subscriptions/listen') },
    body: LISTEN,
  });
const sse: Open = () =>
  openExchange({ url: gateway.sse, method: 'GET', headers: { ...gateway.headers, accept: 'text/event-stream' } });

async function openMany(open: Open, many: number): Promise<IncomingMessage[]> {
  const streams: IncomingMessage[] = [];
  for (let i = 0; i < many; i += 50) streams.push(...(await Promise.all(Array.from({ length: 50 }, () => open()))));
  return streams;
}

/** Opens and closes streams, and waits until the last of them is gone. */
async function openAndClose(open: Open, many: number): Promise<void> {
  const files = openFiles(gateway.pid);
  for (let i = 0; i < many; i += 50) {
    const streams = await openMany(open, 50);
    for (const stream of streams) {
      expect(stream.statusCode).toBe(200);
      stream.destroy();
    }
  }
  await waitFor(() => expect(openFiles(gateway.pid)).toBeLessThanOrEqual(files + 2));
}

describe('a stream that its client closes', () => {
  it.each<[string, Open]>([
    ['subscriptions/listen', listen],
    ['/sse', sse],
  ])('leaves nothing: %s', async (_, open) => {
    await openAndClose(open, 400);
    const before = await heap();
    await openAndClose(open, 2_000);
    expect((await heap()) - before).toBeLessThan(1_024);
  });

  it('nor does a call whose client goes away', async () => {
    const begin = () =>
      new Promise<void>((resolve) => {
        const headers = { ...gateway.headers, ...modernHeaders('tools/call', { name: 'bad_hang' }) };
        const controller = new AbortController();
        fetch(gateway.url, { method: 'POST', headers, body: CALL, signal: controller.signal }).catch(() => resolve());
        void waitFor(async () => {
          const answer = await fetch(`${gateway.origin}/api/v1/servers/bad`, { headers: gateway.headers });
          if (((await answer.json()) as { inFlight: number }).inFlight === 0) throw new Error('not there yet');
        }).then(() => controller.abort());
      });
    for (let i = 0; i < 100; i++) await begin();
    const before = await heap();
    for (let i = 0; i < 300; i++) await begin();
    expect((await heap()) - before).toBeLessThan(1_024);
  });
});

it('ten thousand idle streams cost at most 30 KiB each, hear of a change, and are all freed', async () => {
  const files = openFiles(gateway.pid);
  const before = await heap();
  const resident = memoryOf(gateway.pid).now;
  const streams = [...(await openMany(listen, 5_000)), ...(await openMany(sse, 5_000))];
  expect(new Set(streams.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(openFiles(gateway.pid)).toBeGreaterThan(files + 9_990);
  expect(((memoryOf(gateway.pid).now - resident) * 1_024) / streams.length).toBeLessThan(30);
  const events = streams.slice(0, 5_000).map((stream) => eventsOf(stream));
  await Promise.all(events.map(async (each) => expect((await each.next()).value).toContain('acknowledged')));
  gateway.process.write({ mcpServers: { ...mcpServers, more: misbehaving({ tools: ['echo'] }) } });
  await Promise.all(events.map(async (each) => expect((await each.next()).value).toContain('list_changed')));
  for (const stream of streams) stream.destroy();
  await waitFor(() => expect(openFiles(gateway.pid)).toBeLessThan(files + 10));
  // What the change brought stays; what the streams took is freed once their ends are recorded.
  await waitFor(async () => expect((await heap()) - before).toBeLessThan(8_192));
});
