import { FaultError } from '../../core/errors.ts';
import { member } from '../../core/json.ts';

/** What a refused caller is told it can do about it (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly metadataUrl: string | undefined;
  readonly requiredScopes: readonly string[];
  /** The caller shows tokens bound to a key, or has to: with these algorithms (RFC 9449 section 7.1). */
  readonly proofs: readonly string[] | undefined;
}

/** A credential that is there and not good: the caller needs another one. */
export function invalidToken(why: string): FaultError {
  return new FaultError('unauthenticated', why, { data: { error: 'invalid_token' } });
}

/** The token is shown as one that whoever bears it has, and it is bound to a key: its own scheme is asked for. */
export function unprovenToken(why: string): FaultError {
  return new FaultError('unauthenticated', why, { data: { error: 'invalid_token', scheme: 'DPoP' } });
}

/** The token may be good; that the caller has its key is not shown. */
export function invalidProof(why: string): FaultError {
  return new FaultError('unauthenticated', why, { data: { error: 'invalid_dpop_proof' } });
}

/** No credential at all: how to get one is all that is told. */
export function missingToken(why: string): FaultError {
  return new FaultError('unauthenticated', why);
}

/**
 * The caller is known, and its token allows too little for this.
 * @param scopes all that this operation needs, in one: a second challenge would be a second round for a person
 */
export function insufficientScope(scopes: readonly string[]): FaultError {
  return new FaultError('forbidden', `This needs the scopes ${scopes.join(' ')}. Ask for a token with all of them.`, {
    data: { error: 'insufficient_scope', scope: scopes.join(' ') },
  });
}

/** The `WWW-Authenticate` of a refusal; `undefined` for one that no other credential would change. */
export function toChallenge(fault: FaultError, { metadataUrl, requiredScopes, proofs }: Challenge): string | undefined {
  const error = member(fault.data, 'error');
  if (fault.code !== 'unauthenticated' && error !== 'insufficient_scope') return undefined;
  const scope = member(fault.data, 'scope');
  const scopes = typeof scope === 'string' ? scope : requiredScopes.join(' ');
  const parts = ['realm="sallyport"'];
  if (typeof error === 'string' && metadataUrl !== undefined) parts.push(`error="${error}"`);
  if (typeof error === 'string' && metadataUrl !== undefined)
    parts.push(`error_description="${fault.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")}"`);
  if (scopes !== '') parts.push(`scope="${scopes}"`);
  if (metadataUrl !== undefined)
    parts.push(`resource_metadata="${metadataUrl.replace(/["\\\s]/g, encodeURIComponent)}"`);
  if (proofs !== undefined) parts.push(`algs="${proofs.join(' ')}"`);
  return `${proofs === undefined ? 'Bearer' : 'DPoP'} ${parts.join(', ')}`;
}
