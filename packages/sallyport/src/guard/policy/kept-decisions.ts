/** Characters of the keys under which decisions are kept, all together: some hundred thousand decisions. */
const MAX_KEPT = 64_000_000;
/** Characters: URIs come from clients, and may be as long as a message. */
const MAX_KEY = 1_024;
/** What one takes beside its key. */
const ENTRY = 100;

/** What was decided for callers whom policies cannot tell apart. Flooding it costs evaluations, never memory. */
export class KeptDecisions {
  readonly #budget: Budget;
  readonly #maps = new Map<unknown, Map<string, unknown>>();
  #size = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** @param about what is decided; values of one are of one type */
  get<V>(about: unknown, key: string): V | undefined {
    return this.#maps.get(about)?.get(key) as V | undefined; // True: `keep` has the same callers
  }

  keep(about: unknown, key: string, value: unknown): void {
    if (key.length > MAX_KEY) return;
    const kept = this.#maps.get(about) ?? new Map<string, unknown>();
    this.#maps.set(about, kept);
    kept.set(key, value);
    this.#size += key.length + ENTRY;
    this.#budget.spend(this, key.length + ENTRY);
  }

  /** @returns what that gives back */
  forget(): number {
    const size = this.#size;
    this.#maps.clear();
    this.#size = 0;
    return size;
  }
}

/** For all callers of one engine. */
export class Budget {
  readonly #keepers = new Set<KeptDecisions>();
  readonly #most: number;
  #spent = 0;

  /** @param most characters */
  constructor(most: number = MAX_KEPT) {
    this.#most = most;
  }

  /** Whoever began to keep first is forgotten first. */
  spend(keeper: KeptDecisions, size: number): void {
    this.#keepers.add(keeper);
    this.#spent += size;
    for (const oldest of this.#keepers) {
      if (this.#spent <= this.#most) break;
      this.#keepers.delete(oldest);
      this.#spent -= oldest.forget();
    }
  }
}
