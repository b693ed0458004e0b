import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPublicFetch, type Network } from './public-fetch.ts';

/** Two real servers: in this network 127.0.0.1 is the public web, and all else is private. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';

let port = 0;
let privateAsked = 0;
let lookups = 0;
const seen: { readonly url: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
const servers: Server[] = [];

const NAMES: Readonly<Record<string, (turn: number) => readonly string[]>> = {
  'public.test': () => [PUBLIC],
  'other.test': () => [PUBLIC],
  'private.test': () => [PRIVATE],
  'both.test': () => [PUBLIC, PRIVATE],
  'rebinds.test': (turn) => [turn % 2 === 1 ? PUBLIC : PRIVATE],
  'later.test': (turn) => [turn === 1 ? PUBLIC : PRIVATE],
  'none.test': () => [],
};
const network: Network = {
  isPrivate: (address) => address !== PUBLIC,
  async resolve(host) {
    const found = NAMES[host.replace(/\.$/, '')];
    if (found === undefined) throw new Error('ENOTFOUND');
    lookups++;
    return found(lookups).map((address) => ({ address, family: 4 }));
  },
};
const fetchPublic = createPublicFetch(network);
const get = (address: string, more: { headers?: Record<string, string>; maxBytes?: number; ms?: number } = {}) =>
  fetchPublic(address.replaceAll('PORT', String(port)), {
    signal: AbortSignal.timeout(more.ms ?? 20_000),
    maxBytes: more.maxBytes ?? 100_000,
    ...(more.headers === undefined ? {} : { headers: more.headers }),
  });

const answer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  seen.push({ url: `${request.headers.host?.split(':')[0]}${pathname}`, headers: request.headers });
  const to = searchParams.get('to');
  if (pathname === '/to')
    return response.writeHead(Number(searchParams.get('status') ?? 302), { location: to ?? '' }).end();
  if (pathname === '/round') return response.writeHead(302, { location: '/round' }).end();
  if (pathname === '/gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('zipped'));
  if (pathname === '/bomb')
    return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000)));
  if (pathname === '/odd') return response.writeHead(200, { 'content-encoding': 'zstd' }).end('x');
  if (pathname === '/broken') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
  if (pathname === '/slow') return response.write('never ends');
  if (pathname === '/gone') return response.writeHead(404).end('gone');
  if (pathname === '/cut')
    return response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
  return response.end(`page ${pathname} ü`);
};

beforeAll(async () => {
  const listen = async (listener: RequestListener, host: string) => {
    const server = createServer(listener).listen(port, host);
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  port = await listen(answer, PUBLIC);
  await listen((_, response) => {
    privateAsked++;
    response.end('secret');
  }, PRIVATE);
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
beforeEach(() => {
  lookups = 0;
  seen.length = 0;
});

describe('attacks', () => {
  const redirect = (to: string) => `http://public.test:PORT/to?to=${encodeURIComponent(to)}`;
  test.each([
    'http://127.0.0.2:PORT/',
    'http://2130706434:PORT/',
    'http://0x7f.0.0.2:PORT/',
    'http://[::ffff:127.0.0.2]:PORT/',
    'http://private.test:PORT/',
    'http://private.test.:PORT/',
    'http://both.test:PORT/',
    'http://none.test:PORT/',
    'http://unknown.test:PORT/',
    'http://user:password@public.test:PORT/',
    'ftp://public.test:PORT/',
    redirect('http://127.0.0.2:PORT/'),
    redirect('http://private.test:PORT/'),
    redirect('//private.test:PORT/'),
    redirect('http://both.test:PORT/'),
    redirect('http://user@public.test:PORT/'),
    redirect('file:///etc/passwd'),
    redirect('http://'),
    redirect(`http://public.test:PORT/to?to=${encodeURIComponent('http://127.0.0.2:PORT/')}`),
    'http://public.test:PORT/round',
  ])('%s is refused, and no private address is asked', async (address) => {
    await expect(get(address)).rejects.toMatchObject({ name: 'ToolFailure' });
    expect(privateAsked).toBe(0);
  });

  test('a name that changes its address is connected where it was checked', async () => {
    // Checked and connected by two lookups, the second would be private.
    expect(await get('http://later.test:PORT/')).toMatchObject({ status: 200 });
    expect(lookups).toBe(1);
    await expect(get('http://later.test:PORT/')).rejects.toThrow(/later\.test leads into a private network/);
    for (let i = 0; i < 6; i++) await get('http://rebinds.test:PORT/').catch(() => {});
    await expect(get(redirect('http://later.test:PORT/'))).rejects.toThrow(/private network/);
    expect(privateAsked).toBe(0);
  });

  test('headers for one host do not follow a redirect to another', async () => {
    const headers = { authorization: 'Bearer secret' };
    await get(`http://public.test:PORT/to?to=${encodeURIComponent('/to?to=http://other.test:PORT/end')}`, { headers });
    expect(seen.map(({ url, headers: { authorization } }) => [url, authorization])).toEqual([
      ['public.test/to', 'Bearer secret'],
      ['public.test/to', 'Bearer secret'],
      ['other.test/end', undefined],
    ]);
  });

  test.each([
    ['/bomb', /more than 1000 bytes/],
    ['/odd', /coding "zstd"/],
    ['/broken', /does not answer as a web server/],
    ['/cut', /does not answer as a web server/],
  ])('%s is an error that says so', async (path, error) => {
    await expect(get(`http://public.test:PORT${path}`, { maxBytes: 1_000 })).rejects.toThrow(error);
  });

  test('a page that never ends, ends with its signal', async () => {
    await expect(get('http://public.test:PORT/slow', { ms: 200 })).rejects.toThrow();
  });
});

describe('harmless', () => {
  test.each([
    ['http://public.test:PORT/a', 200, 'page /a ü'],
    ['http://PUBLIC.test:PORT/a', 200, 'page /a ü'],
    ['http://127.0.0.1:PORT/a?b=c#d', 200, 'page /a ü'],
    ['http://public.test:PORT/gone', 404, 'gone'],
    ['http://public.test:PORT/gzip', 200, 'zipped'],
    ['http://public.test:PORT/to?to=/b', 200, 'page /b ü'],
    ['http://public.test:PORT/to?to=http://other.test:PORT/c', 200, 'page /c ü'],
    ...[301, 303, 307, 308].map(
      (status) => [`http://public.test:PORT/to?to=/b&status=${status}`, 200, 'page /b ü'] as const,
    ),
  ])('%s', async (address, status, text) => {
    expect(await get(address)).toEqual({ status, text });
  });

  test('nobody listens: the error names the host and the next step', async () => {
    await expect(get('http://public.test:1/')).rejects.toMatchObject({
      message: 'public.test does not answer as a web server.',
      nextStep: 'Check the address, or try again later.',
    });
  });
});
