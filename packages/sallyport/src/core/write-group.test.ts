import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { WriteGroup } from './write-group.ts';

const ENOUGH = 8;
const group = new WriteGroup(ENOUGH);

const heard: string[] = [];
const server = createServer((socket) => {
  socket.setEncoding('latin1').on('data', (text) => heard.push(String(text)));
  socket.on('end', () => socket.end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };

afterAll(() => void server.close());
afterEach(() => void vi.useRealTimers());

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

/** Who wrote last wrote alone. */
async function beAlone(): Promise<void> {
  const socket = await open();
  group.write(socket, '.');
  await hear(1);
  socket.destroy();
}

test('who writes alone waits for the end of the turn only', async () => {
  await beAlone();
  const socket = await open();
  group.write(socket, 'one');
  expect(socket.writableLength).toBe(3);
  await setImmediate();
  expect(socket.writableCorked).toBe(0);
  expect((await hear(3)).join('')).toBe('one');
  socket.destroy();
});

/** A clock that stands still, so that only turns count. */
const stopClock = (): void => void vi.useFakeTimers({ toFake: ['performance'] });

test('what is written in following turns leaves together, in order, once a turn brings nothing', async () => {
  stopClock();
  const socket = await open();
  for (const text of ['one ', 'two ', 'three ']) group.write(socket, text);
  await setImmediate();
  group.write(socket, 'four ');
  await setImmediate();
  expect(socket.writableLength).toBe(19);
  await setImmediate();
  expect(socket.writableCorked).toBe(0);
  expect((await hear(19)).join('')).toBe('one two three four ');
  socket.destroy();
});

test('nothing waits for long, whatever following turns bring', async () => {
  stopClock();
  const [socket, other] = [await open(), await open()];
  for (const text of ['one ', 'two ', 'three ']) group.write(socket, text);
  await setImmediate();
  group.write(other, 'four');
  expect(socket.writableCorked).toBe(3);
  vi.advanceTimersByTime(1);
  await setImmediate();
  expect(socket.writableCorked).toBe(0);
  expect((await hear(18)).join('').length).toBe(18);
  socket.destroy();
  other.destroy();
});

test('a connection that is ended in the same turn says what it had to say', async () => {
  const socket = await open();
  group.write(socket, 'last words');
  socket.end();
  expect((await hear(10)).join('')).toBe('last words');
  await once(socket.resume(), 'close');
});

test('one that is gone keeps nobody else waiting', async () => {
  const [gone, there] = [await open(), await open()];
  group.write(gone, 'never');
  gone.destroy();
  group.write(there, 'still');
  expect((await hear(5)).join('')).toBe('still');
  there.destroy();
});

test('enough do not wait for the end of the turn', async () => {
  const socket = await open();
  for (let i = 0; i < ENOUGH; i++) group.write(socket, 'x');
  expect(socket.writableCorked).toBe(0);
  expect((await hear(ENOUGH)).join('')).toBe('x'.repeat(ENOUGH));
  socket.destroy();
});
