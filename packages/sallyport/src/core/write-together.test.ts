import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { writeTogether } from './write-together.ts';

const heard: string[] = [];
const server = createServer((socket) => {
  socket.setEncoding('latin1').on('data', (text) => heard.push(String(text)));
  socket.on('end', () => socket.end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };

afterAll(() => void server.close());

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function hear(count: number): Promise<string[]> {
  const deadline = Date.now() + 10_000;
  while (heard.join('').length < count && Date.now() < deadline) await setImmediate();
  return heard.splice(0);
}

test('what is written in one turn leaves after it, in order', async () => {
  const socket = await open();
  writeTogether(socket, 'one ');
  writeTogether(socket, 'two ');
  expect(socket.writableLength).toBe(8);
  await setImmediate();
  expect(socket.writableCorked).toBe(0);
  expect((await hear(8)).join('')).toBe('one two ');
  socket.destroy();
});

test('a connection that is ended in the same turn says what it had to say', async () => {
  const socket = await open();
  writeTogether(socket, 'last words');
  socket.end();
  expect((await hear(10)).join('')).toBe('last words');
  await once(socket.resume(), 'close');
});

test('one that is gone keeps nobody else waiting', async () => {
  const [gone, there] = [await open(), await open()];
  writeTogether(gone, 'never');
  gone.destroy();
  writeTogether(there, 'still');
  expect((await hear(5)).join('')).toBe('still');
  there.destroy();
});

test('many do not wait for the end of the turn', async () => {
  const socket = await open();
  for (let i = 0; i < 64; i++) writeTogether(socket, 'x');
  expect(socket.writableCorked).toBe(0);
  expect((await hear(64)).join('')).toBe('x'.repeat(64));
  socket.destroy();
});
