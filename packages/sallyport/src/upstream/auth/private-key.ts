import { createPrivateKey, type KeyObject, randomUUID, sign, webcrypto } from 'node:crypto';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/** A key Sallyport signs with: its own assertion as a client, and what it says about a caller. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: 'ES256' | 'RS256' | 'EdDSA';
  readonly keyId: string | undefined;
}

/** @throws FaultError `config` for anything but a P-256, RSA (2048 bits or more) or Ed25519 key in PEM. */
export function readSigningKey(pem: string, keyId: string | undefined): SigningKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new FaultError('config', 'The private key (privateKeyRef) is no unencrypted private key in PEM.');
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return { key, algorithm: 'ES256', keyId };
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) return { key, algorithm: 'RS256', keyId };
  if (type === 'ed25519') return { key, algorithm: 'EdDSA', keyId };
  throw new FaultError('config', 'The private key (privateKeyRef) is none of P-256, RSA of 2048 bits and Ed25519.');
}

/** A signed JWT (RFC 7519) with `iat`, `exp` and `jti` added. */
export function signJwt(signer: SigningKey, claims: JsonObject, nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  const header = { alg: signer.algorithm, typ: 'JWT', ...(signer.keyId === undefined ? {} : { kid: signer.keyId }) };
  const payload = { ...claims, iat: now, exp: now + LIFETIME_S, jti: randomUUID() };
  const signed = `${encode(header)}.${encode(payload)}`;
  const bytes =
    signer.algorithm === 'EdDSA'
      ? sign(undefined, Buffer.from(signed), signer.key)
      : sign('sha256', Buffer.from(signed), { key: signer.key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${bytes.toString('base64url')}`;
}

const LIFETIME_S = 60;

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The same key as the OAuth library wants it. */
export function toCryptoKey({ key, algorithm }: SigningKey): Promise<webcrypto.CryptoKey> {
  const parameters =
    algorithm === 'ES256'
      ? { name: 'ECDSA', namedCurve: 'P-256' }
      : algorithm === 'RS256'
        ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
        : { name: 'Ed25519' };
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), parameters, false, ['sign']);
}
