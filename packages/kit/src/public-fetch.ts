import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { fail } from './fail.ts';

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

/**
 * Fetches a page of the public web. Every redirect is checked like the first address.
 * @throws ToolFailure for other schemes, private addresses, too many redirects and bodies that are too large
 */
export async function fetchPublic(
  address: string,
  { signal, headers = {}, maxBytes }: PublicFetchOptions,
): Promise<{ status: number; text: string }> {
  let url = await toPublicUrl(address);
  const { origin } = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal, headers: url.origin === origin ? headers : {} });
    const next = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || next === null)
      return { status: response.status, text: await readText(response, maxBytes) };
    await response.body?.cancel();
    url = await toPublicUrl(new URL(next, url).href);
  }
  return fail(`${address} redirects more than ${MAX_REDIRECTS} times.`, 'Use the final address.');
}

/** @throws ToolFailure */
export async function toPublicUrl(address: string): Promise<URL> {
  const url = URL.canParse(address) ? new URL(address) : fail(`"${address}" is not a URL.`, 'Write it with https://.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    fail(`${url.protocol} addresses are not fetched.`, 'Use https://.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  if (addresses.some(isPrivateAddress)) fail(`${url.hostname} leads into a private network.`, 'Use a public address.');
  return url;
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return fail(`There is no host "${host}".`, 'Check the address.');
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) fail(`The page has more than ${maxBytes} bytes.`, 'Fetch a smaller page.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
