import type { JsonObject } from '../../core/json.ts';
import { findClaim } from './claims.ts';

/** Claims that OpenID Connect gives to ID tokens only (Core sections 3.1.3.6, 3.3.2.11; FAPI). */
const HASHES = ['at_hash', 'c_hash', 's_hash'] as const;
/** Of a sign-in or a person. Access tokens have them beside a client or scopes. */
const OF_SIGN_IN = ['auth_time', 'acr', 'amr', 'sid', 'preferred_username', 'nickname', 'picture', 'email_verified'];

export interface TokenForm {
  /** The header says `at+jwt` (RFC 9068 section 2.1), which no ID token does. */
  readonly isDeclared: boolean;
  /** Where the issuer writes scopes. */
  readonly scopesClaim: string;
}

/**
 * Whether a checked token tells a client who signed in, and allows nothing (OpenID Connect Core section 2). It is signed
 * with the same keys, and its audience is a client, which an operator may have written down. Issuers mark it in several ways.
 */
export function isIdToken(claims: JsonObject, { isDeclared, scopesClaim }: TokenForm): boolean {
  const has = (name: string) => findClaim(claims, name) !== undefined;
  const kind = [claims['token_use'], claims['typ'], claims['token_type']].map((value) => String(value).toLowerCase());
  if (HASHES.some(has) || kind.some((value) => /^id(?:[_-]?token)?$/.test(value))) return true;
  if (isDeclared || has(scopesClaim) || has('scope') || has('scp')) return false;
  if (kind.includes('bearer') || kind.includes('access')) return false;
  // Keycloak copied the nonce into access tokens, which it says are `Bearer`.
  if (has('nonce')) return true;
  if (has('client_id') || has('appid') || has('cid')) return false;
  const { aud, azp } = claims;
  const isOwn = azp !== undefined && (Array.isArray(aud) ? aud : [aud]).every((name) => name === azp);
  return isOwn || OF_SIGN_IN.some(has);
}
