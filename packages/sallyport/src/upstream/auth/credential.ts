import type { Challenge } from './challenge.ts';

/** Names and values to add to a request; lower case. */
export type CredentialHeaders = Readonly<Record<string, string>>;

export const NO_HEADERS: CredentialHeaders = Object.freeze({});

/** What an upstream answered instead of an answer. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly challenge: Challenge;
  /** What the refused request carried. */
  readonly used: CredentialHeaders;
  /** How many requests were refused for this one call before. */
  readonly attempt: number;
}

/** The request a credential is for. */
export interface CredentialRequest {
  readonly method: string;
  readonly url: string;
}

/** How one owner proves itself to one upstream. */
export interface Credential {
  /** Of the next request; a promise only where something must be fetched first. */
  headers(request: CredentialRequest): CredentialHeaders | Promise<CredentialHeaders>;
  /** Present: the upstream's newest nonce for proofs is wanted (RFC 9449 section 9). */
  noteNonce?(url: string, nonce: string): void;
  /**
   * Resolves when the request is worth sending again.
   * @throws FaultError `upstream_unauthenticated` that says what a person must do.
   */
  refused(refusal: Refusal): Promise<void>;
}
