import * as oauth from 'oauth4webapi';
import type { IdentityProvider } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { TokenSlot } from '../../core/upstream-tokens.ts';
import type { CodeGrant } from './ask-browser.ts';
import { findServer } from './discovery.ts';
import { createGuardedFetch, fetchUntil, type GuardedFetch } from './guarded-fetch.ts';
import { type ClientIdentity, methodOf, toClientAuth } from './registration.ts';
import { renewOnce } from './renew-once.ts';
import { type AuthPorts, type AuthTarget, toLoginHint, toReach } from './surroundings.ts';
import { isEnded, toLibraryOptions, toTokenFault } from './token-request.ts';

/** That the enterprise's identity provider knows a person: an ID token, and what it is renewed with. */
export interface Identity {
  readonly idToken: string;
  readonly subject: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** An identity provider that was found, and Sallyport as its client. */
export interface IdentityServer {
  readonly server: oauth.AuthorizationServer;
  readonly client: ClientIdentity;
  readonly fetch: GuardedFetch;
}

/** An exchange must be through before the end. */
const MARGIN_MS = 30_000;

/** @throws FaultError `config` for a target whose people no identity provider knows. */
export function toIdp({ name, auth }: AuthTarget): IdentityProvider {
  if (auth.idp === undefined) throw new FaultError('config', `"${name}" has no auth.idp.`);
  return auth.idp;
}

/** @throws FaultError `upstream_protocol`, `unreachable` or `timeout` */
export async function findIdentityServer(target: AuthTarget, signal?: AbortSignal): Promise<IdentityServer> {
  const idp = toIdp(target);
  // Asked by the operator's word alone: how far the upstream's word reaches does not matter here.
  const reaching = createGuardedFetch(
    toReach({ ...target, url: idp.issuer, auth: { ...target.auth, issuer: undefined } }),
  );
  const fetch = signal === undefined ? reaching : fetchUntil(signal, reaching);
  const server = await findServer(idp.issuer, fetch);
  if (server === undefined)
    throw new FaultError('upstream_protocol', `The identity provider ${idp.issuer} has no metadata.`);
  const method = methodOf(idp, server.token_endpoint_auth_methods_supported);
  return { server, fetch, client: { clientId: idp.clientId, source: 'configured', secret: undefined, method } };
}

/** One sign-in serves every upstream behind the same identity provider: that is what it is for. */
export function toIdentitySlot(target: AuthTarget, owner: string): TokenSlot {
  const { issuer, clientId } = toIdp(target);
  return { kind: 'identity', upstream: '', place: JSON.stringify([issuer, clientId]), owner };
}

/** Whether somebody signed in and not out again. */
export async function hasIdentity(target: AuthTarget, owner: string, { vault }: AuthPorts): Promise<boolean> {
  return toIdp(target).assertionRef !== undefined || (await vault.get(toIdentitySlot(target, owner))) !== undefined;
}

/**
 * The ID token of a person, renewed when it ends.
 * @throws FaultError `upstream_unauthenticated` that names the sign-in
 */
export async function readIdentity(target: AuthTarget, owner: string, ports: AuthPorts): Promise<string> {
  const { vault, clock, readSecret } = ports;
  const { assertionRef } = toIdp(target);
  if (assertionRef !== undefined) return readSecret(assertionRef);
  const slot = toIdentitySlot(target, owner);
  const gone = () =>
    new FaultError('upstream_unauthenticated', `"${target.name}" wants a person to sign in.`, {
      data: { status: 401, login: target.name },
      remedy: toLoginHint(target.name, owner),
    });
  const isFresh = ({ expiresAt }: Identity) => expiresAt - MARGIN_MS > clock.now();
  const { idToken, subject } = await renewOnce<Identity>({
    vault,
    slot,
    clock,
    name: target.name,
    read: fromIdentityRecord,
    isRenewed: isFresh,
    gone,
    canRenew: ({ refreshToken }) => refreshToken !== undefined,
    async renew(kept, version, signal) {
      try {
        const fresh = await renewIdentity(kept, { target, ports, signal });
        // On disk before it is used: the old refresh token may be worth nothing any more.
        return (await vault.put(slot, toIdentityRecord(fresh), version)) ? fresh : undefined;
      } catch (error) {
        const fault = error instanceof FaultError ? error : toTokenFault(toIdp(target).issuer, error);
        if (!isEnded(fault)) {
          await vault.release(slot, version);
          throw fault;
        }
        await vault.remove(slot);
        throw gone();
      }
    },
  });
  checkOwner(owner, toIdp(target), subject);
  return idToken;
}

/** The ID token of a person who just signed in. @throws FaultError */
export async function requestIdentity(
  { server, client, fetch }: IdentityServer,
  { answer, redirectUri, verifier, nonce }: CodeGrant & { readonly nonce: string },
  { target, ports }: { readonly target: AuthTarget; readonly ports: AuthPorts },
): Promise<Identity> {
  const self = { client_id: client.clientId };
  try {
    const proof = await toClientAuth(client, toIdp(target), ports.readSecret);
    const options = toLibraryOptions({ fetch, proofKey: undefined, now: ports.clock.now() });
    const reply = await oauth.authorizationCodeGrantRequest(
      server,
      self,
      proof,
      answer,
      redirectUri,
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    return toIdentity(await oauth.processAuthorizationCodeResponse(server, self, reply, checks), undefined);
  } catch (error) {
    throw toTokenFault(server.issuer, error);
  }
}

async function renewIdentity(
  kept: Identity,
  { target, ports, signal }: { readonly target: AuthTarget; readonly ports: AuthPorts; readonly signal: AbortSignal },
): Promise<Identity> {
  const { server, client, fetch } = await findIdentityServer(target, signal);
  const self = { client_id: client.clientId };
  const proof = await toClientAuth(client, toIdp(target), ports.readSecret);
  const options = toLibraryOptions({ fetch, proofKey: undefined, now: ports.clock.now() });
  const reply = await oauth.refreshTokenGrantRequest(server, self, proof, kept.refreshToken ?? '', options);
  const answer = await oauth.processRefreshTokenResponse(server, self, reply);
  const fresh = toIdentity(answer, kept.refreshToken);
  // OpenID Connect Core section 12.2: a renewed ID token speaks of the same person.
  if (fresh.subject !== kept.subject)
    throw new FaultError('upstream_unauthenticated', 'The identity provider renewed the sign-in of another person.');
  return fresh;
}

/** @throws FaultError `upstream_protocol` for an answer without an ID token; the library has checked one that is there */
function toIdentity(answer: oauth.TokenEndpointResponse, before: string | undefined): Identity {
  const claims = oauth.getValidatedIdTokenClaims(answer);
  if (claims === undefined || answer.id_token === undefined)
    throw new FaultError('upstream_protocol', 'The identity provider issued no ID token.');
  return {
    idToken: answer.id_token,
    subject: claims.sub,
    refreshToken: answer.refresh_token ?? before,
    expiresAt: claims.exp * 1000,
  };
}

/**
 * A caller whom this very identity provider vouched for has the identity of nobody else.
 * @throws FaultError `upstream_unauthenticated`
 */
export function checkOwner(owner: string, { issuer }: IdentityProvider, subject: string): void {
  const prefix = `oauth:${issuer}#`;
  if (owner.startsWith(prefix) && owner !== prefix + subject)
    throw new FaultError(
      'upstream_unauthenticated',
      'The person who signed in is another one than the caller it was for. Nothing was kept.',
    );
}

export function toIdentityRecord({ idToken, subject, refreshToken, expiresAt }: Identity): JsonObject {
  return { idToken, subject, expiresAt, ...(refreshToken === undefined ? {} : { refreshToken }) };
}

function fromIdentityRecord({ idToken, subject, refreshToken, expiresAt }: JsonObject): Identity | undefined {
  if (typeof idToken !== 'string' || typeof subject !== 'string' || typeof expiresAt !== 'number') return undefined;
  return { idToken, subject, expiresAt, refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined };
}
