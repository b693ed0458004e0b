import type { Attributes } from './principal.ts';

/** Who an API key stands for. The key itself is known to its holder only. */
export interface ApiKey {
  readonly id: string;
  /** Unique; also the agent's name on every record. */
  readonly name: string;
  readonly person: string | undefined;
  readonly account: string | undefined;
  readonly groups: readonly string[];
  /** `undefined`: not limited by scopes. */
  readonly scopes: readonly string[] | undefined;
  readonly attributes: Attributes;
  /** Milliseconds since the epoch, as the others. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** To the minute. */
  readonly lastUsedAt: number | undefined;
}

/** The keys that may be used now, known without waiting; changes of other processes show within a second. */
export interface KeyDirectory {
  /** Counts up whenever a key is added, changed or revoked: what was concluded before is to be looked at again. */
  readonly version: number;
  /**
   * @param digest SHA-256 of the whole key, in hex
   * @throws FaultError `overloaded` when the directory could not be read for a while: a revoked key must not live on.
   */
  find(digest: string): ApiKey | undefined;
  /** The key was used. Costs one write a minute at most. */
  used(id: string, now: number): void;
}
