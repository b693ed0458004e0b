import * as oauth from 'oauth4webapi';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import { toScopes } from './challenge.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
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
}

/** One way of asking for a token. */
export type Grant =
  | {
      readonly kind: 'code';
      /** Checked by the library: `state`, `iss`, then errors. */
      readonly answer: URLSearchParams;
      readonly redirectUri: string;
      readonly verifier: string;
    }
  | { readonly kind: 'refresh'; readonly refreshToken: string }
  | { readonly kind: 'client_credentials' }
  | { readonly kind: 'token_exchange'; readonly subjectToken: string; readonly audience: string | undefined };

/**
 * Asks the token endpoint, with `resource` (RFC 8707) always.
 * @throws FaultError `upstream_unauthenticated` when the server says that the grant or the client is not good (any more).
 */
export async function requestTokens(request: TokenRequest, grant: Grant): Promise<Tokens> {
  const { server, client, resource, now } = request;
  const self: oauth.Client = { client_id: client.clientId };
  try {
    const answer = await send(request, grant, self);
    const { access_token, refresh_token, expires_in, scope, token_type } = answer;
    if (token_type !== 'bearer')
      throw new FaultError('upstream_protocol', `${server.issuer} issued a token of another type than Bearer.`);
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
    };
  } catch (error) {
    throw toTokenFault(server.issuer, error);
  }
}

async function send(request: TokenRequest, grant: Grant, self: oauth.Client): Promise<oauth.TokenEndpointResponse> {
  const { server, client, auth, resource, scopes, readSecret, fetch } = request;
  const proof = await toClientAuth(client, auth, readSecret);
  const scope = scopes === undefined ? undefined : scopes.join(' ');
  const options = {
    [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
      fetch(url, { method: init.method, headers: init.headers, body: init.body, signal: init.signal ?? undefined }),
    // What may be asked is judged by our own fetch, which also knows loopback.
    [oauth.allowInsecureRequests]: true,
  };
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
  parameters.set('subject_token', grant.subjectToken);
  parameters.set('subject_token_type', 'urn:ietf:params:oauth:token-type:jwt');
  parameters.set('requested_token_type', 'urn:ietf:params:oauth:token-type:access_token');
  if (grant.audience !== undefined) parameters.set('audience', grant.audience);
  const type = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const reply = await oauth.genericTokenEndpointRequest(server, self, proof, type, parameters, options);
  return oauth.processGenericTokenEndpointResponse(server, self, reply);
}

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

/** Descriptions of strangers stay out: a fault's text reaches models. */
function toTokenFault(issuer: string, error: unknown): FaultError {
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
