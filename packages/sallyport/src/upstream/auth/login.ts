import { generateRandomNonce } from 'oauth4webapi';
import { Agent, request } from 'undici';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import { createOperatorLookup } from '../operator-lookup.ts';
import { askPerson, type Desk } from './ask-browser.ts';
import { type Challenge, fromChallengeRecord, NO_CHALLENGE, parseChallenge, uniteScopes } from './challenge.ts';
import { type Discovered, discover } from './discovery.ts';
import { checkAddress, createGuardedFetch, type Reach } from './guarded-fetch.ts';
import {
  checkOwner,
  findIdentityServer,
  requestIdentity,
  toIdentityRecord,
  toIdentitySlot,
  toIdp,
} from './identity.ts';
import { createProofKey } from './proof-key.ts';
import { findClient } from './registration.ts';
import { type AuthPorts, type AuthTarget, toReach, toTokenSlot } from './surroundings.ts';
import { requestTokens, wantsProof } from './token-request.ts';
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

/** What a sign-in brought, without its secrets' places. */
export type SignedIn = Pick<Tokens, 'issuer' | 'scopes' | 'expiresAt' | 'refreshToken'>;

/**
 * Signs a person in: discovery, registration, authorization code with PKCE, tokens into the vault. With an identity
 * provider it is there that the person signs in, once for all upstreams behind it.
 * @throws FaultError that names the step and what is wrong; on a mix-up nothing of the answer is shown.
 */
export async function login(options: LoginOptions): Promise<SignedIn> {
  const { name, auth } = options.target;
  if (auth.type !== 'oauth' && (auth.type !== 'enterprise' || auth.idp?.assertionRef !== undefined))
    throw new FaultError('usage', `"${name}" is not a server that people sign in to (auth.type is ${auth.type}).`);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const desk = { port: auth.redirectPort, signal, show: options.show };
  const more = { ...options, signal };
  return auth.type === 'oauth' ? signInAtServer(more, desk) : signInAtIdp(more, desk);
}

async function signInAtServer(options: LoginOptions, desk: Desk): Promise<Tokens> {
  const { target, owner, ports } = options;
  const { name: upstream, auth } = target;
  const reach = toReach(target);
  const fetch = createGuardedFetch(reach);
  const challenge = await findChallenge(options);
  const discovered = await discover({ url: target.url, auth, challenge, fetch });
  const { server, resource } = discovered;
  checkServer(discovered, reach);
  const kept = await ports.vault.get(toTokenSlot('tokens', target, owner));
  const before = kept === undefined ? undefined : fromTokensRecord(kept.value);
  const scopes = chooseScopes({ auth, challenge, discovered, before });
  const now = ports.clock.now();
  const tokens = await askPerson(desk, async (redirectUri) => {
    const client = await findClient({ upstream, auth, server, redirectUri, vault: ports.vault, fetch, now });
    return {
      server,
      client,
      parameters: { resource, ...(scopes === undefined ? {} : { scope: scopes.join(' ') }) },
      take: (grant) => {
        const earlier = before?.issuer === server.issuer ? before.proofKey : undefined;
        const proofKey = wantsProof(auth, challenge, discovered) ? (earlier ?? createProofKey()) : undefined;
        const request = { server, client, auth, resource, scopes, readSecret: ports.readSecret, fetch, now, proofKey };
        return requestTokens(request, { kind: 'code', ...grant });
      },
    };
  });
  await ports.vault.put(toTokenSlot('tokens', target, owner), toTokensRecord(tokens), undefined);
  const { kind, ...place } = toTokenSlot('challenge', target, owner);
  await ports.vault.remove({ kind, ...place });
  return tokens;
}

async function signInAtIdp({ target, owner, ports }: LoginOptions, desk: Desk): Promise<SignedIn> {
  const idp = toIdp(target);
  const { server, client, fetch } = await findIdentityServer(target);
  const { authorization_endpoint: address = '' } = server;
  checkAddress(address, toReach({ ...target, url: idp.issuer, auth: { ...target.auth, issuer: undefined } }));
  const scopes = [...new Set(['openid', 'offline_access', ...idp.scopes])];
  const nonce = generateRandomNonce();
  const identity = await askPerson(desk, () => ({
    server,
    client,
    parameters: { scope: scopes.join(' '), nonce },
    take: (grant) => requestIdentity({ server, client, fetch }, { ...grant, nonce }, { target, ports }),
  }));
  checkOwner(owner, idp, identity.subject);
  await ports.vault.put(toIdentitySlot(target, owner), toIdentityRecord(identity), undefined);
  const { expiresAt, refreshToken } = identity;
  return { issuer: idp.issuer, scopes, expiresAt, refreshToken };
}

/** What the running gateway was answered last; where it was not, what the server answers to a stranger. */
async function findChallenge({ target, owner, ports, signal }: LoginOptions): Promise<Challenge> {
  const kept = await ports.vault.get(toTokenSlot('challenge', target, owner));
  if (kept !== undefined) return fromChallengeRecord(kept.value);
  const late = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
  const dispatcher = new Agent({ connect: { lookup: createOperatorLookup() } });
  try {
    const reply = await request(target.url, {
      dispatcher,
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
  } finally {
    await dispatcher.destroy();
  }
}

/** Before the person is sent anywhere. */
function checkServer({ server, isAssumed }: Discovered, reach: Reach): void {
  const { issuer, authorization_endpoint: address, code_challenge_methods_supported: methods } = server;
  // MCP, Authorization Code Protection: without the word of the server PKCE counts as missing, and that is the end. A
  // server of 2025-03-26 without metadata must know PKCE and has no way to say so; the operator vouches for it.
  if (!isAssumed && (methods === undefined || !methods.includes('S256')))
    throw new FaultError(
      'upstream_protocol',
      `${issuer} does not say that it supports PKCE with S256. Signing in there is not safe.`,
    );
  if (address === undefined) throw new FaultError('upstream_protocol', `${issuer} names no authorization endpoint.`);
  // The browser opens it: javascript:, file: and the like must not get there (security best practices).
  checkAddress(address, reach);
  checkAddress(server.token_endpoint ?? '', reach);
}

interface ScopeSources {
  readonly auth: UpstreamAuth;
  readonly challenge: Challenge;
  readonly discovered: Discovered;
  readonly before: Tokens | undefined;
}

/** Least first: those asked for in the configuration, by the challenge, or by the metadata; never fewer than before. */
function chooseScopes({ auth, challenge, discovered, before }: ScopeSources): readonly string[] | undefined {
  const { server, scopes } = discovered;
  const asked = uniteScopes(auth.scopes, challenge.scopes) ?? scopes;
  const isStepUp = challenge.error === 'insufficient_scope' && before?.issuer === server.issuer;
  const all = isStepUp ? uniteScopes(before?.scopes, asked) : asked;
  const canRefresh = server.scopes_supported?.includes('offline_access') === true;
  return all === undefined || !canRefresh ? all : uniteScopes(all, ['offline_access']);
}
