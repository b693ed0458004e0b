import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { TextSeal } from '../core/text-seal.ts';
import type { Asked } from '../guard/approve/approval.ts';
import { coversCall, type Grant } from '../guard/approve/grant.ts';
import { type GrantRow, readGrant } from './approval-rows.ts';
import type { Database } from './database.ts';

/** What people allowed and is still worth something. Every change is on disk when it returns. */
export interface GrantStore {
  /** A grant that covers the call, the newest first; a `once` grant is not used up by looking. */
  find(asked: Asked): Promise<Grant | undefined>;
  /** Takes a grant for one dispatch. False: somebody else was faster, or it is worth nothing any more. */
  claim(grant: Grant, callId: string): Promise<boolean>;
  list(): Promise<readonly Grant[]>;
  /** @throws FaultError `not_found`. */
  revoke(grantId: string): Promise<void>;
}

const MAX_LISTED = 1_000;

/** @param texts opens what `approvals.ts` sealed */
export function createGrantStore(database: Database, clock: Clock, texts: TextSeal): GrantStore {
  const toGrants = (rows: readonly GrantRow[]) => rows.flatMap((row) => readGrant(row, texts) ?? []);
  const valid = () =>
    database
      .selectFrom('approval_grant')
      .selectAll()
      .where('used_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', clock.now())
      .orderBy('created_at', 'desc')
      .limit(MAX_LISTED);
  return {
    async find(asked) {
      const rows = await valid()
        .where('principal', '=', asked.principal)
        .where('upstream', '=', asked.upstream)
        .where('tool', '=', asked.tool)
        .execute();
      const now = clock.now();
      return toGrants(rows).find((grant) => coversCall(grant, asked, now));
    },

    async claim(grant, callId) {
      const now = clock.now();
      // Compare and set in one statement: of two calls, two processes or two lives of one process, one gets it.
      const { numUpdatedRows } = await database
        .updateTable('approval_grant')
        .set(grant.scope === 'once' ? { used_at: now, used_by: callId } : { used_by: callId })
        .where('id', '=', grant.id)
        .where('used_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async list() {
      return toGrants(await valid().execute());
    },

    async revoke(grantId) {
      const { numUpdatedRows } = await database
        .updateTable('approval_grant')
        .set({ revoked_at: clock.now() })
        .where('id', '=', grantId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new FaultError('not_found', `There is no grant ${grantId.slice(0, 64)}.`);
    },
  };
}
