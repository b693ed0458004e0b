import { join } from 'node:path';
import type { Snapshot } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { createAuditIndex } from '../storage/audit-index.ts';
import type { Database } from '../storage/database.ts';
import { type AuditReader, createAuditReader } from '../telemetry/audit/audit-reader.ts';

/** Finds calls in the audit of the configuration. @param written fulfilled when what was recorded up to now can be read */
export function openRecordedCalls(
  { snapshot, database }: { readonly snapshot: () => Snapshot; readonly database: () => Promise<Database> },
  written: () => Promise<void> = async () => undefined,
): AuditReader['search'] {
  let reader: Promise<AuditReader> | undefined;
  return async (filter, limit, cursor) => {
    const { audit, stateDir } = snapshot();
    if (audit?.mode === 'off')
      throw new FaultError('usage', 'The audit is off, so that nothing is known of past calls (audit.mode).');
    const directory = audit?.directory ?? join(stateDir, 'audit');
    reader ??= database().then((opened) => createAuditReader({ directory, index: createAuditIndex(opened) }));
    const ready = await reader.catch((error: unknown) => {
      reader = undefined;
      throw error;
    });
    // A disk that cannot write must not keep what it has from being read.
    await written().catch(() => undefined);
    return ready.search(filter, limit, cursor);
  };
}
