import type { Selectable } from 'kysely';
import type { TextSeal } from '../core/text-seal.ts';
import type { Approval } from '../guard/approve/approval.ts';
import type { Grant } from '../guard/approve/grant.ts';
import type { ApprovalGrantTable, ApprovalTable } from './tables.ts';

export type ApprovalRow = Selectable<ApprovalTable>;
export type GrantRow = Selectable<ApprovalGrantTable>;

/** The record is sealed: a call that asks because of private data has that data in its arguments. */
export function toRow(approval: Approval, texts: TextSeal): ApprovalRow {
  return {
    id: approval.id,
    state: approval.state,
    created_at: approval.createdAt,
    updated_at: approval.updatedAt,
    expires_at: approval.expiresAt,
    principal: approval.principal,
    upstream: approval.upstream,
    tool: approval.tool,
    arguments_digest: approval.argumentsDigest,
    record: texts.seal(toContext(approval.id), JSON.stringify(approval)),
  };
}

/**
 * The columns that are searched and compared win over the copy in the record. `undefined`: it was sealed under another key,
 * and nobody can say what was asked.
 */
export function toApproval(row: ApprovalRow, texts: TextSeal): Approval | undefined {
  const record = open(row, texts) as Approval | undefined; // written by toRow
  return record && { ...record, id: row.id, state: row.state, updatedAt: row.updated_at, expiresAt: row.expires_at };
}

export function toGrantRow(grant: Grant, texts: TextSeal): GrantRow {
  return {
    id: grant.id,
    approval_id: grant.approvalId,
    principal: grant.principal,
    upstream: grant.upstream,
    tool: grant.tool,
    created_at: grant.createdAt,
    expires_at: grant.expiresAt,
    used_at: null,
    used_by: null,
    revoked_at: null,
    record: texts.seal(toContext(grant.id), JSON.stringify(grant)),
  };
}

/** `undefined` as for {@link toApproval}: it allows nothing. */
export function readGrant(row: GrantRow, texts: TextSeal): Grant | undefined {
  const record = open(row, texts) as Grant | undefined; // written by toGrantRow
  return (
    record && {
      ...record,
      expiresAt: row.expires_at,
      usedAt: row.used_at ?? undefined,
      revokedAt: row.revoked_at ?? undefined,
    }
  );
}

/** Ids of approvals and grants begin with other letters. */
function toContext(id: string): readonly string[] {
  return [id, 'record'];
}

function open({ id, record }: { readonly id: string; readonly record: string }, texts: TextSeal): unknown {
  // What an earlier version wrote is JSON, which nothing sealed looks like.
  if (record.startsWith('{')) return JSON.parse(record);
  try {
    return JSON.parse(texts.open(toContext(id), record).toString('utf8'));
  } catch {
    return undefined;
  }
}
