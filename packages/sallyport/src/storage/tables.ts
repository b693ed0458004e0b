/** The tables of all aggregates: whoever adds one adds a line here and a migration. */
export interface Tables {
  readonly api_key: ApiKeyTable;
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
