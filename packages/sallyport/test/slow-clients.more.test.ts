import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openExchange, RawConnection } from './http-exchange.ts';
import { keyHolder } from './keyed-callers.ts';
import { eventsOf } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { memoryOf, openFiles } from './process-table.ts';
import { misbehaving, newTestFolder, type RunningGateway, StdioGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const mcpServers = { bad: misbehaving() };

describe('senders that take their time', () => {
  let gateway: RunningGateway;
  let client: PlainClient;
  let host: string;

  beforeAll(async () => {
    gateway = await startGateway({ mcpServers, gateway: { limits: { headerMs: 300, requestMs: 600 } } });
    host = new URL(gateway.origin).host;
    client = await new PlainClient(gateway).initialize();
  });

  /** Sends one piece after the other for as long as the other side listens. */
  function drip(connection: RawConnection, piece: string): void {
    const timer = setInterval(() => {
      if (connection.isClosed) clearInterval(timer);
      else connection.send(piece);
    }, 50);
  }

  const body = (head: string) =>
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\n${head}\r\n\r\n`;
  const SLOW: readonly [name: string, start: () => string, piece: string | undefined][] = [
    ['say nothing', () => '', undefined],
    ['never finish their request line', () => 'GET /mc', undefined],
    ['send a header every now and then', () => `GET /mcp HTTP/1.1\r\nHost: ${host}\r\n`, 'X-Slow: a\r\n'],
    ['send one header, byte by byte', () => `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, 'a'],
    ['promise a body and send none', () => body('Content-Length: 1000'), undefined],
    ['send a body byte by byte', () => body('Content-Length: 1000000'), ' '],
    ['send chunks byte by byte', () => body('Transfer-Encoding: chunked'), '1\r\n \r\n'],
    ['send a body byte by byte that is refused', () => body('Content-Length: 99999999'), ' '],
  ];

  it('are cut at the limits, and others are served meanwhile', async () => {
    const files = openFiles(gateway.pid);
    const slow = SLOW.flatMap(([name, start, piece]) =>
      Array.from({ length: 25 }, () => {
        const connection = new RawConnection(gateway.origin).send(start());
        if (piece !== undefined) drip(connection, piece);
        return { name, connection };
      }),
    );
    let served = 0;
    while (slow.some(({ connection }) => !connection.isClosed)) {
      expect(textOf(await client.call('bad_echo'))).toContain('"tools/call"');
      served++;
    }
    expect(served).toBeGreaterThan(3);
    for (const { name, connection } of slow) {
      // A connection closed without a word is as good.
      expect([408, 413, undefined], name).toContain(connection.statuses.at(-1));
    }
    await waitFor(() => expect(openFiles(gateway.pid)).toBeLessThan(files + 5));
  });

  it('a thousand at the default limits are cut, and others are served', async () => {
    const gateway = await startGateway({ mcpServers });
    const client = await new PlainClient(gateway).initialize();
    const head = `GET /mcp HTTP/1.1\r\nHost: ${new URL(gateway.origin).host}\r\nX-Slow: `;
    const slow = Array.from({ length: 1_000 }, () => new RawConnection(gateway.origin).send(head));
    const timer = setInterval(() => {
      for (const connection of slow) if (!connection.isClosed) connection.send('a');
    }, 2_000);
    let served = 0;
    while (slow.some(({ isClosed }) => !isClosed)) {
      expect(textOf(await client.call('bad_echo'))).toContain('"tools/call"');
      served++;
    }
    clearInterval(timer);
    expect(served).toBeGreaterThan(10);
  });
});

describe('listeners that stay', () => {
  it('a thousand idle event streams are open at once, all are told of a change, and all are freed', async () => {
    const gateway = await startGateway({ mcpServers });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bad_echo');
    const files = openFiles(gateway.pid);
    const before = memoryOf(gateway.pid).now;
    const headers = { ...gateway.headers, accept: 'text/event-stream' };
    const params = modernParams({ notifications: { toolsListChanged: true } });
    const listen = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    const open = (index: number) =>
      index % 2 === 0
        ? openExchange({ url: gateway.sse, method: 'GET', headers })
        : openExchange({
            url: gateway.url,
            headers: { ...gateway.headers, ...modernHeaders('subscriptions/listen') },
            body: listen,
          });
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    for (let i = 0; i < 1000; i += 50)
      streams.push(...(await Promise.all(Array.from({ length: 50 }, (_, j) => open(i + j)))));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(streams.map(() => 200));
    expect(openFiles(gateway.pid)).toBeGreaterThan(files + 990);
    expect((memoryOf(gateway.pid).now - before) / 1000).toBeLessThan(0.1);
    const events = streams.filter((_, index) => index % 2 === 1).map((stream) => eventsOf(stream));
    await Promise.all(events.map(async (each) => expect((await each.next()).value).toContain('acknowledged')));
    // A server that comes is a change for everybody.
    gateway.process.write({ mcpServers: { ...mcpServers, more: misbehaving({ tools: ['echo'] }) } });
    await Promise.all(
      events.map(async (each) => expect((await each.next()).value).toContain('notifications/tools/list_changed')),
    );
    for (const stream of streams) stream.destroy();
    await waitFor(() => expect(openFiles(gateway.pid)).toBeLessThan(files + 10));
    expect((await client.request('ping')).result).toEqual({});
  });

  it('streams and sessions have a bound; the longest idle session makes room, one in use does not', async () => {
    const gateway = await startGateway({ mcpServers, gateway: { limits: { sessions: 5 } } });
    const clients: PlainClient[] = [];
    for (let i = 0; i < 8; i++) clients.push(await new PlainClient(gateway).initialize());
    const statuses = [];
    for (const client of clients) statuses.push((await client.ask('ping')).status);
    expect(statuses).toEqual([404, 404, 404, 200, 200, 200, 200, 200]);
    const streams = await Promise.all(
      clients
        .slice(3)
        .map((client) =>
          openExchange({ url: gateway.url, method: 'GET', headers: { ...gateway.headers, ...client.session } }),
        ),
    );
    const refused = await new PlainClient(gateway).post(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
    );
    expect(refused.status).toBe(503);
    expect(refused.body).toContain('Sallyport has 5 sessions in use. End one or try again later.');
    const listening = await new PlainClient(gateway).askModern('subscriptions/listen', { notifications: {} });
    expect(listening.status).toBe(503);
    expect(listening.body).toContain('Sallyport has 5 sessions and streams.');
    expect((await new PlainClient(gateway).requestModern('server/discover')).result).toBeDefined();
    for (const stream of streams) stream.destroy();
    for (const client of clients.slice(3)) expect((await client.ask('ping')).status).toBe(200);
  });
});

describe('readers that do not read', () => {
  /** A call whose answer is 64 MB of notifications, asked for by a client that never takes its eyes off the first byte. */
  async function ignoreFlood(gateway: RunningGateway, era: 'legacy' | 'modern'): Promise<RawConnection> {
    const params = {
      name: 'bad_flood-notifications',
      arguments: { method: 'notifications/progress', times: 65_536, filler: 1000 },
      _meta: { progressToken: 't' },
    };
    const client = await new PlainClient(gateway).initialize();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: era === 'modern' ? modernParams(params) : params,
    });
    const headers = {
      ...gateway.headers,
      ...(era === 'modern' ? modernHeaders('tools/call', params) : client.session),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const connection = new RawConnection(gateway.origin);
    connection.socket.pause();
    return connection.send(
      `POST /mcp HTTP/1.1\r\nHost: ${new URL(gateway.origin).host}\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  it.each(['legacy', 'modern'] as const)('do not fill the memory (%s), and others are served', async (era) => {
    const counter = join(newTestFolder(), 'counter');
    const gateway = await startGateway({
      mcpServers: { bad: misbehaving({ counter }), good: misbehaving({ tools: ['echo', 'count'] }) },
    });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bad_flood-notifications', { times: 100 });
    const before = memoryOf(gateway.pid).now;
    const connections = [await ignoreFlood(gateway, era), await ignoreFlood(gateway, era)];
    expect(textOf(await client.call('good_echo'))).toContain('"tools/call"');
    // Both floods are through.
    await waitFor(() => expect(readFileSync(counter, 'utf8').split('\n')).toHaveLength(4));
    expect(textOf(await client.call('good_echo'))).toContain('"tools/call"');
    expect(memoryOf(gateway.pid).peak - before).toBeLessThan(64);
    for (const connection of connections) connection.socket.destroy();
    expect(textOf(await client.call('good_echo'))).toContain('"tools/call"');
  });

  it('of a stream outside of requests are cut, and their session can go on', async () => {
    const gateway = await startGateway({ mcpServers });
    const client = await new PlainClient(gateway).initialize();
    const lines = Object.entries({ ...gateway.headers, ...client.session }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const before = memoryOf(gateway.pid).now;
    for (const path of ['/mcp', '/sse']) {
      const connection = new RawConnection(gateway.origin);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: ${new URL(gateway.origin).host}\r\n${lines.join('')}\r\n`);
      await connection.answered();
      connection.socket.pause();
    }
    const flood = { method: 'notifications/message', times: 65_536, filler: 1000 };
    expect(textOf(await client.call('bad_flood-notifications', flood))).toBe('flooded');
    expect(memoryOf(gateway.pid).peak - before).toBeLessThan(64);
    expect((await client.request('ping')).result).toEqual({});
  });

  it('of answers on /sse are cut, however small the answers', async () => {
    const gateway = await startGateway({ mcpServers });
    const stream = await openExchange({ url: gateway.sse, method: 'GET', headers: { ...gateway.headers } });
    const path = (await eventsOf(stream).next()).value ?? '';
    const client = new PlainClient(gateway, gateway.origin + path);
    const ask = (id: string, method: string, params: object) =>
      client.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await ask('open', 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    stream.pause();
    const before = memoryOf(gateway.pid).now;
    // Each error comes back with its id of a megabyte.
    const id = 'i'.repeat(1_000_000);
    let status = 202;
    for (let i = 0; i < 200 && status === 202; i++) status = (await ask(`${i}${id}`, 'ping', {})).status;
    expect(status).toBe(404);
    // From a cold heap: what 1 MB strings leave to the collector comes on top of what is kept.
    expect(memoryOf(gateway.pid).peak - before).toBeLessThan(200);
  });

  it('of answers on many event streams are cut, too, and the readers of others are not', async () => {
    const gateway = await startGateway({ mcpServers });
    const other = await keyHolder(gateway, 'other', []);
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const open = async (holder: RunningGateway) => {
      const stream = await openExchange({ url: gateway.sse, method: 'GET', headers: { ...holder.headers } });
      const events = eventsOf(stream);
      const client = new PlainClient(holder, gateway.origin + ((await events.next()).value ?? ''));
      const ask = (id: string, method: string, given: object) =>
        client.post(JSON.stringify({ jsonrpc: '2.0', id, method, params: given }));
      await ask('open', 'initialize', params);
      return { stream, events, ask };
    };
    const reader = await open(other);
    const before = memoryOf(gateway.pid).now;
    // Each error comes back with its id of a megabyte: 60 are less than one stream may leave unread.
    const id = 'i'.repeat(1_000_000);
    for (let i = 0; i < 8; i++) {
      const { stream, ask } = await open(gateway);
      stream.pause();
      for (let j = 0, status = 202; j < 55 && status === 202; j++) status = (await ask(`${j}${id}`, 'ping', {})).status;
    }
    // 440 MB were asked for; what 1 MB strings leave to the collector comes on top of the 256 MiB that are kept.
    expect(memoryOf(gateway.pid).now - before).toBeLessThan(420);
    await reader.ask('still there', 'ping', {});
    let heard = '';
    while (!heard.includes('still there')) heard = (await reader.events.next()).value ?? 'still there: ended';
    expect(heard).toContain('"id":"still there"');
    reader.stream.destroy();
  });

  it('of stdio miss notifications, and no memory is spent on them', async () => {
    const stdio = new StdioGateway({ mcpServers });
    const ask = (id: number, method: string, params: object) =>
      stdio.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
    await stdio.line('"id":1');
    const before = memoryOf(stdio.process.pid).now;
    stdio.process.child.stdout?.pause();
    ask(2, 'tools/call', { name: 'bad_flood-notifications', arguments: { times: 65_536, filler: 1000 } });
    await stdio.process.logged(/"outcome":"ok"/);
    expect(memoryOf(stdio.process.pid).peak - before).toBeLessThan(64);
    stdio.process.child.stdout?.resume();
    expect(await stdio.line('"id":2')).toContain('flooded');
  });
});

describe('readers of large answers', () => {
  it('get several at once on one event stream, notifications between them', async () => {
    const gateway = await startGateway({ mcpServers });
    const stream = await openExchange({ url: gateway.sse, method: 'GET', headers: { ...gateway.headers } });
    const events = eventsOf(stream);
    const client = new PlainClient(gateway, gateway.origin + ((await events.next()).value ?? ''));
    const ask = (id: number, method: string, params: object) =>
      client.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await ask(0, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    const given = { name: 'bad_echo', arguments: { a: 'x'.repeat(3_500_000) } };
    const asking = [1, 2, 3, 4, 5, 6].map((id) => ask(id, 'tools/call', given));
    await ask(7, 'tools/call', { name: 'bad_flood-notifications', arguments: { times: 200 } });
    await Promise.all(asking);
    const left = new Set([0, 1, 2, 3, 4, 5, 6, 7]);
    while (left.size > 0) left.delete(JSON.parse((await events.next()).value ?? '{"id":0}').id);
    stream.destroy();
  });
});
