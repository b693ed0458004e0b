import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Log } from '../core/log.ts';
import { createOtlp } from './otlp.ts';
import type { Span } from './traces.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function bench(serve: (body: string, response: ServerResponse) => void, collect = () => []) {
  const warnings: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(`${request.url} ${body}`);
      serve(body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const say = (_: unknown, message: string) => void warnings.push(message);
  const log: Log = { debug: say, info: say, warn: say, error: say };
  const { port } = server.address() as AddressInfo;
  const otlp = createOtlp({
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      headers: { 'x-key': 'secret' },
      traces: true,
      metrics: true,
      sample: 1,
      intervalMs: 3_600_000,
    },
    version: '1',
    log,
    collect,
  });
  return { otlp, bodies, warnings };
}

const span: Span = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentId: undefined,
  name: 'x',
  kind: 'server',
  startedAt: 1,
  endedAt: 2,
  attributes: {},
  failed: false,
};
const ok = (_: string, response: ServerResponse) => void response.writeHead(200).end('{}');

test('what waits is sent in batches when it ends, and then nothing is taken any more', async () => {
  const { otlp, bodies } = await bench(ok);
  for (let i = 0; i < 700; i++) otlp.give(span);
  await otlp.close();
  const counts = bodies.map((body) => [body.split(' ', 1)[0], body.split('"spanId"').length - 1]);
  expect(counts).toEqual([
    ['/v1/traces', 512],
    ['/v1/traces', 188],
    ['/v1/metrics', 0],
  ]);
  otlp.give(span);
  expect(otlp.dropped).toBe(1);
});

test('more spans than may wait are dropped and counted', async () => {
  const { otlp } = await bench(ok);
  for (let i = 0; i < 5_000; i++) otlp.give(span);
  expect(otlp.dropped).toBe(5_000 - 2_048);
  await otlp.close();
});

test.each([
  ['refuses', (_: string, response: ServerResponse) => void response.writeHead(503).end()],
  ['redirects', (_: string, response: ServerResponse) => void response.writeHead(307, { location: '/x' }).end()],
  ['hangs up', (_: string, response: ServerResponse) => void response.destroy()],
])('a collector that %s is said once, without the key', async (_, serve) => {
  const { otlp, warnings, bodies } = await bench(serve);
  otlp.give(span);
  await otlp.close();
  expect(otlp.dropped).toBe(1);
  expect(warnings).toHaveLength(1);
  expect(warnings.join()).not.toContain('secret');
  expect(bodies.every((body) => !body.startsWith('/x'))).toBe(true);
});

test('a collector that never answers does not hold the end', async () => {
  const { otlp } = await bench(() => {});
  otlp.give(span);
  await otlp.close();
});

test('what fails while metrics are read is told and ends nothing', async () => {
  const { otlp, warnings } = await bench(ok, () => {
    throw new Error('inside');
  });
  await otlp.close();
  expect(warnings).toHaveLength(1);
});
