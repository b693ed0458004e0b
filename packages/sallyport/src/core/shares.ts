/** What one caller holds of something that all callers share. */
export interface Share {
  held: number;
  /** Of all of them together, where their size counts. */
  bytes: number;
}

/** Shares at zero are kept up to here: a map that loses and regains an entry with every call leaves garbage that lives long. */
const KEPT = 1_000;
/** Of what others leave, one caller gets at most seven eighths. */
const PER_FREE = 7;

/** May a caller that holds this much take more, where so much is free? Below eight places there is nothing to reserve. */
export function mayTake(held: number, free: number): boolean {
  return free > 0 && held < PER_FREE * free;
}

/** Who holds how much. A caller is a principal: its sessions and programs count together. */
export class Shares {
  readonly #byCaller = new Map<string, Share>();
  #sweepAt = KEPT;

  of(caller: string): Share {
    const share = this.#byCaller.get(caller);
    return share ?? this.#add(caller);
  }

  /** The caller that holds the most. */
  largest(): string | undefined {
    let most = 0;
    let found: string | undefined;
    for (const [caller, { held }] of this.#byCaller) {
      if (held <= most) continue;
      most = held;
      found = caller;
    }
    return found;
  }

  #add(caller: string): Share {
    if (this.#byCaller.size >= this.#sweepAt) {
      for (const [key, { held }] of this.#byCaller) if (held === 0) this.#byCaller.delete(key);
      this.#sweepAt = Math.max(KEPT, 2 * this.#byCaller.size);
    }
    const share: Share = { held: 0, bytes: 0 };
    this.#byCaller.set(caller, share);
    return share;
  }
}
