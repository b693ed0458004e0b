import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { FaultError } from '../../core/errors.ts';
import { isLoopbackAddress, isPrivateAddress, isPublicAddress } from '../../core/public-address.ts';

/** Which addresses, beside public ones, a server's word may lead to: never more than the upstream itself needs. */
export interface Reach {
  readonly loopback: boolean;
  readonly private: boolean;
}

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches a URL that a stranger named. Redirects are refused, the body is bounded, the answer comes whole. */
export type GuardedFetch = (url: string, init?: FetchInit) => Promise<Response>;

/** `lookup` of `node:dns`, for all addresses. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const WITHIN_MS = 10_000;
const MAX_BYTES = 262_144;
/** Of an address, in characters. */
const MAX_ADDRESS = 2048;
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Server-side request forgery ends here (MCP security best practices; checklist 22): https only, http to loopback where
 * the upstream is there itself; every address is judged at the moment of connecting, so that a name that changes
 * between check and use gains nothing.
 */
export function createGuardedFetch(reach: Reach, resolve: Resolve = lookUp): GuardedFetch {
  return async (address, init = {}) => {
    const url = checkAddress(address, reach);
    const place = `${url.origin}${url.pathname}`;
    if (init.signal?.aborted) throw new FaultError('timeout', `${place} was not asked: it is too late for it.`);
    const late = AbortSignal.timeout(WITHIN_MS);
    const signal = init.signal === undefined ? late : AbortSignal.any([late, init.signal]);
    const agent = new Agent({ connect: { lookup: toLookup(reach, resolve), timeout: WITHIN_MS }, pipelining: 0 });
    try {
      const reply = await request(url, {
        method: (init.method ?? 'GET') as 'GET',
        headers: { ...init.headers, 'accept-encoding': 'identity' },
        body: init.body === undefined ? null : String(init.body),
        dispatcher: agent,
        signal,
      });
      const { statusCode: status } = reply;
      if (status >= 300 && status < 400)
        throw new FaultError('upstream_protocol', `${place} redirects (${status}). Redirects are not followed.`);
      const bytes = await readBounded(reply.body, place);
      const headers = Object.entries(reply.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
      );
      return new Response(BODILESS.has(status) ? null : bytes, { status, headers });
    } catch (error) {
      throw toFetchFault(place, error, late);
    } finally {
      await agent.destroy();
    }
  };
}

/** The same, as long as `signal` allows. */
export function fetchUntil(signal: AbortSignal, fetch: GuardedFetch): GuardedFetch {
  return (url, init = {}) =>
    fetch(url, { ...init, signal: init.signal === undefined ? signal : AbortSignal.any([signal, init.signal]) });
}

/** @throws FaultError `upstream_protocol` for a URL that must not be asked. */
export function checkAddress(address: string, reach: Reach): URL {
  if (!URL.canParse(address)) throw refuse(address.slice(0, 100), 'is no URL');
  // It stands in faults, too.
  if (address.length > MAX_ADDRESS)
    throw refuse(new URL(address).origin.slice(0, 300), 'names an address that is too long');
  const url = new URL(address);
  const place = `${url.origin}${url.pathname}`;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = host === 'localhost' || isLoopbackAddress(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback && reach.loopback))
    throw refuse(place, 'is not https');
  if (url.username !== '' || url.password !== '') throw refuse(place, 'holds a user name or password');
  if (isIP(host) !== 0 && !permits(host, reach)) throw refuse(place, 'is inside a private network');
  return url;
}

function permits(address: string, reach: Reach): boolean {
  if (isPublicAddress(address)) return true;
  if (isLoopbackAddress(address)) return reach.loopback;
  return reach.private && isPrivateAddress(address);
}

class ForbiddenAddress extends Error {}

/** The socket connects to what was judged here and to nothing else. */
function toLookup(reach: Reach, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = found;
      // One address inside is enough: a name that leads inside and outside is not to be trusted with either.
      if (first === undefined || !found.every(({ address }) => permits(address, reach)))
        callback(new ForbiddenAddress(), []);
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

async function readBounded(body: AsyncIterable<Buffer>, place: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new FaultError('upstream_protocol', `${place} answered with more than 256 KiB.`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function refuse(place: string, reason: string): FaultError {
  return new FaultError('upstream_protocol', `${place} ${reason} and is not asked.`);
}

function toFetchFault(place: string, error: unknown, late: AbortSignal): FaultError {
  if (error instanceof FaultError) return error;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++)
    if (at instanceof ForbiddenAddress) return refuse(place, 'is inside a private network');
  if (late.aborted) return new FaultError('timeout', `${place} did not answer within ${WITHIN_MS / 1000} s.`);
  if (error instanceof Error && error.name === 'TimeoutError')
    return new FaultError('timeout', `${place} did not answer in time.`, { cause: error });
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new FaultError('unreachable', `${place} cannot be reached${code}.`, { cause: error });
}
