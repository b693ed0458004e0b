/** What the index of the audit knows of one record: where it stands, and what it is found by. The segments hold the rest. */
export interface IndexedRecord {
  readonly seq: number;
  /** ISO time. */
  readonly time: string;
  readonly kind: string;
  readonly callId: string | null;
  readonly principal: string | null;
  readonly person: string | null;
  readonly agent: string | null;
  readonly account: string | null;
  readonly upstream: string | null;
  readonly tool: string | null;
  /** `unfinished`: admitted, and no end of it is known. */
  readonly outcome: string | null;
  readonly guard: string | null;
  /** All that free text is looked for in, in lower case. */
  readonly words: string;
  /** Where its line begins in the segment, and how long it is without the line feed. Bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** A file of the audit as far as it is in the index. */
export interface IndexedSegment {
  readonly id: number;
  /** Of the whole audit. */
  readonly directory: string;
  readonly chain: string;
  readonly name: string;
  /** Read up to here; below 0: being forgotten. */
  readonly bytes: number;
  /** Rows it has. */
  readonly records: number;
}

export interface FoundRecord extends IndexedRecord {
  readonly chain: string;
  readonly segment: string;
}

/** What is left out matches everything. */
export interface AuditFilter {
  /** Calls (the default), events that are no calls, or the events of one kind. */
  readonly kind?: string | undefined;
  /** Id, person, agent or account. */
  readonly principal?: string | undefined;
  readonly person?: string | undefined;
  readonly agent?: string | undefined;
  readonly upstream?: string | undefined;
  /** The server's own name for it, or `<server>_<tool>`. */
  readonly tool?: string | undefined;
  readonly outcome?: string | undefined;
  readonly guard?: string | undefined;
  readonly callId?: string | undefined;
  /** ISO times, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly text?: string | undefined;
}

export interface FoundPage {
  /** The newest first: calls once each, by the record of their end. */
  readonly records: readonly FoundRecord[];
  /** Where the next page begins; `undefined`: this was the last. */
  readonly next: string | undefined;
}

/** The table behind `audit search`; nothing in it is believed that the segments do not say. Implemented in `storage/`. */
export interface AuditIndex {
  segments(): Promise<readonly IndexedSegment[]>;
  /** Rows there really are. */
  count(segment: IndexedSegment): Promise<number>;
  add(segment: Pick<IndexedSegment, 'directory' | 'chain' | 'name'>): Promise<IndexedSegment>;
  /** Rows of what stands between `segment.bytes` and `to`. `undefined`: another process was faster. */
  put(segment: IndexedSegment, to: number, rows: readonly IndexedRecord[]): Promise<IndexedSegment | undefined>;
  forget(segments: readonly IndexedSegment[]): Promise<void>;
  /** @param cursor `next` of the page before. @throws FaultError `usage` for a cursor that is none. */
  find(filter: AuditFilter, limit: number, cursor?: string): Promise<FoundPage>;
  /** Every record of these calls, in the order of writing. */
  recordsOf(callIds: readonly string[]): Promise<readonly FoundRecord[]>;
}
