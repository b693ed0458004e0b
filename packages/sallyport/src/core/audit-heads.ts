/** What is known of one chain of the audit beside its files. */
export interface KnownChain {
  readonly chain: string;
  /** Of the last record that was sealed, or somewhat before it. 0: none is known. */
  readonly seq: number;
  readonly hash: string;
  /** What a start found missing or changed, in words; `undefined`: nothing, or a person has accepted it. */
  readonly damage: string | undefined;
  /** A person knows that records are missing, and none was sealed since. */
  readonly isAccepted: boolean;
}

/**
 * Where the chains of an audit ended, kept beside its files: while no program runs, whoever can write the files can put
 * back an older state of all of them. Implemented in `storage/`.
 */
export interface AuditHeads {
  list(): Promise<readonly KnownChain[]>;
  /** The chain is sealed up to here. */
  put(chain: string, head: Pick<KnownChain, 'seq' | 'hash'>): Promise<void>;
  /** What is wrong with it; `undefined`: it was put back, and is whole. */
  report(chain: string, damage: string | undefined): Promise<void>;
  /** A person knows that these are damaged. */
  accept(chains: readonly string[]): Promise<void>;
}
