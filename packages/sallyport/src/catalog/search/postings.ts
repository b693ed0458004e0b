/**
 * Which tool has which term, and what that is worth: three columns for all terms together, each entry pointing to the next
 * of its term. An array per term would cost more than its entries: most terms are of one or two tools.
 */
export class Postings {
  #tools = new Uint32Array(START);
  #impacts = new Float32Array(START);
  #next = new Int32Array(START);
  #count = 0;
  /** By term: the entry added last, entries in all, and those of tools that are there. */
  #last: number[] = [];
  #lengths: number[] = [];
  #alive: number[] = [];

  /** How many terms there are: the number of the next one. */
  get terms(): number {
    return this.#last.length;
  }

  add(term: number, tool: number, weight: number): void {
    this.#put(term, tool, weight / (K1 + weight));
    this.#alive[term] = this.aliveOf(term) + 1;
  }

  /** A tool that has this term is gone; its entry stays until `compact`. */
  lose(term: number): void {
    this.#alive[term] = this.aliveOf(term) - 1;
  }

  lengthOf(term: number): number {
    return this.#lengths[term] ?? 0;
  }

  aliveOf(term: number): number {
    return this.#alive[term] ?? 0;
  }

  /** Adds what each tool with this term is worth to its score; tools that had none yet are noted. */
  score(term: number, factor: number, into: { readonly scores: Float32Array; readonly touched: number[] }): void {
    const { scores, touched } = into;
    for (let at = this.#last[term] ?? NONE; at !== NONE; at = this.#next[at] as number) {
      // The columns are as long as the entries, the scores as the tools.
      const tool = this.#tools[at] as number;
      const before = scores[tool] as number;
      if (before === 0) touched.push(tool);
      scores[tool] = before + factor * (this.#impacts[at] as number);
    }
  }

  /**
   * Drops the entries of tools that are gone and the terms that no tool has, and puts those of one term side by side.
   * @param places old place of a tool -> its new one, -1 where it is gone
   * @returns old number of a term -> its new one, -1 where no tool has it
   */
  compact(places: Int32Array): Int32Array {
    const { tools, impacts, next, last } = this.#take();
    const terms = new Int32Array(last.length).fill(NONE);
    for (let term = 0, known = 0; term < last.length; term++) {
      const from = this.#count;
      for (let at = last[term] ?? NONE; at !== NONE; at = next[at] as number) {
        const place = places[tools[at] as number] as number;
        if (place !== NONE) this.#put(known, place, impacts[at] as number);
      }
      if (this.#count === from) continue;
      this.#alive[known] = this.#count - from;
      terms[term] = known++;
    }
    return terms;
  }

  #take() {
    const taken = { tools: this.#tools, impacts: this.#impacts, next: this.#next, last: this.#last };
    const size = Math.max(START, this.#count);
    this.#tools = new Uint32Array(size);
    this.#impacts = new Float32Array(size);
    this.#next = new Int32Array(size);
    this.#count = 0;
    [this.#last, this.#lengths, this.#alive] = [[], [], []];
    return taken;
  }

  #put(term: number, tool: number, impact: number): void {
    if (this.#count === this.#tools.length) this.#grow();
    const at = this.#count++;
    this.#tools[at] = tool;
    this.#impacts[at] = impact;
    this.#next[at] = this.#last[term] ?? NONE;
    this.#last[term] = at;
    this.#lengths[term] = this.lengthOf(term) + 1;
  }

  #grow(): void {
    const size = this.#count * 2;
    const [tools, impacts, next] = [new Uint32Array(size), new Float32Array(size), new Int32Array(size)];
    tools.set(this.#tools);
    impacts.set(this.#impacts);
    next.set(this.#next);
    this.#tools = tools;
    this.#impacts = impacts;
    this.#next = next;
  }
}

const START = 1024;
const NONE = -1;
/** Saturation of a term's weight (k1 of BM25F): measured best at 2 for tools. */
const K1 = 2;
