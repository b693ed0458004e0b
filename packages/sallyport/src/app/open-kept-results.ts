import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { isHexKey } from '../core/hex-key.ts';
import type { TextSeal } from '../core/text-seal.ts';
import { createRowKeys } from '../state/row-keys.ts';
import type { Database } from '../storage/database.ts';
import { createKeptResultStore, type KeptResultStore } from '../storage/kept-results.ts';
import { loadOrCreateSecret } from '../storage/state-file.ts';

/** The key of a state directory: 32 bytes in hex that every process on it has. */
export function loadSealKey(stateDir: string): Promise<string> {
  return loadOrCreateSecret(join(stateDir, 'seal-key'), () => randomBytes(32).toString('hex'), isHexKey);
}

/** What seals texts of the database under that key; the key is read when it is needed. */
export function openTexts(stateDir: string): () => Promise<TextSeal> {
  let opening: Promise<TextSeal> | undefined;
  return () => {
    opening ??= loadSealKey(stateDir).then(
      (key) => createRowKeys(Buffer.from(key, 'hex')),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
}

/** Results in quarantine, sealed under the key of the state directory. */
export function openKeptResults(
  stateDir: string,
  { database, clock }: { readonly database: () => Promise<Database>; readonly clock: Clock },
): () => Promise<KeptResultStore> {
  let opening: Promise<KeptResultStore> | undefined;
  const texts = openTexts(stateDir);
  const open = async () => createKeptResultStore(await database(), clock, await texts());
  return () => {
    // A database that is locked now is asked again by the next call.
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
