import type { ToolFace } from '../../core/tool-face.ts';
import { FIELDS, type Field, weighTerms } from './fields.ts';
import { Postings } from './postings.ts';

export interface SearchLimits {
  /** Hits in all. */
  readonly most: number;
  /** Hits of one server: none may crowd out the rest. Left out: half of all. */
  readonly mostPerServer?: number;
  /** Who asks may see this tool; asked before it takes a place. */
  isVisible?(tool: ToolFace): boolean;
  /** Servers whose tools come before others that fit about as well. */
  readonly trusted?: ReadonlySet<string>;
  /** Entries that are read, those of the rarest terms first. */
  readonly mostRead?: number;
}

export interface Hit {
  readonly tool: ToolFace;
  /** How much of the query this tool says: 0 to 1, comparable between queries. */
  readonly score: number;
  /** Lower: the index has had its text for longer. */
  readonly place: number;
}

interface Entry {
  place: number;
  readonly terms: Uint32Array;
}

/** Once this share of the places is of tools that are gone, everything is put together anew. */
const MAX_DEAD = 0.25;
/** Terms of a query that are looked up. */
const MAX_QUERY_TERMS = 24;
const MIN_QUERY_TERMS = 4;
/** Scores this near are a tie between a trusted server and another one. */
const TIE = 1.05;
/** Entries read for one search. */
const MAX_READ = 20_000;

/**
 * Tools found by what their texts say (BM25F). Only what was added is in it, so whoever fills it decides which texts may
 * be found: approved ones. Adding and removing tools costs their own terms, not those of others.
 */
export class SearchIndex {
  readonly #fields: readonly Field[];
  #terms = new Map<string, number>();
  readonly #postings = new Postings();
  /** By place; `undefined`: gone. */
  #tools: (ToolFace | undefined)[] = [];
  /** Server -> name of the tool there -> its place and terms. */
  readonly #entries = new Map<string, Map<string, Entry>>();
  #size = 0;
  /** By place; all 0 between two searches. */
  #scores = new Float32Array(0);

  constructor(fields: readonly Field[] = FIELDS) {
    this.#fields = fields;
  }

  get size(): number {
    return this.#size;
  }

  get(server: string, name: string): ToolFace | undefined {
    const found = this.#entries.get(server)?.get(name);
    return found === undefined ? undefined : this.#tools[found.place];
  }

  /** Takes the place of a tool of the same server and name. */
  add(tool: ToolFace): void {
    this.remove(tool.server, tool.name);
    const place = this.#tools.length;
    this.#tools.push(tool);
    const terms: number[] = [];
    weighTerms(tool, this.#fields, (term, weight) => {
      const known = this.#terms.get(term) ?? this.#postings.terms;
      this.#terms.set(term, known);
      this.#postings.add(known, place, weight);
      terms.push(known);
    });
    const names = this.#entries.get(tool.server) ?? new Map<string, Entry>();
    this.#entries.set(tool.server, names);
    names.set(tool.name, { place, terms: Uint32Array.from(terms) });
    this.#size += 1;
  }

  remove(server: string, name: string): void {
    const names = this.#entries.get(server);
    const found = names?.get(name);
    if (names === undefined || found === undefined) return;
    names.delete(name);
    if (names.size === 0) this.#entries.delete(server);
    this.#tools[found.place] = undefined;
    this.#size -= 1;
    for (const term of found.terms) this.#postings.lose(term);
    if (this.#tools.length > 64 && this.#size < this.#tools.length * (1 - MAX_DEAD)) this.#compact();
  }

  /** Makes these the tools of a server. Those that say what they said before cost a comparison only. */
  replace(server: string, tools: Iterable<ToolFace>): void {
    const gone = new Set(this.#entries.get(server)?.keys());
    for (const tool of tools) {
      gone.delete(tool.name);
      const known = this.get(server, tool.name);
      if (known === undefined || !this.#isAlike(known, tool)) this.add(tool);
      else this.#tools[this.#entries.get(server)?.get(tool.name)?.place ?? 0] = tool;
    }
    for (const name of gone) this.remove(server, name);
  }

  #isAlike(one: ToolFace, other: ToolFace): boolean {
    return this.#fields.every(({ read }) => read(one) === read(other));
  }

  #compact(): void {
    const places = new Int32Array(this.#tools.length).fill(-1);
    const kept: ToolFace[] = [];
    for (const [place, tool] of this.#tools.entries()) if (tool !== undefined) places[place] = kept.push(tool) - 1;
    const terms = this.#postings.compact(places);
    this.#tools = kept;
    const left = new Map<string, number>();
    for (const [word, term] of this.#terms) if (terms[term] !== -1) left.set(word, terms[term] as number);
    this.#terms = left;
    for (const names of this.#entries.values())
      for (const entry of names.values()) {
        // A tool that is there has a place, and its terms are not gone.
        entry.place = places[entry.place] as number;
        const own = entry.terms;
        for (let i = 0; i < own.length; i++) own[i] = terms[own[i] as number] as number;
      }
  }

  /** How much it says of a tool that it has a term that so many have. */
  #rarityOf(having: number): number {
    return Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
  }

  /**
   * Best first.
   * @param query term -> how much it counts beside the others; a term counts once, however often a text names it
   */
  search(query: ReadonlyMap<string, number>, limits: SearchLimits): readonly Hit[] {
    if (this.#scores.length < this.#tools.length) this.#scores = new Float32Array(this.#tools.length * 2);
    const scores = this.#scores;
    const touched: number[] = [];
    const { chosen, whole } = this.#choose(query, limits.mostRead ?? MAX_READ);
    for (const { term, factor } of chosen) this.#postings.score(term, factor / whole, { scores, touched });
    for (const server of limits.trusted ?? [])
      for (const { place } of this.#entries.get(server)?.values() ?? []) scores[place] = (scores[place] ?? 0) * TIE;
    const hits = this.#best(touched, limits);
    for (const place of touched) scores[place] = 0;
    return hits;
  }

  /** The rarest terms: the others say little and cost most. What is not known is missing from every tool. */
  #choose(query: ReadonlyMap<string, number>, mostRead: number) {
    const found: { term: number; factor: number }[] = [];
    let whole = 0;
    for (const [word, weight] of query) {
      const term = this.#terms.get(word) ?? -1;
      const factor = weight * this.#rarityOf(this.#postings.aliveOf(term));
      whole += factor;
      if (this.#postings.aliveOf(term) > 0) found.push({ term, factor });
    }
    found.sort((one, other) => other.factor - one.factor);
    let read = 0;
    const chosen = found.filter(({ term }, i) => {
      read += this.#postings.lengthOf(term);
      return i < MIN_QUERY_TERMS || (i < MAX_QUERY_TERMS && read <= mostRead);
    });
    return { chosen, whole };
  }

  /** The best ones are kept in order while all are looked at once; more are kept where limits take some away. */
  #best(touched: readonly number[], limits: SearchLimits): readonly Hit[] {
    for (let kept = limits.most * 4; ; kept *= 8) {
      const ranked = rank(touched, this.#scores, kept);
      const hits = this.#take(ranked, limits);
      if (hits.length >= limits.most || ranked.length < kept) return hits;
    }
  }

  #take(ranked: readonly number[], limits: SearchLimits): readonly Hit[] {
    const { most, mostPerServer = Math.ceil(most / 2), isVisible } = limits;
    const hits: Hit[] = [];
    const taken = new Map<string, number>();
    for (const place of ranked) {
      if (hits.length >= most) break;
      const tool = this.#tools[place];
      if (tool === undefined || (taken.get(tool.server) ?? 0) >= mostPerServer) continue;
      if (isVisible?.(tool) === false) continue;
      taken.set(tool.server, (taken.get(tool.server) ?? 0) + 1);
      hits.push({ tool, score: Math.min(1, this.#scores[place] ?? 0), place });
    }
    return hits;
  }
}

/** The places with the highest scores, best first; of equals, the one that came first. */
function rank(places: readonly number[], scores: Float32Array, most: number): readonly number[] {
  const scoreOf = (place: number | undefined) => (place === undefined ? 0 : (scores[place] ?? 0));
  const order = (one: number, other: number) => scoreOf(other) - scoreOf(one) || one - other;
  let best: number[] = [];
  let least = 0;
  for (const place of places) {
    if (best.length >= most && scoreOf(place) < least) continue;
    best.push(place);
    if (best.length < most * 2) continue;
    best = best.sort(order).slice(0, most);
    least = scoreOf(best.at(-1));
  }
  return best.sort(order).slice(0, most);
}
