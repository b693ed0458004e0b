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
  /** Entries that are read, those of the rarest terms first. */
  readonly mostRead?: number;
}

/** Once this share of the places is of tools that are gone, everything is put together anew. */
const MAX_DEAD = 0.25;
/** Terms of a query that are looked up. */
const MAX_QUERY_TERMS = 24;
const MIN_QUERY_TERMS = 4;
/** Entries read for one search. */
const MAX_READ = 20_000;

/**
 * Tools found by what their texts say (BM25F). Only what was added is in it, so whoever fills it decides which texts may
 * be found: approved ones. Adding and removing tools costs their own terms, not those of others.
 */
export class SearchIndex {
  readonly #fields: readonly Field[];
  #terms = new Map<string, number>();
  #postings = new Postings();
  /** By place; `undefined`: gone. */
  #tools: (ToolFace | undefined)[] = [];
  /** Server -> name of the tool there -> its place and terms. */
  readonly #places = new Map<string, Map<string, { readonly place: number; readonly terms: readonly number[] }>>();
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
    const found = this.#places.get(server)?.get(name);
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
    const names = this.#places.get(tool.server) ?? new Map();
    this.#places.set(tool.server, names);
    names.set(tool.name, { place, terms });
    this.#size += 1;
  }

  remove(server: string, name: string): void {
    const names = this.#places.get(server);
    const found = names?.get(name);
    if (names === undefined || found === undefined) return;
    names.delete(name);
    if (names.size === 0) this.#places.delete(server);
    this.#tools[found.place] = undefined;
    this.#size -= 1;
    for (const term of found.terms) this.#postings.lose(term);
    if (this.#tools.length > 64 && this.#size < this.#tools.length * (1 - MAX_DEAD)) this.#compact();
  }

  #compact(): void {
    const kept = this.#tools.filter((tool) => tool !== undefined);
    this.#terms = new Map();
    this.#postings = new Postings();
    this.#tools = [];
    this.#places.clear();
    this.#size = 0;
    for (const tool of kept) this.add(tool);
  }

  /** How much it says of a tool that it has this term. */
  #rarityOf(term: number): number {
    const having = this.#postings.aliveOf(term);
    return Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
  }

  /** Best first. A term counts once, however often the query names it. */
  search(query: Iterable<string>, limits: SearchLimits): readonly ToolFace[] {
    if (this.#scores.length < this.#tools.length) this.#scores = new Float32Array(this.#tools.length * 2);
    const scores = this.#scores;
    const touched: number[] = [];
    for (const { term, rarity } of this.#choose(query, limits.mostRead ?? MAX_READ))
      this.#postings.score(term, rarity, { scores, touched });
    const hits = this.#best(touched, limits);
    for (const place of touched) scores[place] = 0;
    return hits;
  }

  /** The rarest terms: the others say little and cost most. */
  #choose(query: Iterable<string>, mostRead: number): readonly { term: number; rarity: number }[] {
    const found: { term: number; rarity: number }[] = [];
    for (const word of new Set(query)) {
      const term = this.#terms.get(word);
      if (term !== undefined && this.#postings.aliveOf(term) > 0) found.push({ term, rarity: this.#rarityOf(term) });
    }
    found.sort((one, other) => other.rarity - one.rarity);
    let read = 0;
    return found.filter(({ term }, i) => {
      read += this.#postings.lengthOf(term);
      return i < MIN_QUERY_TERMS || (i < MAX_QUERY_TERMS && read <= mostRead);
    });
  }

  /** The best ones are kept in order while all are looked at once; more are kept where limits take some away. */
  #best(touched: readonly number[], limits: SearchLimits): readonly ToolFace[] {
    for (let kept = limits.most * 4; ; kept *= 8) {
      const ranked = rank(touched, this.#scores, kept);
      const hits = this.#take(ranked, limits);
      if (hits.length >= limits.most || ranked.length < kept) return hits;
    }
  }

  #take(ranked: readonly number[], limits: SearchLimits): readonly ToolFace[] {
    const { most, mostPerServer = Math.ceil(most / 2), isVisible } = limits;
    const hits: ToolFace[] = [];
    const taken = new Map<string, number>();
    for (const place of ranked) {
      if (hits.length >= most) break;
      const tool = this.#tools[place];
      if (tool === undefined || (taken.get(tool.server) ?? 0) >= mostPerServer) continue;
      if (isVisible?.(tool) === false) continue;
      taken.set(tool.server, (taken.get(tool.server) ?? 0) + 1);
      hits.push(tool);
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
