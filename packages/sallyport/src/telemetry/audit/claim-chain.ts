import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../../core/errors.ts';
import type { TakeFileLock } from '../../core/file-lock.ts';

/** Programs that write at the same time below one state directory: `sallyport up` and each `sallyport stdio`. */
const MAX_CHAINS = 256;

export interface Claim {
  /** Also the name of its folder: `0`, `1`, … */
  readonly chain: string;
  readonly folder: string;
  release(): void;
}

/**
 * The first chain below `directory` that no living program writes: two writers in one chain would fork it.
 * @throws FaultError `config` when all are taken, or cannot be locked.
 */
export function claimChain(directory: string, lock: TakeFileLock): Claim {
  for (let i = 0; i < MAX_CHAINS; i++) {
    const folder = join(directory, String(i));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const held = lock(join(folder, 'writer.lock'));
    if (held !== undefined) return { chain: String(i), folder, release: held.release };
  }
  throw new FaultError('config', `More than ${MAX_CHAINS} programs write the audit in ${directory}. End some of them.`);
}
