import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { LogFields } from '../core/log.ts';
import { createDestination } from './destination.ts';
import { createLog, type LogLevel } from './log.ts';

async function logged(
  fields: LogFields,
  message = 'message',
  level: LogLevel = 'debug',
): Promise<Record<string, unknown>> {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const destination = createDestination({ stream });
  createLog(level, destination).warn(fields, message);
  await destination.close();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

describe('createLog', () => {
  test('writes one JSON line with level, ISO time, fields and message', async () => {
    const line = await logged({ upstream: 'files', pid: 7 }, 'started');
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      upstream: 'files',
      pid: 7,
      msg: 'started',
    });
  });

  test('writes nothing below its level', async () => {
    expect(await logged({ a: 1 }, 'message', 'error')).toEqual({});
    expect(await logged({ a: 1 }, 'message', 'silent')).toEqual({});
  });

  const secrets: [string, LogFields][] = [
    ['authorization', { headers: { Authorization: 'Bearer hunter2hunter2' } }],
    ['x-api-key', { headers: { 'X-API-Key': 'hunter2hunter2' } }],
    ['cookie', { 'set-cookie': ['sid=hunter2hunter2'] }],
    ['env', { server: { env: { PLAIN: 'hunter2hunter2' } } }],
    ['accessToken', { accessToken: 'hunter2hunter2' }],
    ['client_secret', { nested: [{ client_secret: 'hunter2hunter2' }] }],
    ['DB_PASSWORD', { DB_PASSWORD: 'hunter2hunter2' }],
    ['a number', { password: 2 ** 31 }],
    ['a bearer in text', { note: 'sent Bearer hunter2hunter2 to it' }],
    ['a URL with user information', { url: 'https://me:hunter2hunter2@example.com/mcp' }],
    ['a URL with a token as its user', { url: 'https://hunter2hunter2@example.com/mcp' }],
    ['a URL with a token', { url: 'https://example.com/mcp?x=1&token=hunter2hunter2' }],
    ['an error that quotes one', { error: new Error('got 401 for Bearer hunter2hunter2') }],
  ];
  test.each(secrets)('masks %s', async (_, fields) => {
    const text = JSON.stringify(await logged(fields));
    expect(text).not.toMatch(/hunter2|2147483648/);
    expect(text).toContain('[redacted]');
  });

  test('masks secrets in the message', async () => {
    expect(await logged({}, 'GET https://a:hunter2@b/ failed')).toHaveProperty(
      'msg',
      'GET https://[redacted]@b/ failed',
    );
  });

  test.each<[string, LogFields]>([
    ['words that only look alike', { monkey: 'a', keyboard: 'b', tokenizer: 'c', author: 'd' }],
    ['whether there is a key', { key: true, token: undefined, secret: null, name: 'x' }],
    ['plain URLs', { url: 'https://example.com:8080/mcp?limit=5' }],
    ['lists and numbers', { pids: [1, 2], ratio: 0.5 }],
  ])('leaves %s alone', async (_, fields) => {
    expect(await logged(fields)).toMatchObject(JSON.parse(JSON.stringify(fields)) as object);
  });

  test('serialises errors with code, stack and causes', async () => {
    const error = new FaultError('unreachable', 'The upstream "files" is gone.', {
      cause: new AggregateError([new Error('deep')], 'many'),
    });
    expect(await logged({ error })).toMatchObject({
      error: {
        type: 'FaultError',
        code: 'unreachable',
        message: 'The upstream "files" is gone.',
        stack: expect.stringContaining('log.test.ts'),
        cause: { type: 'AggregateError', message: 'many', errors: [{ message: 'deep' }] },
      },
    });
  });

  test('survives what strangers put into fields', async () => {
    const cycle: Record<string, unknown> = { name: 'cycle' };
    cycle['self'] = cycle;
    const error = new Error('round');
    error.cause = error;
    const line = await logged({
      cycle,
      error,
      big: 2n ** 64n,
      bytes: Buffer.alloc(1_000_000),
      long: 'x'.repeat(1_000_000),
      many: Array.from({ length: 10_000 }, () => 1),
      call: () => 1,
      proto: JSON.parse('{"__proto__": {"polluted": 1}}') as unknown,
      date: new Date(Number.NaN),
    });
    expect(line).toMatchObject({ big: '18446744073709551616', bytes: '(1000000 bytes)', date: 'Invalid Date' });
    expect(JSON.stringify(line).length).toBeLessThan(30_000);
    expect({}).not.toHaveProperty('polluted');
  });
});
