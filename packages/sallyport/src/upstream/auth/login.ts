import {
  AuthorizationResponseError,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { request } from 'undici';
import { FaultError } from '../../core/errors.ts';
import { type Challenge, fromChallengeRecord, NO_CHALLENGE, parseChallenge, uniteScopes } from './challenge.ts';
import { type Discovered, discover } from './discovery.ts';
import { checkAddress, createGuardedFetch, type Reach } from './guarded-fetch.ts';
import { openRedirectListener } from './redirect-listener.ts';
import { type ClientIdentity, findClient } from './registration.ts';
import { type AuthPorts, type AuthTarget, toReach, toTokenSlot } from './surroundings.ts';
import { requestTokens } from './token-request.ts';
import { fromTokensRecord, type Tokens, toTokensRecord } from './tokens.ts';

export interface LoginOptions {
  readonly target: AuthTarget;
  readonly owner: string;
  readonly ports: AuthPorts;
  /** Shows the address to the person. It is http(s), and it is the whole of it. */
  readonly show: (url: URL) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** A person takes a while to find a password. */
const PATIENCE_MS = 300_000;

/**
 * Signs a person in: discovery, registration, authorization code with PKCE, tokens into the vault.
 * @throws FaultError that names the step and what is wrong; on a mix-up nothing of the answer is shown.
 */
export async function login(options: LoginOptions): Promise<Tokens> {
  const { target, owner, ports, show } = options;
  if (target.auth.type !== 'oauth')
    throw new FaultError(
      'usage',
      `"${target.name}" is not a server that people sign in to (auth.type is ${target.auth.type}).`,
    );
  const reach = toReach(target);
  const fetch = createGuardedFetch(reach);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const challenge = await findChallenge(options);
  const discovered = await discover({ url: target.url, auth: target.auth, challenge, fetch });
  checkServer(discovered.server, reach);
  const listener = await openRedirectListener(target.auth.redirectPort);
  try {
    const { redirectUri } = listener;
    const { name: upstream, auth } = target;
    const now = ports.clock.now();
    const { server, resource } = discovered;
    const client = await findClient({ upstream, auth, server, redirectUri, vault: ports.vault, fetch, now });
    const scopes = await chooseScopes(options, challenge, discovered);
    const verifier = generateRandomCodeVerifier();
    const state = generateRandomState();
    const url = await toAuthorizationUrl({ server, client, redirectUri, resource, scopes, verifier, state });
    const waiting = listener.wait(state, signal);
    waiting.catch(() => {});
    await show(url);
    const answer = validate(server, client, await waiting, state);
    const request = { server, client, auth, resource, scopes, readSecret: ports.readSecret, fetch, now };
    const tokens = await requestTokens(request, { kind: 'code', answer, redirectUri, verifier });
    await ports.vault.put(toTokenSlot('tokens', target, owner), toTokensRecord(tokens), undefined);
    const { kind, ...place } = toTokenSlot('challenge', target, owner);
    await ports.vault.remove({ kind, ...place });
    return tokens;
  } finally {
    await listener.close();
  }
}

/** What the running gateway was answered last; where it was not, what the server answers to a stranger. */
async function findChallenge({ target, owner, ports, signal }: LoginOptions): Promise<Challenge> {
  const kept = await ports.vault.get(toTokenSlot('challenge', target, owner));
  if (kept !== undefined) return fromChallengeRecord(kept.value);
  const late = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
  try {
    const reply = await request(target.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      signal: late,
    });
    const header = reply.headers['www-authenticate'];
    // Only the header matters; what an aborted body says about it is no news.
    reply.body.on('error', () => {}).destroy();
    return reply.statusCode === 401 ? parseChallenge(Array.isArray(header) ? header.join(', ') : header) : NO_CHALLENGE;
  } catch (error) {
    throw new FaultError('unreachable', `"${target.name}" cannot be reached, so it is not known how to sign in.`, {
      cause: error,
    });
  }
}

/** Before the person is sent anywhere. */
function checkServer(server: AuthorizationServer, reach: Reach): void {
  const { issuer, authorization_endpoint: address, code_challenge_methods_supported: methods } = server;
  // MCP, Authorization Code Protection: without the word of the server PKCE counts as missing, and that is the end.
  if (methods === undefined || !methods.includes('S256'))
    throw new FaultError(
      'upstream_protocol',
      `${issuer} does not say that it supports PKCE with S256. Signing in there is not safe.`,
    );
  if (address === undefined) throw new FaultError('upstream_protocol', `${issuer} names no authorization endpoint.`);
  // The browser opens it: javascript:, file: and the like must not get there (security best practices).
  checkAddress(address, reach);
  checkAddress(server.token_endpoint ?? '', reach);
}

/** Least first: those asked for in the configuration, by the challenge, or by the metadata; never fewer than before. */
async function chooseScopes(
  { target, owner, ports }: LoginOptions,
  challenge: Challenge,
  { server, scopes }: Discovered,
): Promise<readonly string[] | undefined> {
  const asked = uniteScopes(target.auth.scopes, challenge.scopes) ?? scopes;
  const kept = await ports.vault.get(toTokenSlot('tokens', target, owner));
  const before = kept === undefined ? undefined : fromTokensRecord(kept.value);
  const isStepUp = challenge.error === 'insufficient_scope' && before?.issuer === server.issuer;
  const all = isStepUp ? uniteScopes(before?.scopes, asked) : asked;
  const canRefresh = server.scopes_supported?.includes('offline_access') === true;
  return all === undefined || !canRefresh ? all : uniteScopes(all, ['offline_access']);
}

interface Authorization {
  readonly server: AuthorizationServer;
  readonly client: ClientIdentity;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly verifier: string;
  readonly state: string;
}

async function toAuthorizationUrl(authorization: Authorization): Promise<URL> {
  const { server, client, redirectUri, resource, scopes, verifier, state } = authorization;
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect Core section 11: without it the server must ignore offline_access.
    ...(scopes?.includes('offline_access') === true ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** `iss` (RFC 9207) against the issuer recorded before the redirect, then `state`, then errors. */
function validate(
  server: AuthorizationServer,
  client: ClientIdentity,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    return validateAuthResponse(server, { client_id: client.clientId }, answer, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError && /^[\x21-\x7e]{1,60}$/.test(error.error))
      throw new FaultError('upstream_unauthenticated', `${server.issuer} refused the sign-in: ${error.error}.`);
    throw new FaultError(
      'upstream_protocol',
      `The answer to the sign-in does not come from ${server.issuer}. It is not used; somebody may have tried to mix up two servers.`,
      { cause: error },
    );
  }
}
