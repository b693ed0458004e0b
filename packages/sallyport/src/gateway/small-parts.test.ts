import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createClient } from '../../test/upstream-set-up.ts';
import { FaultError } from '../core/errors.ts';
import { parseBatch } from '../core/message.ts';
import { ANYONE } from '../core/principal.ts';
import { toText } from '../core/response.ts';
import { Shares } from '../core/shares.ts';
import { answerBatch } from './batch.ts';
import { EventLog, LogRoom } from './event-log.ts';
import { InFlight } from './in-flight.ts';
import { readLines } from './read-lines.ts';
import { HttpReply, toEvent } from './reply.ts';
import { negotiate } from './revisions.ts';
import { createSeal } from './seal.ts';

test('a seal opens what it sealed and nothing else', () => {
  const seal = createSeal(randomBytes(32));
  const sealed = seal.seal({ call: 'a', round: 1 });
  expect(seal.open(sealed)).toEqual({ call: 'a', round: 1 });
  expect(createSeal(randomBytes(32)).open(sealed)).toBeUndefined();
  for (const forged of ['', 'sp1.', 'sp1.AAAA', 'other', `${sealed.slice(0, -4)}AAAA`, `sp1.${'A'.repeat(100)}`])
    expect(seal.open(forged)).toBeUndefined();
});

test('a session runs under the revision asked for, or the newest legacy one', () => {
  expect(negotiate('2024-11-05')).toBe('2024-11-05');
  for (const other of ['2026-07-28', '1.0', undefined, 7]) expect(negotiate(other)).toBe('2025-11-25');
});

test('a log resumes the stream an event came from and keeps a bounded number', () => {
  const log = new EventLog();
  const reply = new HttpReply(
    { destroyed: true } as ServerResponse,
    {
      json: true,
      stream: true,
      streamFirst: false,
      log,
    },
    'caller',
  );
  const stream = log.open(reply);
  const first = log.append(stream, 'a');
  log.append(0, 'elsewhere');
  log.append(stream, 'b');
  expect(log.resume(first)).toMatchObject({ stream, missed: [{ text: 'b' }], reply });
  log.finish(stream);
  expect(log.resume(first)?.reply).toBeUndefined();
  for (const foreign of ['x', '9-1', '1-999', '-1', '1-1-1']) expect(log.resume(foreign)).toBeUndefined();
  for (let i = 0; i < 1_000; i++) log.append(0, 'x'.repeat(5_000));
  expect(log.resume('0-0')?.missed.length).toBeLessThanOrEqual(256);
});

test('the events of one caller leave room for those of others, and are gone with their sessions', () => {
  const [room, shares] = [new LogRoom(), new Shares()];
  const open = (caller: string) => {
    const log = new EventLog();
    log.enter(room, shares.of(caller));
    return log;
  };
  const text = 'x'.repeat(500_000);
  const greedy = Array.from({ length: 300 }, () => open('greedy'));
  for (const log of greedy) for (let i = 0; i < 3; i++) log.append(0, text);
  expect(room.used).toBeLessThan(256 * 1_048_576);
  const other = open('other');
  for (let i = 0; i < 2; i++) other.append(0, text);
  expect(other.resume('0-0')?.missed).toHaveLength(2);
  expect(greedy[0]?.resume('0-0')?.missed).toHaveLength(2);
  for (const log of [...greedy, other]) log.leave();
  other.append(0, text);
  expect([room.used, shares.of('greedy').bytes, shares.of('other').bytes]).toEqual([0, 0, 0]);
});

test('an event is one data line whatever the message holds', () => {
  expect(toEvent('{"a":1}', '1-1')).toBe('event: message\nid: 1-1\ndata: {"a":1}\n\n');
  expect(toEvent('{\r\n"a":\n1}\r', undefined)).toBe('event: message\ndata: { "a": 1} \n\n');
});

test('one request too many is refused, per client and in all, and idleness is told', async () => {
  const inFlight = new InFlight();
  const [a, b, c] = [createClient('a'), createClient('b'), createClient('c')];
  const limits = { inFlight: 3, inFlightPerClient: 2, inFlightBytes: 100 };
  inFlight.enter(a, 10, limits);
  inFlight.enter(a, 10, limits);
  expect(() => inFlight.enter(a, 10, limits)).toThrow(expect.objectContaining({ code: 'too_many' }) as Error);
  inFlight.enter(b, 10, limits);
  expect(() => inFlight.enter(c, 10, limits)).toThrow(expect.objectContaining({ code: 'overloaded' }) as Error);
  const idle = inFlight.whenIdle();
  for (const client of [a, a, b]) inFlight.leave(client, 10);
  await idle;
  expect(() => inFlight.enter(a, 101, limits)).toThrow(expect.objectContaining({ code: 'overloaded' }) as Error);
  inFlight.enter(a, 100, limits);
  expect(() => inFlight.enter(b, 1, limits)).toThrow(expect.objectContaining({ code: 'overloaded' }) as Error);
  inFlight.leave(a, 100);
  expect(inFlight.count).toBe(0);
});

test('the requests of one caller leave room for another, whichever sessions they come from', () => {
  const limits = { inFlight: 64, inFlightPerClient: 64, inFlightBytes: 64_000 };
  const clientOf = (session: number, id: string) => ({ ...createClient(`s${session}`), principal: { ...ANYONE, id } });
  const inFlight = new InFlight();
  for (let i = 0; i < 56; i++) inFlight.enter(clientOf(i, 'greedy'), 10, limits);
  expect(() => inFlight.enter(clientOf(56, 'greedy'), 10, limits)).toThrow(
    expect.objectContaining({ code: 'too_many' }) as Error,
  );
  for (let i = 0; i < 7; i++) inFlight.enter(clientOf(i, 'other'), 10, limits);
  for (let i = 0; i < 7; i++) inFlight.leave(clientOf(i, 'other'), 10);
  inFlight.leave(clientOf(0, 'greedy'), 10);
  inFlight.enter(clientOf(56, 'greedy'), 10, limits);
});

test('the bytes of one caller leave room for another', () => {
  const limits = { inFlight: 64, inFlightPerClient: 64, inFlightBytes: 64_000 };
  const inFlight = new InFlight();
  const greedy = { ...createClient('g'), principal: { ...ANYONE, id: 'greedy' } };
  for (let i = 0; i < 14; i++) inFlight.enter(greedy, 4_000, limits);
  expect(() => inFlight.enter(greedy, 4_000, limits)).toThrow(expect.objectContaining({ code: 'too_many' }) as Error);
  inFlight.enter({ ...createClient('o'), principal: { ...ANYONE, id: 'other' } }, 4_000, limits);
});

test('lines are handed over whole across chunks; an endless one is cut and refused, not kept', async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  await new Promise<void>((resolve) => {
    readLines(input, 10, (line) => lines.push(line.toString()), resolve);
    for (const chunk of ['{"a"', ':1}\r\n\n  \n{}', '\n', 'x'.repeat(8), 'y'.repeat(8), 'z'.repeat(1_000), '\nlast'])
      input.write(chunk);
    input.end();
  });
  expect(lines[0]).toBe('{"a":1}\r');
  expect(lines[1]).toBe('{}');
  expect(lines[2]!.length).toBeGreaterThan(10);
  expect(lines[2]!.length).toBeLessThan(30);
  expect(lines[3]).toBe('last');
});

test('a batch is answered by one array once every request has its answer', () => {
  const batch = parseBatch(
    Buffer.from(
      '[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"}]',
    ),
    { maxDepth: 9, uniqueKeys: true },
  )!;
  const answers: unknown[] = [];
  const heard: string[] = [];
  const open: (() => void)[] = [];
  const waits = answerBatch(
    batch,
    { message() {}, answer: (written) => answers.push(JSON.parse(toText(written))) },
    (message, reply) => {
      heard.push(message.kind);
      if (message.kind === 'request') open.push(() => reply.answer(`{"id":${message.id}}`, 200));
    },
  );
  expect(waits).toBe(true);
  expect(heard).toEqual(['request', 'notification', 'request']);
  open[1]?.();
  expect(answers).toEqual([]);
  open[0]?.();
  expect(answers).toEqual([
    [expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }), { id: 2 }, { id: 1 }],
  ]);
  expect(
    answerBatch([new FaultError('parse', 'x')], { message() {}, answer: (written) => answers.push(written) }, () => {}),
  ).toBe(true);
});
