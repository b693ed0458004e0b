import type { Principal } from '../core/principal.ts';

/** How Sallyport proves itself to one HTTP upstream. Secrets stand elsewhere and are named by reference. */
export interface UpstreamAuth {
  readonly type: 'static' | 'oauth' | 'client_credentials' | 'token_exchange' | 'enterprise' | 'workload_identity';
  /** static: the header, and the word before the secret. */
  readonly header: string;
  readonly scheme: string | undefined;
  readonly secretRef: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecretRef: string | undefined;
  /** A PKCS#8 key in PEM: private_key_jwt, and the caller's assertion of a token exchange. */
  readonly privateKeyRef: string | undefined;
  readonly keyId: string | undefined;
  /** `undefined`: those the server asks for. */
  readonly scopes: readonly string[] | undefined;
  /** The one authorization server that is trusted, whatever the upstream names. */
  readonly issuer: string | undefined;
  readonly resource: string | undefined;
  /** token_exchange: the logical name of the upstream at the authorization server. workload_identity: whom the assertion is for. */
  readonly audience: string | undefined;
  /** workload_identity: the JWT that the platform gave this workload. */
  readonly assertionRef: string | undefined;
  /** enterprise: who vouches for people. */
  readonly idp: IdentityProvider | undefined;
  /** auto: tokens bound to a key (RFC 9449) where the upstream takes them. */
  readonly dpop: 'auto' | 'always' | 'never';
  /** An authorization server without any metadata is asked at the default paths (MCP 2025-03-26). */
  readonly defaultEndpoints: boolean;
  /** Of the listener that takes the authorization code; 0: the system chooses. */
  readonly redirectPort: number;
  /** Dynamic client registration may be used. */
  readonly dcr: boolean;
  readonly clientMetadataUrl: string | undefined;
  /** Whose tokens a call uses. */
  readonly tokens: 'principal' | 'shared';
  /** The authorization server may stand in a private network. */
  readonly privateNetwork: boolean;
}

/** The enterprise's identity provider, and what Sallyport is to it. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretRef: string | undefined;
  readonly privateKeyRef: string | undefined;
  readonly keyId: string | undefined;
  /** Asked for at a sign-in beside `openid` and `offline_access`. */
  readonly scopes: readonly string[];
  /** Where the identity assertion of the one person all callers act for stands; `undefined`: people sign in. */
  readonly assertionRef: string | undefined;
}

/** The owner of what all callers use together, and of what the person at this machine uses. */
export const SHARED_OWNER = 'shared';
export const LOCAL_OWNER = 'local';

const PERSONAL: ReadonlySet<UpstreamAuth['type']> = new Set(['oauth', 'token_exchange', 'enterprise']);

/** True when what an upstream answers may depend on who calls. */
export function isPerPrincipal(auth: UpstreamAuth | undefined): boolean {
  return auth !== undefined && auth.tokens === 'principal' && PERSONAL.has(auth.type);
}

/**
 * Whose credential a caller uses. The key holder, the parent process and whoever reaches an open loopback port are all
 * the person at this machine: `sallyport login` signs in once for the three.
 */
export function toTokenOwner(auth: UpstreamAuth | undefined, principal: Principal): string {
  if (!isPerPrincipal(auth)) return SHARED_OWNER;
  if (principal.id === 'local' || principal.kind === 'stdio' || principal.kind === 'open') return LOCAL_OWNER;
  return auth?.type === 'token_exchange' ? toWholeOwner(principal) : principal.id;
}

/**
 * An exchanged token says who acts for the person, and for which groups: another program of theirs, and they themselves
 * once they have left a group, get another one.
 */
function toWholeOwner({ id, person, account, agent, groups }: Principal): string {
  return JSON.stringify([id, person, account, agent, groups]);
}
