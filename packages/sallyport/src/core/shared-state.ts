/**
 * Short-lived state that several processes share. What is kept is sealed by whoever keeps it (`state/`); the store
 * (`storage/`) sees whose it is by a keyed digest, how large it is and when it ends. Every write is committed when its
 * promise is fulfilled, and every time is in milliseconds since the epoch.
 */
export interface SharedState {
  readonly values: SharedValues;
  readonly runs: SharedRuns;
  /** Everything that is over goes, whether anybody writes or not. */
  expire(): Promise<void>;
}

export type SharedKind = 'secret' | 'plan' | 'text';

/** The values of one kind and one owner. */
export interface Shelf {
  readonly kind: SharedKind;
  /** A keyed digest. */
  readonly owner: string;
}

export interface SharedValue {
  readonly id: string;
  /** Where it is from, or what it is; bound into the seal. */
  readonly origin: string;
  readonly sealed: string;
  /** Counts against the bounds. */
  readonly size: number;
  readonly expiresAt: number;
}

export interface Bounds {
  readonly rows: number;
  readonly size: number;
}

export interface SharedValues {
  /** Those that are kept and not over. */
  get(shelf: Shelf, ids: readonly string[]): Promise<readonly SharedValue[]>;
  /** Writes and writes over, all or none; the owner's oldest make room. */
  put(shelf: Shelf, values: readonly SharedValue[], owner: Bounds): Promise<void>;
  /**
   * Writes one value where none makes room for it. `behind`: there is another one than `before` (its origin; `undefined`:
   * none), and nothing was written; `full`: there is no room for it among all of its kind.
   */
  admit(
    shelf: Shelf,
    value: SharedValue,
    limits: { readonly before: string | undefined; readonly all: Bounds },
  ): Promise<'done' | 'behind' | 'full'>;
  /** All of a kind that are not over, the oldest first, with their owners. */
  list(kind: SharedKind, most: number): Promise<readonly (SharedValue & Pick<Shelf, 'owner'>)[]>;
  touch(shelf: Shelf, id: string, expiresAt: number): Promise<void>;
  /** Those that are over go, then the oldest of the kind until the rest is within the bounds. */
  trim(kind: SharedKind, all: Bounds): Promise<void>;
}

/** How far the rows of a run go. */
export interface RunHead {
  /** Of the last row; the first is 1. */
  readonly seq: number;
  readonly expiresAt: number;
}

export interface RunRow {
  readonly seq: number;
  readonly sealed: string;
  /** `undefined`: there was none, or it made room for others. */
  readonly body: string | undefined;
  /** Of the body; counts against the bounds. */
  readonly size: number;
}

/** Rows of runs, in one order for everybody who reads them. */
export interface SharedRuns {
  /** `undefined`: nothing is kept, or not any longer. */
  head(run: string): Promise<RunHead | undefined>;
  /** Behind `after`, in their order, at most `most`. */
  read(run: string, after: number, most: number): Promise<readonly RunRow[]>;
  /**
   * The next row of a run, which is kept until `expiresAt` with all before it. `behind`: there is a row of this number or
   * a gap before it, and nothing was written; `full`: it is the first of its run, and there are `mostRuns` already.
   */
  append(
    run: string,
    row: RunRow,
    limits: { readonly expiresAt: number; readonly mostRuns: number },
  ): Promise<'done' | 'behind' | 'full'>;
  touch(run: string, expiresAt: number): Promise<void>;
  /** Runs that are over go; then bodies make room, those of the run first that was used longest ago. */
  trim(size: number): Promise<void>;
}
