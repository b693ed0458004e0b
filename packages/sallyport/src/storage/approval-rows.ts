import type { Selectable } from 'kysely';
import type { Approval, ApprovalState } from '../guard/approve/approval.ts';
import type { Grant } from '../guard/approve/grant.ts';
import type { ApprovalGrantTable, ApprovalTable } from './tables.ts';

export type ApprovalRow = Selectable<ApprovalTable>;
export type GrantRow = Selectable<ApprovalGrantTable>;

export function toRow(approval: Approval): ApprovalRow {
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
    record: JSON.stringify(approval),
  };
}

/** The columns that are searched and compared win over the copy in the record. */
export function toApproval(row: ApprovalRow): Approval {
  // Written by toRow, in a file only its owner may open.
  const record = JSON.parse(row.record) as Approval;
  return { ...record, id: row.id, state: row.state, updatedAt: row.updated_at, expiresAt: row.expires_at };
}

export function withState(row: ApprovalRow, state: ApprovalState, now: number): string {
  return JSON.stringify({ ...toApproval(row), state, updatedAt: now });
}

export function toGrantRow(grant: Grant): GrantRow {
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
    record: JSON.stringify(grant),
  };
}

export function readGrant(row: GrantRow): Grant {
  const record = JSON.parse(row.record) as Grant;
  return {
    ...record,
    expiresAt: row.expires_at,
    usedAt: row.used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
