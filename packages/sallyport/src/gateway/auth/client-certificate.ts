import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import type { CertificateIdentity, MtlsSettings } from '../../config/auth-settings.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Principal } from '../../core/principal.ts';
import { missingToken } from './challenge.ts';
import { openTlsFiles, type TlsRenewal } from './tls-files.ts';

/** Whoever holds the key of a client certificate. */
export interface Peer {
  readonly principal: Principal;
  /** SHA-256 of the certificate, base64url: what tokens are bound to (RFC 8705 section 3.1). */
  readonly thumbprint: string;
}

export interface ClientCertificates {
  readonly tls: TlsOptions;
  /** Calls back when the files have changed. Returns what ends that. */
  follow(onRenewal: (renewal: TlsRenewal) => void): () => void;
  /**
   * Who is at the other end of a connection; `undefined`: nobody we know.
   * @throws FaultError `unauthenticated` where a certificate is required, and for one that has to be shown again
   */
  identify(socket: Socket | undefined): Peer | undefined;
  /** Whom we believe has changed: the certificates of these connections count no more until they are shown again. */
  doubt(sockets: Iterable<Socket>): void;
  /** Whether the certificate this caller is known by was doubted since. */
  isDoubted(principal: Principal): boolean;
}

const HANDSHAKE_MS = 10_000;

/** @throws FaultError `config` when one of the files cannot be used */
export function openClientCertificates(
  settings: MtlsSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): ClientCertificates {
  const { identities, required } = settings;
  const files = openTlsFiles(settings, log);
  const listed = identities && new Map(identities.map((identity) => [identity.certificate, identity]));
  /** A connection has one certificate from its handshake to its end. */
  const peers = new WeakMap<Socket, Peer | 'unknown'>();
  const doubted = new WeakSet<Socket | Principal>();
  const read = (socket: Socket): Peer | 'unknown' => {
    const certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
    return (certificate && toPeer(certificate, listed)) ?? 'unknown';
  };
  return {
    tls: {
      ...files.context,
      requestCert: true,
      rejectUnauthorized: required,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_MS,
    },
    follow: files.follow,
    doubt(sockets) {
      for (const socket of sockets) {
        if (!(socket instanceof TLSSocket) || socket.getPeerX509Certificate() === undefined) continue;
        doubted.add(socket);
        const peer = peers.get(socket);
        if (peer !== undefined && peer !== 'unknown') doubted.add(peer.principal);
      }
    },
    isDoubted: (principal) => doubted.has(principal),
    identify(socket) {
      if (socket !== undefined && doubted.has(socket)) {
        // After the answer: only a new connection shows the certificate again.
        setImmediate(() => socket.destroySoon());
        throw missingToken('Whose certificates count here has changed. Connect again.');
      }
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
    /(?:^|, )(DNS|URI|email):(?:("(?:[^"\\]|\\.){0,4096}")|([^",]{0,4096}))(?=, |$)/g,
  ))
    names.push(`${kind}:${quoted === undefined ? plain : String(JSON.parse(quoted))}`);
  return names;
}

/** Only a single common name is one: with two, whoever reads the other one is misled. */
function readCommonName({ subject }: X509Certificate): readonly string[] {
  const names = subject.split('\n').filter((line) => line.startsWith('CN='));
  return names.length === 1 ? names : [];
}
