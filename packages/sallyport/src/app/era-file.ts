import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import { openRecordFile, type RecordFile } from '../storage/record-file.ts';
import type { EraStore } from '../upstream/era-store.ts';

/** How each upstream was reached last, kept over restarts. */
export interface EraFile {
  readonly store: EraStore;
  /** Resolves when all is on disk. */
  saved(): Promise<void>;
}

export async function openEraFile(stateDir: string, log: Log): Promise<EraFile> {
  const records = await openRecordFile(join(stateDir, 'eras.json'), log);
  return { store: toEraStore(records), saved: () => records.saved() };
}

/** What is kept in the file was written by us, yet only what has the right shape is believed. */
function toEraStore(records: RecordFile): EraStore {
  return {
    get(key) {
      const { era, revision, foundAt, transport } = records.get(key) ?? {};
      if (era !== 'legacy' && era !== 'modern') return undefined;
      if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse') return undefined;
      return typeof revision === 'string' && typeof foundAt === 'string'
        ? { era, revision, foundAt, transport }
        : undefined;
    },
    set: (key, record) => records.set(key, { ...record }),
  };
}
