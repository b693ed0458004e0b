import { createHash, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';

export interface Jwt {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

/** Reads a JWT, and with a key checks its ES256 signature. */
export function readJwt(text: string, key?: KeyObject): Jwt {
  const [header = '', claims = '', signature = ''] = text.split('.');
  if (key !== undefined) {
    const given = Buffer.from(signature, 'base64url');
    if (!verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, given))
      throw new Error('wrong signature');
  }
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { header: read(header), claims: read(claims) };
}

export function signJwt({ header, claims }: Jwt, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', ...header })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

export function thumbprintOf(jwk: JsonWebKey): string {
  const { crv, kty, x, y } = jwk;
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

export interface ProofFacts {
  readonly method: string;
  readonly url: string;
  /** At a resource server. */
  readonly token?: string;
  readonly nonce?: string;
}

/** The checks of RFC 9449 section 4.3, written down once more; remembers every jti it saw. */
export class ProofChecker {
  readonly seen = new Set<string>();

  /** The thumbprint of the key. @throws Error that says what is wrong */
  check(proof: string | undefined, { method, url, token, nonce }: ProofFacts): string {
    if (proof === undefined) throw new Error('no proof');
    const { header } = readJwt(proof);
    const jwk = header['jwk'] as JsonWebKey;
    if (header['typ'] !== 'dpop+jwt' || header['alg'] !== 'ES256' || 'd' in jwk) throw new Error('wrong header');
    const { claims } = readJwt(proof, createPublicKey({ key: jwk, format: 'jwk' }));
    const { htm, htu, iat, jti, ath } = claims;
    if (htm !== method || htu !== url) throw new Error(`a proof for ${String(htm)} ${String(htu)}`);
    if (Math.abs(Number(iat) - Date.now() / 1000) > 60) throw new Error('wrong time');
    if (token !== undefined && ath !== createHash('sha256').update(token).digest('base64url'))
      throw new Error('a proof for another token');
    if (token === undefined && ath !== undefined) throw new Error('ath without a token');
    if (nonce !== undefined && claims['nonce'] !== nonce) throw new NonceWanted();
    if (typeof jti !== 'string' || this.seen.has(jti)) throw new Error('a proof used twice');
    this.seen.add(jti);
    return thumbprintOf(jwk);
  }
}

export class NonceWanted extends Error {}
