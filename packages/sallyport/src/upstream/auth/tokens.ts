import { isObject, type JsonObject } from '../../core/json.ts';
import { toScopes } from './challenge.ts';
import { fromProofKeyRecord, type ProofKey } from './proof-key.ts';
import type { ClientIdentity } from './registration.ts';

/** Tokens for one upstream, and what is needed to renew them. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch; `undefined`: not said. */
  readonly expiresAt: number | undefined;
  /** As granted, or as asked for when the server did not say. */
  readonly scopes: readonly string[] | undefined;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
  readonly client: ClientIdentity;
  /** The key they are bound to; `undefined`: whoever bears them has them. */
  readonly proofKey: ProofKey | undefined;
}

export function toTokensRecord(tokens: Tokens): JsonObject {
  const { accessToken, refreshToken, expiresAt, scopes, issuer, tokenEndpoint, resource, client, proofKey } = tokens;
  const { clientId, source, secret, method } = client;
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    issuer,
    tokenEndpoint,
    resource,
    client: { clientId, source, method, ...(secret === undefined ? {} : { secret }) },
    ...(proofKey === undefined ? {} : { proofKey: proofKey.record }),
  };
}

/** `undefined` for a record that is none. */
export function fromTokensRecord(record: JsonObject): Tokens | undefined {
  const { accessToken, issuer, tokenEndpoint, resource, client, refreshToken, expiresAt, scope } = record;
  if (typeof accessToken !== 'string' || typeof issuer !== 'string') return undefined;
  if (typeof tokenEndpoint !== 'string' || typeof resource !== 'string') return undefined;
  const identity = readClient(client);
  if (identity === undefined) return undefined;
  const { proofKey } = record;
  const key = isObject(proofKey) ? fromProofKeyRecord(proofKey) : undefined;
  // Without its key a bound token is worth nothing, and must not go out as if it were not bound.
  if (proofKey !== undefined && key === undefined) return undefined;
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
    expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
    scopes: toScopes(scope),
    issuer,
    tokenEndpoint,
    resource,
    client: identity,
    proofKey: key,
  };
}

function readClient(value: JsonObject[string]): ClientIdentity | undefined {
  const { clientId, source, secret, method } = (value ?? {}) as JsonObject;
  if (typeof clientId !== 'string' || typeof method !== 'string') return undefined;
  if (source !== 'configured' && source !== 'document' && source !== 'registered') return undefined;
  return { clientId, source, method, secret: typeof secret === 'string' ? secret : undefined };
}
