/** Held by one process, and given up when that process ends, whatever ends it. */
export interface FileLock {
  /** Idempotent. */
  release(): void;
}

/**
 * Takes the lock on a file, which is made where there is none and stays. `undefined`: another process holds it, in this
 * container or in another one with the same volume.
 * @throws FaultError `config` where the file system knows no locks.
 */
export type TakeFileLock = (file: string) => FileLock | undefined;
