import * as oauth from 'oauth4webapi';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import { member } from '../../core/json.ts';
import type { CodeGrant } from './ask-browser.ts';
import { type Challenge, toScopes } from './challenge.ts';
import type { Discovered } from './discovery.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import type { ProofKey } from './proof-key.ts';
import { type ClientIdentity, toClientAuth } from './registration.ts';
import type { ReadSecret } from './secret-reference.ts';
import type { Tokens } from './tokens.ts';

/** What a request to a token endpoint needs besides its grant. */
export interface TokenRequest {
  readonly server: oauth.AuthorizationServer;
  readonly client: ClientIdentity;
  readonly auth: UpstreamAuth;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly readSecret: ReadSecret;
  readonly fetch: GuardedFetch;
  readonly now: number;
  /** Tokens are to be bound to it; `undefined`: to nothing. */
  readonly proofKey: ProofKey | undefined;
}

/**
 * Whether tokens are to be bound to a key (RFC 9449): where the upstream wants it, or takes it and its authorization
 * server says so, too. An authorization server alone does not say what the upstream can check.
 */
export function wantsProof(auth: UpstreamAuth, challenge: Challenge, { server, dpop }: Discovered): boolean {
  if (auth.dpop !== 'auto') return auth.dpop === 'always';
  const canBind = server.dpop_signing_alg_values_supported?.includes('ES256') === true;
  return dpop === 'required' || (canBind && (challenge.dpop || dpop === 'taken'));
}

/** One way of asking for a token. */
export type Grant =
  | ({ readonly kind: 'code' } & CodeGrant)
  | { readonly kind: 'refresh'; readonly refreshToken: string }
  | { readonly kind: 'client_credentials' }
  | { readonly kind: 'token_exchange'; readonly subjectToken: string; readonly audience: string | undefined }
  | { readonly kind: 'jwt_bearer'; readonly assertion: string };

/**
 * Asks the token endpoint, with `resource` (RFC 8707) always.
 * @throws FaultError `upstream_unauthenticated` when the server says that the grant or the client is not good (any more).
 */
export async function requestTokens(request: TokenRequest, grant: Grant): Promise<Tokens> {
  const { server, client, auth, resource, now, proofKey } = request;
  const self: oauth.Client = { client_id: client.clientId };
  try {
    const answer = await withNonce(() => send(request, grant, self));
    const { access_token, refresh_token, expires_in, scope, token_type } = answer;
    const isBound = token_type === 'dpop' && proofKey !== undefined;
    if (token_type !== 'bearer' && !isBound)
      throw new FaultError('upstream_protocol', `${server.issuer} issued a token of another type than Bearer.`);
    // RFC 9449 section 5: a server that knows nothing of proofs issues a token for whoever bears it.
    if (!isBound && (auth.dpop === 'always' || (grant.kind === 'refresh' && proofKey !== undefined)))
      throw new FaultError('upstream_protocol', `${server.issuer} issued a token that is bound to no key.`);
    return {
      accessToken: checkToken(access_token, server.issuer),
      // Not every server rotates: the old one stays good then (RFC 6749 section 6).
      refreshToken: refresh_token ?? (grant.kind === 'refresh' ? grant.refreshToken : undefined),
      expiresAt: expires_in === undefined ? undefined : now + expires_in * 1000,
      scopes: toScopes(scope) ?? request.scopes,
      issuer: server.issuer,
      tokenEndpoint: server.token_endpoint ?? '',
      resource,
      client,
      proofKey: isBound ? proofKey : undefined,
    };
  } catch (error) {
    throw toTokenFault(server.issuer, error);
  }
}

/** RFC 9449 section 8: once more with the server's nonce, as a whole new request, since an assertion is good for one. */
async function withNonce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (oauth.isDPoPNonceError(error)) return send();
    throw error;
  }
}

/** How the library reaches a server: through our own fetch, which judges what may be asked and also knows loopback. */
export function toLibraryOptions({ fetch, proofKey, now }: Pick<TokenRequest, 'fetch' | 'proofKey' | 'now'>) {
  return {
    [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) => {
      const proof = proofKey === undefined ? {} : { dpop: proofKey.prove({ method: init.method, url }, now) };
      const headers = { ...init.headers, ...proof };
      const reply = await fetch(url, {
        method: init.method,
        headers,
        body: init.body,
        signal: init.signal ?? undefined,
      });
      const nonce = reply.headers.get('dpop-nonce');
      if (nonce !== null) proofKey?.noteNonce(url, nonce);
      return reply;
    },
    [oauth.allowInsecureRequests]: true as const,
  };
}

async function send(request: TokenRequest, grant: Grant, self: oauth.Client): Promise<oauth.TokenEndpointResponse> {
  const { server, client, auth, resource, scopes, readSecret } = request;
  const proof = await toClientAuth(client, auth, readSecret);
  const scope = scopes === undefined ? undefined : scopes.join(' ');
  const options = toLibraryOptions(request);
  if (grant.kind === 'code') {
    const additionalParameters = { resource };
    const { answer, redirectUri, verifier } = grant;
    const reply = await oauth.authorizationCodeGrantRequest(server, self, proof, answer, redirectUri, verifier, {
      ...options,
      additionalParameters,
    });
    return oauth.processAuthorizationCodeResponse(server, self, reply);
  }
  if (grant.kind === 'refresh') {
    const more = { ...options, additionalParameters: { resource } };
    const reply = await oauth.refreshTokenGrantRequest(server, self, proof, grant.refreshToken, more);
    return oauth.processRefreshTokenResponse(server, self, reply);
  }
  const parameters = new URLSearchParams({ resource, ...(scope === undefined ? {} : { scope }) });
  if (grant.kind === 'client_credentials') {
    const reply = await oauth.clientCredentialsGrantRequest(server, self, proof, parameters, options);
    return oauth.processClientCredentialsResponse(server, self, reply);
  }
  if (grant.kind === 'jwt_bearer') {
    parameters.set('assertion', grant.assertion);
    const reply = await oauth.genericTokenEndpointRequest(server, self, proof, JWT_BEARER, parameters, options);
    return oauth.processGenericTokenEndpointResponse(server, self, reply);
  }
  parameters.set('subject_token', grant.subjectToken);
  parameters.set('subject_token_type', 'urn:ietf:params:oauth:token-type:jwt');
  parameters.set('requested_token_type', 'urn:ietf:params:oauth:token-type:access_token');
  if (grant.audience !== undefined) parameters.set('audience', grant.audience);
  const reply = await oauth.genericTokenEndpointRequest(server, self, proof, TOKEN_EXCHANGE, parameters, options);
  return oauth.processGenericTokenEndpointResponse(server, self, reply);
}

/** RFC 7523 section 2.1, RFC 8693 section 2.1. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** A token becomes a header: nothing in it may end the line. */
function checkToken(token: string, issuer: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new FaultError('upstream_protocol', `${issuer} issued a token that no header can carry.`);
}

const NOT_GOOD: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'access_denied',
]);

/** Whether a refused renewal says that there is nothing left to renew (RFC 6749 section 5.2). */
export function isEnded(fault: FaultError): boolean {
  return member(fault.data, 'oauthError') === 'invalid_grant';
}

/** Descriptions of strangers stay out: a fault's text reaches models. */
export function toTokenFault(issuer: string, error: unknown): FaultError {
  if (error instanceof FaultError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const code = /^[\x21-\x7e]{1,60}$/.test(error.error) ? error.error : 'an unreadable error';
    return new FaultError(
      NOT_GOOD.has(error.error) ? 'upstream_unauthenticated' : 'upstream_protocol',
      `${issuer} refused to issue a token: ${code}.`,
      { cause: error, data: { oauthError: code } },
    );
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new FaultError(
      'upstream_unauthenticated',
      `${issuer} refused Sallyport as a client (HTTP ${error.status}).`,
      {
        cause: error,
      },
    );
  return new FaultError('upstream_protocol', `${issuer} answered the request for a token in a way that is none.`, {
    cause: error,
  });
}
