import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Finding } from './doctor-steps.ts';
import { codeOf } from './error-code.ts';

export interface TlsPlace {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const DAY = 86_400_000;
const SOON_DAYS = 14;

/** A TLS handshake looked at from all sides: chain, name and dates, also when several of them are wrong. */
export async function inspectTls(place: TlsPlace): Promise<Finding> {
  const shaken = await shakeHands(place);
  if (shaken instanceof Error) return explainHandshake(shaken);
  try {
    return judge(shaken, place, Date.now());
  } finally {
    shaken.destroy();
  }
}

/** True when whatever is there answers a TLS greeting, with any certificate. */
export async function speaksTls(place: TlsPlace): Promise<boolean> {
  const shaken = await shakeHands(place);
  if (shaken instanceof Error) return false;
  shaken.destroy();
  return true;
}

function shakeHands({ host, port, signal }: TlsPlace): Promise<TLSSocket | Error> {
  return new Promise((resolve) => {
    // Unverified on purpose: nothing is sent over this connection, it is only there to read the certificate that fails.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) > 0 ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
    });
    const late = (): void => {
      socket.destroy();
      resolve(new Error('late'));
    };
    signal.addEventListener('abort', late, { once: true });
    const end = (result: TLSSocket | Error): void => {
      signal.removeEventListener('abort', late);
      resolve(result);
    };
    socket.once('secureConnect', () => end(socket));
    socket.on('error', (error) => end(error));
    socket.once('close', () => end(new Error('The connection was closed during the TLS handshake.')));
  });
}

function judge(socket: TLSSocket, { host }: TlsPlace, now: number): Finding {
  const certificate = socket.getPeerCertificate(true);
  const { authorizationError } = socket;
  const chain = String(authorizationError instanceof Error ? codeOf(authorizationError) : (authorizationError ?? ''));
  const troubles = [...judgeDates(certificate, now), ...judgeName(host, certificate), ...judgeChain(chain)];
  if (troubles.length === 0 && chain !== '') {
    troubles.push({
      cause: `the certificate is refused (${chain})`,
      fix: 'Have the certificate renewed by its issuer.',
    });
  }
  const shown = `${socket.getProtocol() ?? 'TLS'}, ${describeCertificate(certificate)}`;
  if (troubles.length > 0) {
    return {
      outcome: 'failed',
      detail: `${capitalise(troubles.map(({ cause }) => cause).join('; '))}.\n${shown}`,
      fix: [...new Set(troubles.map(({ fix }) => fix))].join(' '),
    };
  }
  const days = Math.floor((Date.parse(certificate.valid_to) - now) / DAY);
  if (days >= SOON_DAYS) return { outcome: 'ok', detail: shown };
  return { outcome: 'warning', detail: `${shown}: ${days} days left`, fix: 'Renew the certificate soon.' };
}

interface Trouble {
  readonly cause: string;
  readonly fix: string;
}

function judgeDates({ valid_from, valid_to }: PeerCertificate, now: number): Trouble[] {
  if (Date.parse(valid_to) < now) {
    return [{ cause: `the certificate expired on ${toDay(valid_to)}`, fix: 'Renew the certificate of the server.' }];
  }
  if (Date.parse(valid_from) > now) {
    return [
      {
        cause: `the certificate is valid only from ${toDay(valid_from)}`,
        fix: 'Check the clock of this machine; otherwise have the certificate issued anew.',
      },
    ];
  }
  return [];
}

function judgeName(host: string, certificate: PeerCertificate): Trouble[] {
  if (checkServerIdentity(host, certificate) === undefined) return [];
  const names = namesOf(certificate);
  return [
    {
      cause: `the certificate is not for ${host} but for ${names.join(', ') || 'no name'}`,
      fix: `Write ${names.find((name) => !name.includes('*')) ?? 'the host of the certificate'} in the URL, or give the server a certificate for ${host}.`,
    },
  ];
}

const TRUST_FIX =
  'If you know this server, add the certificate of its authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem in the environment of Sallyport.';

const CHAINS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed, nobody this machine trusts has issued it'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate comes from an authority this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the certificate comes from an authority this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the issuer of the certificate is not known here'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the server does not send the certificates between its own and the authority'],
  ['CERT_REVOKED', 'the certificate was revoked'],
  ['CERT_UNTRUSTED', 'the certificate is not trusted for this use'],
]);

function judgeChain(code: string): Trouble[] {
  const cause = CHAINS.get(code);
  return cause === undefined ? [] : [{ cause, fix: TRUST_FIX }];
}

function describeCertificate(certificate: PeerCertificate): string {
  const { issuer, valid_to } = certificate;
  const names = namesOf(certificate).slice(0, 3).join(', ') || 'no name';
  const by = [issuer?.CN, issuer?.O].flat().find((part) => part !== undefined && part !== '') ?? 'unknown';
  return `certificate for ${names}, issued by ${by}, valid until ${toDay(valid_to)}`;
}

function namesOf({ subject, subjectaltname = '' }: PeerCertificate): string[] {
  const listed = subjectaltname
    .split(', ')
    .map((entry) => entry.replace(/^(?:DNS|IP Address):/, ''))
    .filter((entry) => entry !== '');
  return listed.length > 0 ? listed : [subject?.CN ?? []].flat();
}

function toDay(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : new Date(time).toISOString().slice(0, 10);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function explainHandshake(error: Error): Finding {
  const code = codeOf(error);
  if (/WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/.test(`${code} ${error.message}`)) {
    return {
      outcome: 'failed',
      detail: `What answers on this port does not speak TLS (${code}).`,
      fix: 'Write http:// in the URL, or correct the port.',
    };
  }
  if (/CERTIFICATE_REQUIRED|BAD_CERTIFICATE/.test(code)) {
    return {
      outcome: 'failed',
      detail: `The server wants a client certificate (${code}).`,
      fix: 'Sallyport has no client certificates: put a proxy that holds one in front of the server.',
    };
  }
  return {
    outcome: 'failed',
    detail: `The TLS handshake failed: ${code === 'UNKNOWN' ? error.message : code}.`,
    fix: 'Check that TLS is spoken on this port, that a host of this name is served there, and what stands in between (proxy, load balancer).',
  };
}
