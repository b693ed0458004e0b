import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { GrantServer, IdentityProvider } from './enterprise-servers.ts';
import { signJwt } from './proof-check.ts';

/** A client of the extension (MCP, Enterprise-Managed Authorization), with a key of its own for proofs (RFC 9449). */
export class EnterpriseClient {
  readonly #idp: IdentityProvider;
  readonly #server: GrantServer;
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly jwk = this.#key.publicKey.export({ format: 'jwk' });
  readonly idToken: string;

  constructor(idp: IdentityProvider, server: GrantServer, person = 'ada') {
    this.#idp = idp;
    this.#server = server;
    this.idToken = idp.idToken(person);
  }

  /** An ID-JAG for one resource. */
  grantFor(resource: string): Promise<string> {
    return post(`${this.#idp.issuer}/token`, 'sallyport-sso:sso-secret', {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: this.#server.issuer,
      resource,
      subject_token: this.idToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
  }

  /** An access token for a grant; bound to this client's key where `bound` says so. */
  redeem(assertion: string, { bound = false } = {}): Promise<string> {
    const url = `${this.#server.issuer}/token`;
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const headers: Record<string, string> = bound ? { dpop: this.prove(url) } : {};
    return post(url, 'sallyport-files:files-secret', { grant_type, assertion }, headers);
  }

  /** A proof for one POST, with `token` where it goes along. */
  prove(url: string, token?: string): string {
    const iat = Math.floor(Date.now() / 1000);
    const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
    const claims = { htm: 'POST', htu: url, iat, jti: randomUUID(), ath };
    return signJwt({ header: { typ: 'dpop+jwt', jwk: this.jwk }, claims }, this.#key.privateKey);
  }
}

async function post(
  url: string,
  pair: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<string> {
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  const reply = await fetch(url, {
    method: 'POST',
    headers: { authorization, ...headers },
    body: new URLSearchParams(form),
  });
  const { access_token: token = '' } = (await reply.json()) as { access_token?: string };
  return token;
}
