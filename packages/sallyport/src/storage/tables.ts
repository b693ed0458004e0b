import type { Generated } from 'kysely';
import type { SharedKind } from '../core/shared-state.ts';
import type { ApprovalState } from '../guard/approve/approval.ts';
import type { KeptState } from '../guard/scan/results/kept-result.ts';

/** The tables of all aggregates: whoever adds one adds a line here and a migration. */
export interface Tables {
  readonly api_key: ApiKeyTable;
  readonly approval: ApprovalTable;
  readonly approval_grant: ApprovalGrantTable;
  readonly artifact: ArtifactTable;
  readonly artifact_block: ArtifactBlockTable;
  readonly audit_head: AuditHeadTable;
  readonly audit_record: AuditRecordTable;
  readonly audit_segment: AuditSegmentTable;
  readonly kept_result: KeptResultTable;
  readonly pin: PinTable;
  readonly quotas: QuotaRow;
  readonly shared_run: SharedRunTable;
  readonly shared_run_row: SharedRunRowTable;
  readonly shared_value: SharedValueTable;
  readonly task_owner: TaskOwnerTable;
  readonly token_use: UseRow;
  readonly upstream_tokens: UpstreamTokensTable;
}

/** Times are milliseconds since the epoch. */
export interface ApiKeyTable {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  /** JSON: whom it stands for and what it may do. */
  readonly facts: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  /** Grows with every change of any key. */
  readonly version: number;
}

export interface ApprovalTable {
  readonly id: string;
  readonly state: ApprovalState;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number;
  readonly principal: string;
  readonly upstream: string;
  readonly tool: string;
  readonly arguments_digest: string;
  /** JSON: the whole approval. */
  readonly record: string;
}

export interface ApprovalGrantTable {
  readonly id: string;
  readonly approval_id: string;
  readonly principal: string;
  readonly upstream: string;
  readonly tool: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Set once, by whoever dispatches the one call of a `once` grant. */
  readonly used_at: number | null;
  readonly used_by: string | null;
  readonly revoked_at: number | null;
  /** JSON: the whole grant. */
  readonly record: string;
}

/** A stored large result: written last, so that what has a row is whole. */
export interface ArtifactTable {
  readonly id: string;
  readonly principal: string;
  /** JSON, sealed: whose it is, and what. */
  readonly about: string;
  readonly place: 'files' | 'database';
  /** 1: its blocks are. */
  readonly sealed: number;
  readonly bytes: number;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A part of an artifact whose bytes are in the database, in base64. */
export interface ArtifactBlockTable {
  readonly artifact: string;
  readonly seq: number;
  readonly body: string;
  readonly written_at: number;
}

/** A result in quarantine. */
export interface KeptResultTable {
  readonly id: string;
  readonly state: KeptState;
  readonly created_at: number;
  readonly expires_at: number;
  readonly principal: string;
  readonly upstream: string;
  readonly tool: string;
  readonly arguments_digest: string;
  /** JSON. */
  readonly findings: string;
  readonly bytes: number;
  /** JSON, as the upstream sent it; null once it was delivered or dropped. */
  readonly result: string | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly reason: string | null;
}

/** Calls counted for one subject of one quota. */
export interface QuotaRow {
  readonly rule: string;
  readonly subject: string;
  /** The calendar day or month (UTC): the first ten or seven characters of an ISO date. */
  readonly period: string;
  readonly used: number;
}

/** Digests are hexadecimal, contents too; texts are JSON; times ISO dates. */
export interface PinTable {
  /** Absolute path of its file; empty: it was written before pins had one, and no configuration has claimed it. */
  readonly configuration: string;
  readonly server: string;
  readonly kind: string;
  readonly name: string;
  readonly approved_digest: string | null;
  readonly approved_content: string | null;
  readonly approved_text: string | null;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly seen_digest: string | null;
  readonly seen_content: string | null;
  readonly seen_text: string | null;
  readonly seen_at: string | null;
  readonly rejected: string | null;
  readonly renamed_from: string | null;
  /** JSON: what reading the definition found, the digest of which stands in it. */
  readonly found: string | null;
  /** Grows with every write of any pin. */
  readonly revision: number;
}

/** One sealed secret. */
export interface UpstreamTokensTable {
  kind: string;
  upstream: string;
  place: string;
  owner: string;
  version: number;
  sealed: string;
  /** Tells a wrong key from a damaged row. */
  key_id: string;
  /** Milliseconds since the epoch. */
  claimed_until: number;
}

/** Where a chain of the audit was sealed last. */
export interface AuditHeadTable {
  /** Relative to the state directory where it is in it, else absolute. */
  readonly directory: string;
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  /** In words. */
  readonly damage: string | null;
  /** 1: a person knows that records up to this one are missing. */
  readonly accepted: number;
}

/** A record of the audit: where its line stands, and what it is found by. */
export interface AuditRecordTable {
  /** Id of an `audit_segment`. */
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
  readonly seq: number;
  /** ISO text, as in the record. */
  readonly time: string;
  readonly kind: string;
  readonly call_id: string | null;
  readonly principal: string | null;
  readonly person: string | null;
  readonly agent: string | null;
  readonly account: string | null;
  readonly upstream: string | null;
  readonly tool: string | null;
  /** Of an admission: `unfinished` as long as no end of it is known, then null. */
  readonly outcome: string | null;
  readonly guard: string | null;
  readonly words: string;
}

/** A file of the audit, as far as it is indexed. */
export interface AuditSegmentTable {
  readonly id: Generated<number>;
  readonly directory: string;
  readonly chain: string;
  readonly name: string;
  readonly bytes: number;
  readonly records: number;
}

/** A sealed value that several processes share. Its owner is a keyed digest; times are milliseconds since the epoch. */
export interface SharedValueTable {
  readonly kind: SharedKind;
  readonly owner: string;
  readonly id: string;
  readonly origin: string;
  readonly sealed: string;
  readonly size: number;
  /** Thousandths of a millisecond, so that what is written together has an order. */
  readonly kept_at: number;
  readonly expires_at: number;
}

/** Who started a task of a server. Times are milliseconds since the epoch. */
export interface TaskOwnerTable {
  /** SHA-256 of the server's name and the id. */
  readonly task: string;
  /** Id and agent of the caller; empty: its result was withheld, so it is nobody's. */
  readonly owner: string;
  readonly noted_at: number;
}

/** How far the rows of a run go; the run is a keyed digest. */
export interface SharedRunTable {
  readonly run: string;
  readonly seq: number;
  /** Of the bodies of its rows. */
  readonly size: number;
  readonly expires_at: number;
}

export interface SharedRunRowTable {
  readonly run: string;
  readonly seq: number;
  readonly sealed: string;
  /** Sealed; null where there is none, or it made room. */
  readonly body: string | null;
  readonly size: number;
}

/** What calls of one tool moved on one day (UTC). */
export interface UseRow {
  /** `2026-01-31`. */
  readonly day: string;
  readonly upstream: string;
  /** A tool; of what is no call, its method. */
  readonly target: string;
  readonly calls: number;
  readonly request_bytes: number;
  readonly result_bytes: number;
}
