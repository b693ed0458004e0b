import { FaultError } from '../core/errors.ts';
import { isOffline } from './is-offline.ts';

/** What is shown of an error body: enough to name the cause, too little to flood a model. */
const SHOWN_CHARACTERS = 200;

const CAUSES: Readonly<Record<string, readonly [step: string, cause: string, fix: string]>> = {
  ECONNREFUSED: ['connecting', 'nothing listens there', 'Start the server or correct its url.'],
  ENOTFOUND: ['DNS', 'the host name is unknown', 'Correct the host in its url.'],
  ETIMEDOUT: ['connecting', 'no reply in time', 'Check that the host is up and no firewall is in between.'],
  UND_ERR_CONNECT_TIMEOUT: [
    'connecting',
    'no reply in time',
    'Check that the host is up and no firewall is in between.',
  ],
  EHOSTUNREACH: ['connecting', 'there is no route to the host', 'Check the network and the host in its url.'],
  ENETUNREACH: ['connecting', 'there is no route to the host', 'Check the network and the host in its url.'],
  ECONNRESET: ['talking', 'it closed the connection without an answer', 'See the log of the server.'],
  EPIPE: ['talking', 'it closed the connection while the request was sent', 'See the log of the server.'],
  UND_ERR_SOCKET: ['talking', 'it closed the connection without an answer', 'See the log of the server.'],
  UND_ERR_HEADERS_OVERFLOW: ['HTTP', 'its headers are larger than 16 KiB', 'Correct the server.'],
  EPROTO: ['TLS', 'it does not speak TLS', 'Use http:// in its url, or a server with TLS.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['TLS', 'it does not speak TLS', 'Use http:// in its url, or a server with TLS.'],
  CERT_HAS_EXPIRED: ['TLS', 'its certificate has expired', 'Renew the certificate.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'TLS',
    'its certificate is for another host',
    'Use the host of the certificate in its url.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'TLS',
    'its certificate is not trusted here',
    'Add its authority with NODE_EXTRA_CA_CERTS.',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'TLS',
    'its certificate is not trusted here',
    'Add its authority with NODE_EXTRA_CA_CERTS.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'TLS',
    'its certificate is not trusted here',
    'Add its authority with NODE_EXTRA_CA_CERTS.',
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'TLS',
    'its certificate is not trusted here',
    'Add its authority with NODE_EXTRA_CA_CERTS.',
  ],
};

/** No network, or no name server in it: the name itself may be right. */
const OFFLINE = [
  'DNS',
  'this machine seems to be offline',
  'Connect it to a network and try again; the url may well be right.',
] as const;
const NETWORK_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENETUNREACH', 'EHOSTUNREACH']);

/**
 * A connection that failed, as a fault that names the step, the cause and the fix. `place` is the URL without credentials
 * and query.
 */
export function toUnreachable(place: string, error: unknown, hasNoNetwork: () => boolean = isOffline): FaultError {
  if (error instanceof FaultError) {
    // A credential's own fault names the server and what a person must do.
    if (error.message.includes(place) || error.code === 'upstream_unauthenticated') return error;
    // Whoever reads bytes does not know whose they are.
    const { data } = error;
    return new FaultError(error.code, `${place}: ${error.message}`, {
      cause: error,
      ...(data === undefined ? {} : { data }),
    });
  }
  const code = codeOf(error);
  const isCutOff = code === 'EAI_AGAIN' || (NETWORK_CODES.has(code) && hasNoNetwork());
  const known = isCutOff ? OFFLINE : Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
  const [step, cause, fix] = known ?? unnamed(code);
  return new FaultError(
    'unreachable',
    `${place} cannot be reached. ${step}: ${cause}${code === '' ? '' : ` (${code})`}. ${fix}`,
    {
      cause: error,
      data: { step, ...(code === '' ? {} : { code }) },
      isOurs: true,
    },
  );
}

function unnamed(code: string): readonly [string, string, string] {
  if (code.startsWith('HPE_')) return ['HTTP', 'its answer is not HTTP', 'Correct its url.'];
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT'))
    return ['TLS', 'the secure connection could not be made', 'Check its certificate.'];
  return ['talking', 'the connection failed', 'See the log for the cause.'];
}

function codeOf(error: unknown): string {
  // An AggregateError (several addresses tried) and undici's wrappers carry the code one level down.
  for (let current = error, depth = 0; current instanceof Error && depth < 4; depth++) {
    const code: unknown = 'code' in current ? current.code : undefined;
    if (typeof code === 'string') return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return '';
}

/** An HTTP answer that is neither a message nor an acceptance. */
export interface RefusedReply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** @returns `upstream_unauthenticated`, `unreachable` (the server says that it is down), `overloaded`, or `upstream_protocol`; the status is in `data`. */
export function toStatusFault(place: string, reply: RefusedReply): FaultError {
  const { status } = reply;
  const data: Record<string, string | number> = { status };
  if (status === 401 || status === 403) {
    const challenge = reply.header('www-authenticate');
    if (challenge !== undefined) data['wwwAuthenticate'] = challenge.slice(0, 1000);
    return new FaultError(
      'upstream_unauthenticated',
      `${place} answered ${status}: ${status === 401 ? 'it wants credentials that are missing or no longer valid. Set its headers.' : 'the credentials it was given do not allow this.'}`,
      { data, isQuoting: challenge !== undefined },
    );
  }
  if (status >= 300 && status < 400) {
    const location = (reply.header('location') ?? '').split('?')[0]?.slice(0, SHOWN_CHARACTERS) ?? '';
    // A redirect would carry the configured headers, credentials included, to a host nobody approved.
    return new FaultError(
      'upstream_protocol',
      `${place} redirects (${status}) to ${location}. Redirects are not followed: use that url if it is right.`,
      { data, isQuoting: true },
    );
  }
  const text = shown(reply.body);
  const message = `${place} answered HTTP ${status}${text === '' ? '' : `: ${text}`}`;
  const options = { data, isQuoting: text !== '' };
  if (status === 429) return new FaultError('overloaded', message, options);
  if (status === 502 || status === 503 || status === 504) return new FaultError('unreachable', message, options);
  return new FaultError('upstream_protocol', message, options);
}

function shown(body: Buffer): string {
  return body
    .toString('utf8', 0, SHOWN_CHARACTERS * 4)
    .slice(0, SHOWN_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
}

/** The HTTP status a fault stands for, when it came from one. */
export function statusOf(fault: FaultError): number | undefined {
  const { data } = fault;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const status = (data as { readonly status?: unknown }).status;
  return typeof status === 'number' ? status : undefined;
}
