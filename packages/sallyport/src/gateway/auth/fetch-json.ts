import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { isLoopbackAddress, isPublicAddress } from '../../core/public-address.ts';

/** Which addresses a fetch may connect to. */
export type Reach = 'public' | 'loopback' | 'any';

/** `lookup` of `node:dns`, for all addresses. */
type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const PATIENCE_MS = 5_000;
const MAX_BYTES = 262_144;

/**
 * GET of a small JSON document of an issuer. What a name resolves to is judged at the moment of connecting, so that no
 * second answer of the DNS leads elsewhere; redirects are not followed, for the same reason.
 * @throws FaultError `unreachable` naming the cause
 */
export async function fetchJson(url: string, reach: Reach, resolve: Resolve = lookup): Promise<JsonObject> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !mayAsk(target, reach)) throw failed(url, 'its address may not be asked');
  const response = await open(target, reach, resolve);
  if (response.statusCode !== 200) {
    response.destroy();
    throw failed(url, `it answered with status ${response.statusCode ?? 0}`);
  }
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_BYTES) throw failed(url, `its answer is larger than ${MAX_BYTES} bytes`);
    }
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (error instanceof FaultError) throw error;
    throw failed(url, 'its answer broke off or is no JSON', error);
  }
  throw failed(url, 'its answer is no JSON object');
}

/** Written addresses are not looked up, so they are judged here; plain http only where nobody stands between. */
function mayAsk(target: URL, reach: Reach): boolean {
  if (target.protocol !== 'https:' && target.protocol !== 'http:') return false;
  const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = host === 'localhost' || isLoopbackAddress(host);
  if (target.protocol === 'http:' && !(isLocal && reach !== 'public')) return false;
  return isIP(host) === 0 || isWithin(host, reach);
}

function isWithin(address: string, reach: Reach): boolean {
  if (reach === 'any') return true;
  return reach === 'loopback' ? isLoopbackAddress(address) : isPublicAddress(address);
}

function open(target: URL, reach: Reach, resolve: Resolve): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((taken, reject) => {
    const sent = request(
      target,
      {
        agent: false,
        lookup: lookupWithin(reach, resolve),
        headers: { accept: 'application/json' },
        // Of the whole exchange: a trickle of bytes must not hold whoever waits for a key.
        signal: AbortSignal.timeout(PATIENCE_MS),
      },
      taken,
    );
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.name === 'TimeoutError' || error.name === 'AbortError' ? 'it took too long' : error.code;
      reject(failed(target.href, why ?? 'the connection failed', error));
    });
    sent.end();
  });
}

/** The system's lookup without the addresses that may not be reached. */
function lookupWithin(reach: Reach, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const within = addresses.filter(({ address }) => isWithin(address, reach));
      const [first] = within;
      // One address outside is enough: a name that leads inside and outside is not to be trusted with either.
      if (first === undefined || within.length < addresses.length)
        return callback(Object.assign(new Error('address not allowed'), { code: 'ADDRESS_NOT_ALLOWED' }), '');
      return options.all === true ? callback(null, within) : callback(null, first.address, first.family);
    });
  };
}

function failed(url: string, why: string, cause?: unknown): FaultError {
  const where = URL.canParse(url) ? new URL(url).origin : 'the issuer';
  return new FaultError('unreachable', `Asking ${where} failed: ${why}.`, { cause });
}
