import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import type { CertificateIdentity, MtlsSettings } from '../../config/auth-settings.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { missingToken } from './challenge.ts';

/** Whoever holds the key of a client certificate. */
export interface Peer {
  readonly principal: Principal;
  /** SHA-256 of the certificate, base64url: what tokens are bound to (RFC 8705 section 3.1). */
  readonly thumbprint: string;
}

export interface ClientCertificates {
  readonly tls: TlsOptions;
  /**
   * Who is at the other end of a connection; `undefined`: nobody we know.
   * @throws FaultError `unauthenticated` where a certificate is required
   */
  identify(socket: Socket | undefined): Peer | undefined;
}

const HANDSHAKE_MS = 10_000;

/** @throws FaultError `config` when one of the files cannot be used */
export function openClientCertificates(settings: MtlsSettings, clock: Clock): ClientCertificates {
  const { identities, required } = settings;
  const listed = identities && new Map(identities.map((identity) => [identity.certificate, identity]));
  /** A connection has one certificate from its handshake to its end. */
  const peers = new WeakMap<Socket, Peer | 'unknown'>();
  const read = (socket: Socket): Peer | 'unknown' => {
    const certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
    return (certificate && toPeer(certificate, listed)) ?? 'unknown';
  };
  return {
    tls: {
      ca: readPem(settings.ca, 'ca'),
      cert: readPem(settings.cert, 'cert'),
      key: readPem(settings.key, 'key'),
      requestCert: true,
      rejectUnauthorized: required,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_MS,
    },
    identify(socket) {
      let peer = socket && peers.get(socket);
      if (peer === undefined && socket !== undefined) {
        peer = read(socket);
        peers.set(socket, peer);
      }
      const isKnown = peer !== undefined && peer !== 'unknown' && clock.now() < (peer.principal.expiresAt ?? 0);
      if (isKnown) return peer as Peer; // neither of the two others, as just tested
      if (required) throw missingToken('Sallyport needs a client certificate that it knows and that has not expired.');
      return undefined;
    },
  };
}

function readPem(path: string, key: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new FaultError('config', `gateway.auth.mtls.${key}: the file ${path} cannot be read.`, { cause: error });
  }
}

function toPeer(
  certificate: X509Certificate,
  listed: ReadonlyMap<string, CertificateIdentity> | undefined,
): Peer | undefined {
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const names = [`sha256:${fingerprint}`, ...readAlternativeNames(certificate), ...readCommonName(certificate)];
  const identity = listed && names.map((name) => listed.get(name)).find((found) => found !== undefined);
  if (listed !== undefined && identity === undefined) return undefined;
  const { person, agent, account, groups = [], scopes, attributes } = identity ?? {};
  const isNamed = person !== undefined || agent !== undefined || account !== undefined;
  return {
    thumbprint: Buffer.from(fingerprint, 'hex').toString('base64url'),
    principal: Object.freeze({
      id: `mtls:${fingerprint}`,
      kind: 'mtls',
      person,
      agent,
      account: isNamed ? account : (identity?.certificate ?? names[1] ?? names[0]),
      groups,
      scopes,
      attributes,
      expiresAt: Date.parse(certificate.validTo),
    }),
  };
}

/** `DNS:a, URI:b` with values that hold commas or quotes written as JSON (Node since CVE-2021-44532). */
function readAlternativeNames({ subjectAltName }: X509Certificate): readonly string[] {
  const names: string[] = [];
  for (const [, kind, quoted, plain] of (subjectAltName ?? '').matchAll(
    /(?:^|, )(DNS|URI|email):(?:("(?:[^"\\]|\\.)*")|([^",]*))(?=, |$)/g,
  ))
    names.push(`${kind}:${quoted === undefined ? plain : String(JSON.parse(quoted))}`);
  return names;
}

/** Only a single common name is one: with two, whoever reads the other one is misled. */
function readCommonName({ subject }: X509Certificate): readonly string[] {
  const names = subject.split('\n').filter((line) => line.startsWith('CN='));
  return names.length === 1 ? names : [];
}
