import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Connection, exchange } from './connection.ts';
import { requestHead } from './messages.ts';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(answer: (count: number) => { body: string; close: boolean }): Promise<number> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { body, close } = answer(count);
    count += 1;
    if (close) response.setHeader('connection', 'close');
    response.end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('a connection the server closed is opened again by the next request', async () => {
  const port = await listen((count) => ({ body: `answer ${count}`, close: count === 0 }));
  const connection = new Connection(port);
  const request = requestHead('POST', { port, path: '/', headers: {} }, {}, '{}');
  expect((await exchange(connection, request)).text).toBe('answer 0');
  expect((await exchange(connection, request)).text).toBe('answer 1');
  connection.close();
});

test('of a long answer both ends are kept', async () => {
  const port = await listen(() => ({ body: `begin${'x'.repeat(300_000)}end`, close: false }));
  const connection = new Connection(port);
  const request = requestHead('POST', { port, path: '/', headers: {} }, {}, '{}');
  const reply = await new Promise((resolve) => connection.send(request, false, resolve));
  connection.close();
  expect(reply).toMatchObject({ status: 200, bytes: 300_008 });
  expect((reply as { text: string }).text).toMatch(/^beginx{507}x{509}end$/);
});

test('nobody listening is an error, not a wait', async () => {
  const connection = new Connection(1);
  await expect(exchange(connection, Buffer.from('x'))).rejects.toThrow('ECONNREFUSED');
});
