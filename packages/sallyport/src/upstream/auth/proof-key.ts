import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';

/** The request a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  /** The access token that goes with it; `undefined` at a token endpoint. */
  readonly accessToken?: string | undefined;
}

/** A key that access tokens are bound to (DPoP, RFC 9449): who has the token and not the key has nothing. */
export interface ProofKey {
  /** JWK thumbprint (RFC 7638), as in `cnf.jkt`. */
  readonly thumbprint: string;
  /** The private key as a JWK, for the vault only. */
  readonly record: JsonObject;
  /** A new proof for one request (RFC 9449 section 4.2), with the nonce its server wants. */
  prove(request: ProvenRequest, nowMs: number): string;
  /** A server's newest nonce (sections 8 and 9); kept per origin. */
  noteNonce(url: string, nonce: string): void;
}

/** An authorization server and an upstream; more would be somebody else's doing. */
const MAX_NONCES = 8;
/** RFC 9449 section 8.1: NQCHAR. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/;

/** One key for one owner at one issuer: two servers cannot tell from it that they serve the same person. */
export function createProofKey(): ProofKey {
  return toProofKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** `undefined` for a record that holds no P-256 key. */
export function fromProofKeyRecord(record: JsonObject): ProofKey | undefined {
  try {
    const key = createPrivateKey({ key: record as JsonWebKey, format: 'jwk' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? toProofKey(key) : undefined;
  } catch {
    return undefined;
  }
}

function toProofKey(key: KeyObject): ProofKey {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  const jwk = { crv, kty, x, y };
  // RFC 7638 section 3: these members, in this order, without blanks.
  const thumbprint = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
  const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk });
  const nonces = new Map<string, string>();
  return {
    thumbprint,
    record: key.export({ format: 'jwk' }) as JsonObject, // A JWK is JSON.
    prove({ method, url, accessToken }, nowMs) {
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      const claims = {
        jti: randomUUID(),
        htm: method,
        htu: origin + pathname,
        iat: Math.floor(nowMs / 1000),
        ...(accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') }),
        ...(nonce === undefined ? {} : { nonce }),
      };
      const signed = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    noteNonce(url, nonce) {
      if (!NONCE.test(nonce)) return;
      const { origin } = new URL(url);
      const [oldest] = nonces.size < MAX_NONCES || nonces.has(origin) ? [] : nonces.keys();
      if (oldest !== undefined) nonces.delete(oldest);
      nonces.set(origin, nonce);
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
