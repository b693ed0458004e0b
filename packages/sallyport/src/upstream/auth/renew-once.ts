import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { TokenSlot, TokenVault } from '../../core/upstream-tokens.ts';

/** How long one process may take to renew before another one tries. */
const CLAIM_MS = 20_000;
/** It gives up by then, so that nobody else has begun. */
const GIVE_UP_MS = 18_000;
const LOOK_MS = 100;

/** One kept secret that ends and is renewed with what is in it. */
export interface Renewal<T> {
  readonly vault: TokenVault;
  readonly slot: TokenSlot;
  readonly clock: Clock;
  /** What waits for it, for the fault of one who waited in vain. */
  readonly name: string;
  readonly read: (record: JsonObject) => T | undefined;
  /** It is another one than the one that has to be renewed. */
  readonly isRenewed: (kept: T) => boolean;
  /** There is something to renew it with. */
  readonly canRenew: (kept: T) => boolean;
  /**
   * Renews and keeps it as the successor of `version`; releases the claim where it fails. `undefined`: somebody signed in
   * or out meanwhile, which counts.
   * @param signal nothing may be asked for after it
   */
  readonly renew: (kept: T, version: number, signal: AbortSignal) => Promise<T | undefined>;
  readonly gone: () => FaultError;
}

/**
 * One renewal for all processes: a rotated refresh token that is used twice ends the whole sign-in (OAuth 2.1 section
 * 4.3.1). A process that dies over it leaves the old one, which the next one tries when the claim has run out.
 */
export async function renewOnce<T>(renewal: Renewal<T>): Promise<T> {
  const { vault, slot, clock, read, isRenewed, canRenew } = renewal;
  const deadline = clock.now() + 2.5 * CLAIM_MS;
  for (;;) {
    const row = await vault.get(slot);
    const kept = row === undefined ? undefined : read(row.value);
    if (row === undefined || kept === undefined) throw renewal.gone();
    if (isRenewed(kept)) return kept;
    if (!canRenew(kept)) throw renewal.gone();
    const begun = performance.now();
    if (await vault.claim(slot, row.version, CLAIM_MS)) {
      const left = Math.max(0, Math.round(begun + GIVE_UP_MS - performance.now()));
      const renewed = await renewal.renew(kept, row.version, AbortSignal.timeout(left));
      if (renewed !== undefined) return renewed;
    }
    if (clock.now() > deadline)
      throw new FaultError(
        'timeout',
        `The tokens for "${renewal.name}" are being renewed by another process that does not finish.`,
      );
    await pause(LOOK_MS);
  }
}
