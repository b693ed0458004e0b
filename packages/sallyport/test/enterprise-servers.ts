import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atTheEnd } from './at-the-end.ts';
import { type Jwt, NonceWanted, ProofChecker, readJwt, signJwt } from './proof-check.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SSO = 'Basic c2FsbHlwb3J0LXNzbzpzc28tc2VjcmV0'; // sallyport-sso:sso-secret
const FILES = 'Basic c2FsbHlwb3J0LWZpbGVzOmZpbGVzLXNlY3JldA=='; // sallyport-files:files-secret

/** A refusal in the words of RFC 6749 section 5.2. */
class Refused extends Error {}

export interface IdentityProvider {
  readonly issuer: string;
  readonly key: KeyObject;
  /** Who sits at the browser. */
  person: string;
  /** Seconds that ID tokens live. */
  lifetime: number;
  /** Changes what is handed out for an ID token: the grant, and the answer around it. */
  bend: (grant: Jwt, answer: Record<string, unknown>) => void;
  /** The parameters of every request to the token endpoint. */
  readonly heard: URLSearchParams[];
  /** All that arrived: address, headers and body of each request. */
  readonly bytes: string[];
  idToken(person: string): string;
}

/** An OpenID provider that issues ID-JAGs (MCP, Enterprise-Managed Authorization section 4). */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const codes = new Map<string, { readonly query: URLSearchParams; readonly person: string }>();
  const refreshTokens = new Map<string, string>();
  const toIdToken = (person: string, nonce?: string | null) => {
    const iat = Math.floor(Date.now() / 1000);
    const times = { iat, exp: iat + idp.lifetime };
    const claims = { iss: idp.issuer, sub: person, aud: 'sallyport-sso', ...times, ...(nonce ? { nonce } : {}) };
    return signJwt({ header: { kid: 'idp' }, claims }, privateKey);
  };
  const toAnswer = (person: string, nonce?: string | null) => {
    const refresh = randomUUID();
    refreshTokens.set(refresh, person);
    const more = { access_token: 'of-the-idp', token_type: 'Bearer', expires_in: 300, refresh_token: refresh };
    return { id_token: toIdToken(person, nonce), ...more };
  };
  const exchange = (form: URLSearchParams) => {
    const { claims } = readJwt(form.get('subject_token') ?? '', publicKey);
    const isAsked = form.get('requested_token_type') === ID_JAG && form.get('subject_token_type') === ID_TOKEN;
    if (!isAsked || form.get('audience') === null || form.get('resource') === null)
      throw new Refused('invalid_request');
    if (claims['aud'] !== 'sallyport-sso' || Number(claims['exp']) < Date.now() / 1000)
      throw new Refused('invalid_grant');
    const iat = Math.floor(Date.now() / 1000);
    const grant: Jwt = {
      header: { typ: 'oauth-id-jag+jwt', kid: 'idp' },
      claims: {
        ...{ iss: idp.issuer, sub: claims['sub'], aud: form.get('audience'), resource: form.get('resource') },
        ...{
          client_id: 'sallyport-files',
          jti: randomUUID(),
          iat,
          exp: iat + 60,
          scope: form.get('scope') ?? undefined,
        },
      },
    };
    const answer: Record<string, unknown> = { issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 60 };
    idp.bend(grant, answer);
    return { access_token: signJwt(grant, privateKey), ...answer };
  };
  const bytes: string[] = [];
  const issuer = await serve(async (request, response, body) => {
    bytes.push(JSON.stringify([request.url, request.rawHeaders, body]));
    const { pathname, searchParams } = new URL(request.url ?? '', idp.issuer);
    if (pathname === '/.well-known/openid-configuration')
      return reply(response, 200, {
        ...{
          issuer: idp.issuer,
          authorization_endpoint: `${idp.issuer}/authorize`,
          token_endpoint: `${idp.issuer}/token`,
        },
        ...{ jwks_uri: `${idp.issuer}/jwks`, id_token_signing_alg_values_supported: ['ES256'] },
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      });
    if (pathname === '/authorize') {
      const code = randomUUID();
      codes.set(code, { query: searchParams, person: idp.person });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    if (pathname !== '/token') return reply(response, 404, {});
    const form = new URLSearchParams(body);
    heard.push(form);
    if (request.headers.authorization !== SSO) return reply(response, 401, { error: 'invalid_client' });
    const kind = form.get('grant_type');
    if (kind === EXCHANGE) return reply(response, 200, exchange(form));
    if (kind === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const person = refreshTokens.get(token);
      refreshTokens.delete(token);
      if (person === undefined) throw new Refused('invalid_grant');
      return reply(response, 200, toAnswer(person));
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code?.query.get('code_challenge') !== challenge) throw new Refused('invalid_grant');
    reply(response, 200, toAnswer(code.person, code.query.get('nonce')));
  });
  const heard: URLSearchParams[] = [];
  const idp: IdentityProvider = {
    issuer,
    key: publicKey,
    person: 'ada',
    lifetime: 300,
    bend() {},
    heard,
    bytes,
    idToken: toIdToken,
  };
  return idp;
}

export interface GrantServer {
  readonly issuer: string;
  readonly key: KeyObject;
  readonly heard: URLSearchParams[];
  /** All that arrived: address, headers and body of each request. */
  readonly bytes: string[];
  /** The `jti` of every grant that was taken. */
  readonly taken: Set<unknown>;
  /** Proofs need this nonce. */
  nonce: string | undefined;
  /** Seconds that access tokens live. */
  lifetime: number;
}

/** The authorization server of a resource, which trusts `idp` (section 5 of the same; RFC 7523; RFC 9449 section 5). */
export async function startGrantServer(idp: IdentityProvider): Promise<GrantServer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const proofs = new ProofChecker();
  const take = (form: URLSearchParams): Jwt['claims'] => {
    const { header, claims } = readJwt(form.get('assertion') ?? '', idp.key);
    const { iss, aud, exp, client_id, jti, sub } = claims;
    const isFor = iss === idp.issuer && aud === server.issuer && client_id === 'sallyport-files';
    if (header['typ'] !== 'oauth-id-jag+jwt' || !isFor || typeof sub !== 'string') throw new Refused('invalid_grant');
    if (Number(exp) < Date.now() / 1000 || server.taken.has(jti)) throw new Refused('invalid_grant');
    server.taken.add(jti);
    return claims;
  };
  const bytes: string[] = [];
  const issuer = await serve(async (request, response, body) => {
    bytes.push(JSON.stringify([request.url, request.rawHeaders, body]));
    const { pathname } = new URL(request.url ?? '', server.issuer);
    if (pathname === '/.well-known/oauth-authorization-server')
      return reply(response, 200, {
        ...{ issuer: server.issuer, token_endpoint: `${server.issuer}/token`, jwks_uri: `${server.issuer}/jwks` },
        ...{ grant_types_supported: [JWT_BEARER], authorization_grant_profiles_supported: [ID_JAG] },
        ...{
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
          dpop_signing_alg_values_supported: ['ES256'],
        },
      });
    if (pathname === '/jwks') {
      const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'as', alg: 'ES256', use: 'sig' };
      return reply(response, 200, { keys: [jwk] });
    }
    if (pathname !== '/token') return reply(response, 404, {});
    const form = new URLSearchParams(body);
    server.heard.push(form);
    if (request.headers.authorization !== FILES) return reply(response, 401, { error: 'invalid_client' });
    const dpop = request.headers['dpop'] as string | undefined;
    let jkt: string | undefined;
    try {
      const url = `${server.issuer}/token`;
      const nonce = server.nonce === undefined ? {} : { nonce: server.nonce };
      if (dpop !== undefined) jkt = proofs.check(dpop, { method: 'POST', url, ...nonce });
    } catch (error) {
      if (!(error instanceof NonceWanted)) throw new Refused('invalid_dpop_proof');
      response.setHeader('dpop-nonce', server.nonce ?? '');
      throw new Refused('use_dpop_nonce');
    }
    const { sub, resource } = take(form);
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      iss: server.issuer,
      sub,
      aud: resource,
      client_id: 'sallyport-files',
      iat,
      exp: iat + server.lifetime,
    };
    const bound = jkt === undefined ? claims : { ...claims, cnf: { jkt } };
    const token = signJwt(
      { header: { typ: 'at+jwt', kid: 'as' }, claims: { ...bound, jti: randomUUID() } },
      privateKey,
    );
    const type = jkt === undefined ? 'Bearer' : 'DPoP';
    reply(response, 200, { access_token: token, token_type: type, expires_in: server.lifetime });
  });
  const server: GrantServer = {
    issuer,
    key: publicKey,
    heard: [],
    bytes,
    taken: new Set(),
    nonce: undefined,
    lifetime: 300,
  };
  return server;
}

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      answer(request, response, body).catch((error: unknown) =>
        reply(response, 400, { error: error instanceof Refused ? error.message : 'invalid_request' }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
