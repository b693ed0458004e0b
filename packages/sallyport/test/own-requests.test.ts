import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScanJudge } from '../src/call/scan-judge.ts';
import { systemClock } from '../src/core/clock.ts';
import { type Log, silentLog } from '../src/core/log.ts';
import { fetchJson } from '../src/gateway/auth/fetch-json.ts';
import type { Approval } from '../src/guard/approve/approval.ts';
import { createApprovalWebhook } from '../src/telemetry/approval-webhook.ts';
import { createOtlp } from '../src/telemetry/otlp.ts';
import { createGuardedFetch, type Resolve } from '../src/upstream/auth/guarded-fetch.ts';
import { createHttpOrigin, HeaderBlock } from '../src/upstream/http-origin.ts';
import { createOperatorLookup, createOperatorPost } from '../src/upstream/operator-lookup.ts';

/** Everything that Sallyport asks by itself, as one request to an address. Rejects, or says that it failed. */
const KINDS: readonly [string, (url: string, resolve: Resolve) => Promise<unknown>][] = [
  ['a call of an upstream', (url, resolve) => viaOrigin(url, resolve, 'POST')],
  ['an event stream of an upstream', (url, resolve) => viaOrigin(url, resolve, 'GET')],
  [
    'metadata, registration and tokens of OAuth',
    (url, resolve) => createGuardedFetch({ loopback: true, private: true }, resolve)(url),
  ],
  ['metadata and keys of an issuer', (url, resolve) => fetchJson(url, 'loopback', resolve)],
  [
    'a webhook',
    (url, resolve) =>
      untilLogged((log) => {
        const post = createOperatorPost(resolve);
        const target = () => ({ url, secretEnv: 'S' });
        const readSecret = () => 'a secret that is long enough';
        const hook = createApprovalWebhook({ target, readSecret, clock: systemClock, log, pausesMs: [], post });
        hook.send('asked', { id: 'ap_1' } as Approval);
      }),
  ],
  [
    'a collector of traces',
    (url, resolve) =>
      untilLogged((log) => {
        const settings = { endpoint: url, headers: { key: 'secret' }, metrics: true, traces: false, intervalMs: 1_000 };
        const otlp = createOtlp({
          settings,
          version: '1',
          log,
          collect: () => [],
          post: createOperatorPost(resolve),
        } as never);
        void otlp.close();
      }),
  ],
  [
    'a judge of results',
    (url, resolve) =>
      untilLogged((log) => {
        const settings = () => ({ url, timeoutMs: 1_500 });
        const judge = createScanJudge({ settings, log, post: createOperatorPost(resolve) });
        void judge({ version: 1 }, { upstream: 'a', tool: 'b', result: {}, findings: [] });
      }),
  ],
];

/** What it logs when it fails; nothing within a second and a half: it went well. */
function untilLogged(work: (log: Log) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (about: unknown) => reject(new Error(JSON.stringify(about)));
    const log = { ...silentLog, warn: fail, error: fail };
    work(log as Log);
    arrived.push(() => setTimeout(resolve, 100));
  });
}

function viaOrigin(url: string, resolve: Resolve, method: 'POST' | 'GET'): Promise<unknown> {
  const origin = createHttpOrigin({
    url,
    headers: { authorization: 'Bearer secret' },
    userAgent: 'test',
    connectMs: 2_000,
    lookup: createOperatorLookup(resolve),
  });
  return new Promise<number>((done, fail) => {
    let status = 0;
    const reader = {
      head: (reply: { status: number }) => {
        status = reply.status;
        return 'drop' as const;
      },
      ...{ whole() {}, event() {}, position() {}, retry() {} },
      ended: () => (status < 300 ? done(status) : fail(new Error(`status ${status}`))),
      failed: fail,
    };
    if (method === 'POST') origin.post(new HeaderBlock([]), '{}', reader);
    else origin.ask('GET', [], reader);
  }).finally(() => origin.close());
}

/** Whoever gets here followed. */
let reached = 0;
const sink = createServer((_, response) => {
  reached++;
  response.end('{}');
});
let asked = 0;
let arrived: (() => void)[] = [];
const mover = createServer((request, response) => {
  asked++;
  request.resume();
  const status = Number(request.url?.slice(1, 4));
  const location = `http://127.0.0.1:${portOf(sink)}/`;
  if (status >= 300) response.writeHead(status, { location, connection: 'close' }).end();
  else response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
  for (const tell of arrived.splice(0)) tell();
});
const portOf = (server: typeof sink) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  for (const server of [sink, mover]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  for (const server of [sink, mover]) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  [reached, asked, arrived] = [0, 0, []];
});

const here: Resolve = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

describe.each(KINDS)('%s', (kind, request) => {
  test('arrives where it is sent', async () => {
    await request(`http://localhost:${portOf(mover)}/200`, here);
    expect(asked).toBe(1);
  });

  test.each([301, 302, 303, 307, 308])('is not led on by %i, and sends its keys nowhere else', async (status) => {
    const followed = request(`http://localhost:${portOf(mover)}/${status}`, here);
    if (kind === 'a collector of traces' || kind === 'a webhook' || kind === 'a judge of results')
      await followed.catch(() => {});
    else await expect(followed).rejects.toThrow();
    expect(asked).toBeGreaterThan(0);
    expect(reached).toBe(0);
  });

  test('reaches no metadata service when its name is turned between two requests', async () => {
    let lookUps = 0;
    const flip: Resolve = (_host, _options, callback) =>
      callback(null, [{ address: lookUps++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    const url = `http://localhost:${portOf(mover)}/200`;
    await request(url, flip);
    arrived = [];
    await expect(request(url, flip)).rejects.toThrow();
    // Each connection goes by its own lookup: what was judged is what was connected to.
    expect([asked, lookUps]).toEqual([1, 2]);
  });

  test('does not trust a name that leads to a metadata service as well', async () => {
    const both: Resolve = (_host, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '::ffff:169.254.169.254', family: 6 },
      ]);
    await expect(request(`http://localhost:${portOf(mover)}/200`, both)).rejects.toThrow();
    expect(asked).toBe(0);
  });
});
