import type { Marks } from './labels.ts';

/**
 * Fingerprints: two words each, of a keyed hash. What they were made of cannot be read from them. A list holds until the
 * answer it was given for is there; who keeps prints longer copies them.
 */
export interface Prints {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly size: number;
}

/** Where marked data came from, for the explanation of a stop. */
export interface Source {
  readonly callId: string;
  readonly upstream: string;
  /** The server's own name of the tool, resource or prompt. */
  readonly target: string;
  readonly marks: Marks;
}

/** What is known of the prints that were asked about, in their order. */
export interface Recall {
  /** Of everything the run has read. */
  readonly marks: Marks;
  /** Servers whose marked data the run has read, at most `MAX_ORIGINS`. */
  readonly origins: readonly string[];
  /**
   * Some values of this run are not remembered, for want of room: what is not found may have been there all the same.
   */
  readonly isFull: boolean;
  /** Whether the print is known. */
  has(index: number): boolean;
  marksOf(index: number): Marks;
  /** Where it was first found; `undefined` for what came from no result. */
  sourceOf(index: number): Source | undefined;
}

export interface Remembered {
  /** Left out: it came from no result. */
  readonly source?: Source | undefined;
  /** What the prints bear. Those that are known as given by the user stay so. */
  readonly marks: Marks;
  readonly prints: Prints;
  /** There was more than was looked at: from here on the run is as if its memory were full. */
  readonly isPartial?: boolean | undefined;
}

/**
 * What the runs have read. Implemented in `state/`; promises are for stores that other replicas share, which need the
 * same key for the prints. Every answer is of one moment.
 */
export interface TaintMemory {
  /** `undefined`: nothing is known of the run, and nothing was looked up. */
  recall(run: string, prints: Prints): Recall | undefined | Promise<Recall | undefined>;
  remember(run: string, what: readonly Remembered[]): void | Promise<void>;
  /** Of the run alone; 0 for one that nothing is known of. */
  marksOf(run: string): Marks | Promise<Marks>;
  originsOf(run: string): readonly string[] | Promise<readonly string[]>;
}

export const MAX_ORIGINS = 64;
