import type { JsonObject } from './json.ts';

/** Where one secret stands: what it is, for which upstream, bound to which address or issuer, on whose behalf. */
export interface TokenSlot {
  /** `tokens` of an authorization · `client` registered with an issuer · `challenge` an upstream answered with · `identity` an identity provider vouches for. */
  readonly kind: 'tokens' | 'client' | 'challenge' | 'identity';
  /** Empty for what all upstreams behind one identity provider share. */
  readonly upstream: string;
  /** The upstream's address, or the issuer of a client: a secret for one place is never found under another. */
  readonly place: string;
  /** `shared`, `local` or a principal's id. */
  readonly owner: string;
}

export interface KeptSecret {
  readonly value: JsonObject;
  /** Counts up with every change. */
  readonly version: number;
}

/** Secrets that upstreams gave us, kept over restarts; implemented in `storage/`, encrypted there. */
export interface TokenVault {
  /** @throws FaultError `config` when it was sealed with another key. */
  get(slot: TokenSlot): Promise<KeptSecret | undefined>;
  /**
   * Replaces what was read as `version` (0: nothing was there; `undefined`: whatever is there) in one step.
   * False: somebody else changed it meanwhile, and nothing was written.
   */
  put(slot: TokenSlot, value: JsonObject, version: number | undefined): Promise<boolean>;
  /** Takes the right to renew `version` for so long; false when another process holds it or the version is gone. */
  claim(slot: TokenSlot, version: number, milliseconds: number): Promise<boolean>;
  /** Gives the right back unused. */
  release(slot: TokenSlot, version: number): Promise<void>;
  /** Forgets one slot, or with `place: undefined` all places. Returns how many there were. */
  remove(slot: Omit<TokenSlot, 'place'> & { readonly place: string | undefined }): Promise<number>;
}
