/**
 * Which tool has which term, and with what weight: three columns for all terms together, each entry pointing to the next of
 * its term. An array per term would cost more than what stands in it: most terms are of one or two tools.
 */
export class Postings {
  #tools = new Uint32Array(START);
  #weights = new Float32Array(START);
  #next = new Int32Array(START);
  #count = 0;
  /** By term: the entry added last, entries in all, and those of tools that are there. */
  readonly #last: number[] = [];
  readonly #lengths: number[] = [];
  readonly #alive: number[] = [];

  /** How many terms there are: the number of the next one. */
  get terms(): number {
    return this.#last.length;
  }

  add(term: number, tool: number, weight: number): void {
    if (this.#count === this.#tools.length) this.#grow();
    const at = this.#count++;
    this.#tools[at] = tool;
    this.#weights[at] = weight;
    this.#next[at] = this.#last[term] ?? NONE;
    this.#last[term] = at;
    this.#lengths[term] = this.lengthOf(term) + 1;
    this.#alive[term] = this.aliveOf(term) + 1;
  }

  /** A tool that has this term is gone; its entry stays until all are put together anew. */
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
  score(term: number, rarity: number, into: { readonly scores: Float32Array; readonly touched: number[] }): void {
    const { scores, touched } = into;
    for (let at = this.#last[term] ?? NONE; at !== NONE; at = this.#next[at] as number) {
      // The columns are as long as the entries, the scores as the tools.
      const tool = this.#tools[at] as number;
      const weight = this.#weights[at] as number;
      const before = scores[tool] as number;
      if (before === 0) touched.push(tool);
      scores[tool] = before + (rarity * weight) / (K1 + weight);
    }
  }

  #grow(): void {
    const size = this.#count * 2;
    const [tools, weights, next] = [new Uint32Array(size), new Float32Array(size), new Int32Array(size)];
    tools.set(this.#tools);
    weights.set(this.#weights);
    next.set(this.#next);
    this.#tools = tools;
    this.#weights = weights;
    this.#next = next;
  }
}

const START = 1024;
const NONE = -1;
/** Saturation of a term's weight (k1 of BM25F): measured best at 2 for tools. */
const K1 = 2;
