import type { ApiKey, KeyDirectory } from '../../core/key-directory.ts';
import type { Principal } from '../../core/principal.ts';
import type { HttpRequest } from '../http-exchange.ts';
import { type AccessToken, canonicalAudience } from './access-token.ts';
import { insufficientScope, invalidToken } from './challenge.ts';
import type { Peer } from './client-certificate.ts';
import type { Resources } from './resource.ts';

/** A credential that was checked, and what has to be looked at again with each request. */
export interface Standing {
  readonly principal: Principal;
  /** Thumbprint of the key that each request has to show a proof of; `undefined`: none. */
  readonly proofKey?: string | undefined;
  /** Whether it counts still. */
  isGood(now: number): boolean;
  /** @throws FaultError when it does not count for this endpoint or over this connection */
  admit(request: HttpRequest, resources: Resources | undefined, peer: Peer | undefined): void;
}

/** @param keys where it was found by this digest */
export function fromKey(key: ApiKey, digest: string, keys: KeyDirectory): Standing {
  let seen = keys.version;
  return {
    principal: Object.freeze({
      id: `key:${key.id}`,
      kind: 'key',
      person: key.person,
      agent: key.name,
      account: key.account,
      groups: key.groups,
      scopes: key.scopes,
      attributes: key.attributes,
      expiresAt: key.expiresAt,
    }),
    isGood(now) {
      if (key.expiresAt !== undefined && now >= key.expiresAt) return false;
      if (seen !== keys.version) {
        if (keys.find(digest)?.id !== key.id) return false;
        seen = keys.version;
      }
      keys.used(key.id, now);
      return true;
    },
    admit() {},
  };
}

export function fromToken(token: AccessToken, requiredScopes: readonly string[]): Standing {
  const { principal, audience, certificate, proofKey } = token;
  const isEnough = requiredScopes.every((scope) => principal.scopes?.includes(scope) === true);
  /** The address it was found good for last. */
  let goodFor: string | undefined;
  return {
    principal,
    proofKey,
    isGood: (now) => principal.expiresAt !== undefined && now < principal.expiresAt,
    admit({ url = '/' }, resources, peer) {
      if (certificate !== undefined && certificate !== peer?.thumbprint)
        throw invalidToken('The token is bound to another client certificate.');
      if (url !== goodFor) {
        const names = resources?.namesOf(url.replace(/\?.*$/s, '')) ?? [];
        // RFC 8707 section 2: a token for another resource, even of ours, was given to be used there.
        if (!token.everywhere && !names.some((name) => audience.has(canonicalAudience(name))))
          throw invalidToken('The token is for another resource: its audience is not the address of this endpoint.');
        goodFor = url;
      }
      if (!isEnough) throw insufficientScope(requiredScopes);
    },
  };
}

const combined = new WeakMap<Principal, WeakMap<Principal, Principal>>();

/**
 * The caller of a credential over a connection with a certificate, which is the account it comes from where the credential
 * names none. Always a principal of its own: when the certificate counts no more, what this one listens to ends.
 */
export function withPeer(principal: Principal, { principal: peer }: Peer): Principal {
  const ofPeer = combined.get(principal) ?? new WeakMap<Principal, Principal>();
  combined.set(principal, ofPeer);
  let both = ofPeer.get(peer);
  if (both === undefined) {
    const account = principal.account ?? peer.account ?? peer.agent ?? peer.person ?? peer.id;
    both = Object.freeze({ ...principal, account });
    ofPeer.set(peer, both);
  }
  return both;
}
