import { join } from 'node:path';
import { DEFAULT_AUDIT } from '../config/audit-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { NO_AUDIT } from '../core/audit.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import { createAuditHeads } from '../storage/audit-heads.ts';
import { createAuditIndex } from '../storage/audit-index.ts';
import type { Database } from '../storage/database.ts';
import { toDiskFix } from '../storage/disk-full.ts';
import { takeFileLock } from '../storage/file-lock.ts';
import { loadOrCreateSecret } from '../storage/state-file.ts';
import { openAudit } from '../telemetry/audit/audit.ts';
import { keepIndex } from '../telemetry/audit/keep-index.ts';
import { VERSION } from '../version.ts';

export interface RecordParts {
  readonly database: () => Promise<Database>;
  readonly post: Post;
  readonly clock: Clock;
  readonly log: Log;
}

/** On unless the operator turned it off. What cannot be opened ends the start: no record, no call. */
export async function openRecord({ stateDir, audit = DEFAULT_AUDIT }: Snapshot, parts: RecordParts) {
  const { mode, directory = join(stateDir, 'audit'), ...rest } = audit;
  if (mode === 'off')
    return {
      ...NO_AUDIT,
      note() {},
      noteKept: async () => {},
      written: async () => {},
      isPublished: () => true,
      close: async () => {},
    };
  const { database, post, clock, log } = parts;
  const secret = (name: string, make: () => string, isWhole?: (text: string) => boolean) =>
    loadOrCreateSecret(join(stateDir, name), make, isWhole);
  try {
    const opened = await openAudit({
      ...{ ...rest, mode, directory, secret, lock: takeFileLock, version: VERSION, post, clock, log },
      heads: createAuditHeads(database, { stateDir, directory }),
    });
    const stop = new AbortController();
    const indexing = keepIndex({ directory, index: async () => createAuditIndex(await database()), log }, stop.signal);
    return {
      ...opened,
      async close() {
        stop.abort();
        await indexing;
        await opened.close();
      },
    };
  } catch (error) {
    if (error instanceof FaultError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const fix = toDiskFix(error, directory, 'Give this user access to it, or set audit.directory to another.');
    throw new FaultError('config', `Opening the audit in ${directory} failed (${reason}). ${fix}`, { cause: error });
  }
}
