import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import { invalidProof } from './challenge.ts';

/** What a proof has to fit (RFC 9449 section 4.3). */
export interface Proven {
  readonly method: string;
  /** Addresses under which a client may know what it asked for, without query. */
  readonly addresses: readonly string[];
  readonly token: string;
  /** Of the key the token is bound to (`cnf.jkt`). */
  readonly thumbprint: string;
}

/** @throws FaultError `unauthenticated` for a proof that is none, `overloaded` when replays could not be told any more */
export type CheckProof = (proof: string | readonly string[] | undefined, proven: Proven) => Promise<void>;

/** Asymmetric, and in the order in which we would choose. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;
/** SEP-1932: five minutes either way. Seconds. */
const WINDOW_S = 300;
const MAX_PROOF = 8_192;
const MAX_JTI = 1_024;

export function createProofCheck(clock: Clock, bounds: ReplayBounds = { all: 200_000, perKey: 50_000 }): CheckProof {
  const seen = createReplayMemory(clock, bounds);
  return async (proof, { method, addresses, token, thumbprint }) => {
    // Two of them, or two joined into one: which one counts would be a matter of taste.
    if (typeof proof !== 'string' || proof.length > MAX_PROOF || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof))
      throw invalidProof('The token is bound to a key and needs one DPoP header with a proof of it.');
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...PROOF_ALGORITHMS],
      typ: 'dpop+jwt',
      currentDate: new Date(clock.now()),
      clockTolerance: WINDOW_S,
    }).catch(() => {
      throw invalidProof('The DPoP proof cannot be checked: its kind, key or signature is not right.');
    });
    const { jti, iat, htm, htu, ath } = payload;
    if (htm !== method) throw invalidProof('The DPoP proof is for another method.');
    if (!addresses.includes(toAddress(htu))) throw invalidProof('The DPoP proof is for another address.');
    if (typeof iat !== 'number' || Math.abs(iat * 1000 - clock.now()) > WINDOW_S * 1000)
      throw invalidProof('The DPoP proof is too old, or from the future.');
    if (ath !== createHash('sha256').update(token).digest('base64url'))
      throw invalidProof('The DPoP proof is for another token.');
    // EmbeddedJWK has taken the key from this header, and refused a private one.
    if ((await calculateJwkThumbprint(protectedHeader.jwk as JWK)) !== thumbprint)
      throw invalidProof('The DPoP proof is made with another key than the token is bound to.');
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI)
      throw invalidProof('The DPoP proof has no jti that could be remembered.');
    // Last: what is not good in itself takes no room.
    seen.take(thumbprint, jti);
  };
}

/** Without query and fragment, as RFC 3986 section 6.2 writes it. */
export function toAddress(text: unknown): string {
  if (typeof text !== 'string' || !URL.canParse(text)) return '';
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/** Proofs remembered at a time, about 100 bytes each: 333 requests a second, a quarter of them of one key. */
export interface ReplayBounds {
  readonly all: number;
  readonly perKey: number;
}

/**
 * The jti of every proof that could still be shown again: two generations, each as long as a proof is good. When there is
 * no room, a proof is refused and no other one forgotten: whoever floods us would otherwise choose what we forget.
 */
function createReplayMemory(clock: Clock, bounds: ReplayBounds) {
  let current = new Set<string>();
  let last = new Set<string>();
  let perKey = new Map<string, number>();
  let turnAt = Number.NEGATIVE_INFINITY;
  return {
    take(thumbprint: string, jti: string): void {
      const now = clock.now();
      if (now >= turnAt) {
        last = now - turnAt < LIFETIME_MS ? current : new Set();
        current = new Set();
        perKey = new Map();
        turnAt = now + LIFETIME_MS;
      }
      const id = createHash('sha256').update(`${thumbprint} ${jti}`).digest('base64url').slice(0, 22);
      if (current.has(id) || last.has(id)) throw invalidProof('The DPoP proof was used before.');
      const count = (perKey.get(thumbprint) ?? 0) + 1;
      if (count > bounds.perKey || current.size >= bounds.all)
        throw new FaultError('overloaded', 'Too many DPoP proofs to remember. Try again in some minutes.');
      perKey.set(thumbprint, count);
      current.add(id);
    },
  };
}

/** From the earliest moment at which a proof is taken to the last. */
const LIFETIME_MS = 2 * WINDOW_S * 1000;
