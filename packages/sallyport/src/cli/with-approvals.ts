import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { type ApprovalStore, createApprovalStore } from '../storage/approvals.ts';
import { openDatabase } from '../storage/database.ts';
import { createGrantStore, type GrantStore } from '../storage/grants.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';

export interface ApprovalStores {
  readonly approvals: ApprovalStore;
  readonly grants: GrantStore;
}

/**
 * The approvals of the state directory, whether or not a Sallyport runs on it. Whoever may open the directory is an
 * operator; the answer is written down as that user of the system.
 */
export async function withApprovals<T>(input: Input, work: (stores: ApprovalStores) => Promise<T>): Promise<T> {
  const database = await openDatabase(join(findStateDir(input.terminal), 'sallyport.db'));
  try {
    return await work({
      approvals: createApprovalStore(database, systemClock),
      grants: createGrantStore(database, systemClock),
    });
  } finally {
    await database.destroy();
  }
}

/** Who sits at this terminal, as the operating system says. */
export function whoAnswers(): string {
  return `os:${userInfo().username}`;
}
