import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exchange, messagesIn, openExchange, RawConnection } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { descendantsOf } from './process-table.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { isRunning } from './stdio-child.ts';
import { waitFor } from './wait-for.ts';

const own = misbehaving({ tools: ['echo', 'wait'] }, { sharing: 'client' });

/** Opens a session and returns the child that serves it alone. */
async function openWithChild(gateway: RunningGateway) {
  const before = new Set(descendantsOf(gateway.pid));
  const client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('own_echo'))).toContain('"tools/call"');
  const children = descendantsOf(gateway.pid).filter((pid) => !before.has(pid));
  return { client, children };
}

const NOT_FOUND = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32001, message: 'Session not found: it ended, expired, or was never here. Initialize a new one.' },
};

describe('a session', () => {
  it('ends when nobody uses it, with its child; one with an open stream or a call does not', async () => {
    const gate = join(newTestFolder(), 'gate');
    const gateway = await startGateway({ gateway: { sessionIdleMs: 1_000 }, mcpServers: { own } });
    const idle = await openWithChild(gateway);
    const listening = await new PlainClient(gateway).initialize();
    const stream = await openExchange({
      url: gateway.url,
      method: 'GET',
      headers: { ...gateway.headers, ...listening.session },
    });
    const calling = await new PlainClient(gateway).initialize();
    const call = calling.call('own_wait', { until: gate });
    expect(idle.children.length).toBeGreaterThan(0);
    await waitFor(() => expect(idle.children.filter(isRunning).length).toBeLessThan(idle.children.length));
    const gone = await idle.client.ask('ping');
    expect(gone.status).toBe(404);
    expect(JSON.parse(gone.body)).toEqual(NOT_FOUND);
    expect((await listening.ask('ping')).status).toBe(200);
    writeFileSync(gate, '');
    expect(textOf(await call)).toBe('waited');
    stream.destroy();
  });

  it('ends by DELETE, with its child and its calls', async () => {
    const gateway = await startGateway({ mcpServers: { own } });
    const { client, children } = await openWithChild(gateway);
    const hanging = client.ask('tools/call', { name: 'own_wait', arguments: { until: '/never' } });
    const remove = () =>
      exchange({ url: gateway.url, method: 'DELETE', headers: { ...gateway.headers, ...client.session } });
    expect((await remove()).status).toBe(200);
    // The client ended it: nothing more is said on the stream of its call.
    expect(messagesIn(await hanging)).toEqual([]);
    expect((await remove()).status).toBe(404);
    expect((await client.ask('ping')).status).toBe(404);
    await waitFor(() => expect(children.filter(isRunning).length).toBeLessThan(children.length));
  });

  it('is nobody else’s: made up, on another endpoint, or without a key', async () => {
    const gateway = await startGateway({ mcpServers: { own } });
    const client = await new PlainClient(gateway).initialize();
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const elsewhere = new PlainClient(gateway, gateway.servers['own']);
    expect((await elsewhere.post(ping, client.session)).status).toBe(404);
    for (const id of ['x', '__proto__', 'constructor', `${client.session['mcp-session-id']}x`])
      expect((await client.post(ping, { 'mcp-session-id': id })).status).toBe(404);
    const stranger = { ...gateway.headers, ...client.session, authorization: 'Bearer sp_other' };
    expect((await exchange({ url: gateway.url, headers: stranger, body: ping })).status).toBe(401);
    expect((await client.ask('ping')).status).toBe(200);
  });

  it('has one stream of its own at a time, and gets it back after a break', async () => {
    const gateway = await startGateway({ mcpServers: { own } });
    const client = await new PlainClient(gateway).initialize();
    const open = () =>
      openExchange({ url: gateway.url, method: 'GET', headers: { ...gateway.headers, ...client.session } });
    const first = await open();
    expect((await open()).statusCode).toBe(409);
    first.destroy();
    await waitFor(async () => {
      const again = await open();
      again.destroy();
      expect(again.statusCode).toBe(200);
    });
  });
});

describe('requests in flight', () => {
  it('are limited for one client (429) and in all (503), and places are given back', async () => {
    const gate = join(newTestFolder(), 'gate');
    const limits = { inFlight: 5, inFlightPerClient: 2 };
    const gateway = await startGateway({
      gateway: { limits },
      mcpServers: { bad: misbehaving({ tools: ['wait', 'echo'] }) },
    });
    const clients = await Promise.all([1, 2, 3].map(() => new PlainClient(gateway).initialize()));
    const [first, second, third] = clients as [PlainClient, PlainClient, PlainClient];
    await first.call('bad_echo');
    const wait = { name: 'bad_wait', arguments: { until: gate } };
    const full = [first, first, second, second].map((client) => client.ask('tools/call', wait));
    await waitFor(async () => expect((await first.ask('ping')).status).toBe(429));
    expect(JSON.parse((await first.ask('ping')).body).error).toEqual({
      code: -32000,
      message: 'This client has 2 requests in flight. Wait for one to end.',
    });
    expect((await second.ask('ping')).status).toBe(429);
    expect((await third.ask('ping')).status).toBe(200);
    full.push(third.ask('tools/call', wait));
    await waitFor(async () => expect((await third.ask('ping')).status).toBe(503));
    const modern = await new PlainClient(gateway).askModern('tools/list');
    expect(modern.status).toBe(503);
    expect(JSON.parse(modern.body)).toMatchObject({
      id: 1,
      error: { code: -32000, message: 'Sallyport has 5 requests in flight. Try again in a moment.' },
    });
    writeFileSync(gate, '');
    for (const answer of await Promise.all(full)) expect(answer.status).toBe(200);
    for (const client of clients) expect((await client.ask('ping')).status).toBe(200);
    expect((await new PlainClient(gateway).askModern('tools/list')).status).toBe(200);
  });

  it('give their places back when their clients go away', async () => {
    const gateway = await startGateway({
      gateway: { limits: { inFlight: 4, inFlightPerClient: 4 } },
      mcpServers: { bad: misbehaving({ tools: ['hang', 'echo'] }) },
    });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bad_echo');
    const params = { name: 'bad_hang', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) });
    const lines = Object.entries({ ...gateway.headers, ...modernHeaders('tools/call', params) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const connections = Array.from({ length: 4 }, () =>
      new RawConnection(gateway.origin).send(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    await waitFor(async () => expect((await client.ask('ping')).status).toBe(503));
    for (const connection of connections) connection.socket.destroy();
    await waitFor(async () => expect((await client.ask('ping')).status).toBe(200));
  });
});

it('an event stream that goes while its first message is sent leaves no session', async () => {
  const gateway = await startGateway({ mcpServers: { own }, gateway: { limits: { sessions: 1 } } });
  const stream = await openExchange({ url: gateway.sse, method: 'GET', headers: gateway.headers });
  const path = await new Promise<string>((resolve) => {
    stream.setEncoding('utf8').on('data', (text: string) => resolve(/^data: (.*)$/m.exec(text)?.[1] ?? ''));
  });
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const connection = new RawConnection(gateway.origin).send(
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(gateway.origin).host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
  );
  // Answered after that was read.
  await new PlainClient(gateway).askModern('server/discover');
  stream.destroy();
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  await waitFor(async () =>
    expect((await exchange({ url: gateway.origin + path, headers: gateway.headers, body: ping })).status).toBe(404),
  );
  connection.send(`${(body.length - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\n\r\n`);
  expect(await connection.answered()).toEqual([404]);
  await new PlainClient(gateway).initialize();
});
