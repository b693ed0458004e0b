import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { fail, ToolFailure } from './fail.ts';

/** Addresses that lead into a machine or its network or carry an IPv4 address that does (RFC 6890, RFC 4193, RFC 6598, RFC 3056, RFC 8215). */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6');

const MAX_REDIRECTS = 5;

export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  const family = isIP(plain);
  return family === 0 || PRIVATE.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

export interface PublicFetchOptions {
  readonly signal: AbortSignal;
  /** Sent to the first origin only: a redirect must not carry credentials away. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body; more is an error. */
  readonly maxBytes: number;
}

export type PublicFetch = (
  address: string,
  options: PublicFetchOptions,
) => Promise<{ readonly status: number; readonly text: string }>;

/** The names and addresses of the network. */
export interface Network {
  /** The addresses of a name. Rejects when there are none. */
  resolve(host: string): Promise<LookupAddress[]>;
  isPrivate(address: string): boolean;
}

const INTERNET: Network = { resolve: (host) => lookup(host, { all: true }), isPrivate: isPrivateAddress };

/**
 * Fetches a page of the public web. Each redirect is checked as the first address is. A name is resolved once for a
 * connection: the addresses that were checked are those that are connected, whatever the name says a moment later.
 * @throws ToolFailure for other schemes, private addresses, too many redirects, bodies that are too large, and hosts that
 * do not answer
 */
export const fetchPublic: PublicFetch = createPublicFetch(INTERNET);

export function createPublicFetch(network: Network): PublicFetch {
  return async (address, { signal, headers = {}, maxBytes }) => {
    let url = toWebUrl(address, network);
    const { origin } = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await send(url, { signal, headers: url.origin === origin ? headers : {} }, network);
      const { statusCode: status = 0, headers: answered } = response;
      if (status < 300 || status > 399 || answered.location === undefined)
        return { status, text: await readText(response, url, maxBytes) };
      response.destroy();
      url = toWebUrl(URL.canParse(answered.location, url.href) ? new URL(answered.location, url).href : '', network);
    }
    return fail(`${address} redirects more than ${MAX_REDIRECTS} times.`, 'Use the final address.');
  };
}

/** @throws ToolFailure for other schemes and for names and addresses that lead into a private network */
export async function toPublicUrl(address: string): Promise<URL> {
  const url = toWebUrl(address, INTERNET);
  if (isIP(hostOf(url)) === 0) await resolvePublic(hostOf(url), INTERNET);
  return url;
}

/** What can be said without asking for the name. @throws ToolFailure */
function toWebUrl(address: string, { isPrivate }: Network): URL {
  const url = URL.canParse(address) ? new URL(address) : fail(`"${address}" is not a URL.`, 'Write it with https://.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    fail(`${url.protocol} addresses are not fetched.`, 'Use https://.');
  if (url.username !== '' || url.password !== '')
    fail('A URL with a user name or a password is not fetched.', 'Use the URL without them.');
  const host = hostOf(url);
  if (isIP(host) !== 0 && isPrivate(host)) refusePrivate(host);
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** @throws ToolFailure when any of its addresses is private: which one is connected is not ours to say */
async function resolvePublic(host: string, { resolve, isPrivate }: Network): Promise<LookupAddress[]> {
  const found = await resolve(host).catch((error: unknown) =>
    fail(`There is no host "${host}".`, 'Check the address.', { cause: error }),
  );
  if (found.length === 0 || found.some(({ address }) => isPrivate(address))) refusePrivate(host);
  return found;
}

function refusePrivate(host: string): never {
  return fail(`${host} leads into a private network.`, 'Use a public address.');
}

async function send(
  url: URL,
  { signal, headers }: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
  network: Network,
): Promise<IncomingMessage> {
  const resolve: LookupFunction = (host, { all }, done) => {
    resolvePublic(host, network).then(
      (found) => (all === true ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => done(error, []),
    );
  };
  return new Promise<IncomingMessage>((done, refuse) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      ...{ signal, lookup: resolve },
      // A connection that is kept would be of a name as it was resolved earlier.
      agent: false,
      headers: {
        accept: '*/*',
        'accept-encoding': [...DECODERS.keys()].join(', '),
        'user-agent': 'sallyport-kit',
        ...headers,
      },
    });
    request.once('response', done).once('error', (error) => refuse(toFailure(error, url, signal)));
    request.end();
  });
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The limit is that of the text, however small it travels. */
async function readText(response: IncomingMessage, url: URL, maxBytes: number): Promise<string> {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decode = DECODERS.get(coding);
  if (decode === undefined && coding !== 'identity') {
    response.destroy();
    fail(`${url.hostname} answers in the coding "${coding.slice(0, 20)}".`, 'Use another page.');
  }
  const body: Readable = decode === undefined ? response : response.pipe(decode());
  response.once('error', (error) => body.destroy(error));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > maxBytes) fail(`The page has more than ${maxBytes} bytes.`, 'Fetch a smaller page.');
      chunks.push(chunk);
    }
  } catch (error) {
    throw toFailure(error, url);
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A host that does not answer is no fault of this server. A cancelled fetch stays cancelled. */
function toFailure(error: unknown, { hostname }: URL, signal?: AbortSignal): unknown {
  if (error instanceof ToolFailure || signal?.aborted === true || (error as Error).name === 'AbortError') return error;
  return new ToolFailure(`${hostname} does not answer as a web server.`, 'Check the address, or try again later.', {
    cause: error,
  });
}
