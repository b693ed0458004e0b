import { join } from 'node:path';
import { member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { openRecordFile, type RecordFile } from '../storage/record-file.ts';
import type { EraFinding, EraStore } from '../upstream/era-store.ts';

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
      const record = records.get(key);
      const legacy = toFinding(member(record, 'legacy'));
      const modern = toFinding(member(record, 'modern'));
      if (legacy === undefined && modern === undefined) return undefined;
      return { ...(legacy === undefined ? {} : { legacy }), ...(modern === undefined ? {} : { modern }) };
    },
    set: (key, { legacy, modern }) =>
      records.set(key, {
        ...(legacy === undefined ? {} : { legacy: { ...legacy, revision: legacy.revision ?? null } }),
        ...(modern === undefined ? {} : { modern: { ...modern, revision: modern.revision ?? null } }),
      }),
  };
}

function toFinding(value: unknown): EraFinding | undefined {
  const transport = member(value, 'transport');
  const foundAt = member(value, 'foundAt');
  const revision = member(value, 'revision');
  if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse') return undefined;
  if (typeof foundAt !== 'string' || (revision !== null && typeof revision !== 'string')) return undefined;
  return { revision: revision ?? undefined, foundAt, transport };
}
