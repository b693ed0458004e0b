import { member } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { Hit, SearchIndex, SearchLimits } from './search-index.ts';
import { toQuery } from './to-query.ts';
import { addTwin, type Group, isBefore, MAX_TWINS, speaksFor, uniteTwins } from './unite-twins.ts';

export interface FindOptions {
  /** Tools in all. */
  readonly most: number;
  /** The caller may use this tool. Asked first: a tool that it may not use takes no place and is not counted. */
  isAllowed?(tool: ToolFace): boolean;
  /** Servers that an operator trusts: of tools that fit about as well, theirs come first. */
  readonly trusted?: ReadonlySet<string>;
  /** Left out: all. */
  readonly servers?: ReadonlySet<string>;
  /** Only tools that say that they change nothing. */
  readonly isReadOnly?: boolean;
}

export interface FoundTool {
  readonly tool: ToolFace;
  /** How much of its query it says, 0 to 1. */
  readonly score: number;
  /** The query that found it, by its number. */
  readonly query: number;
  /** Tools of other servers that say almost the same, or the same and more. */
  readonly twins: readonly ToolFace[];
}

const MAX_QUERIES = 16;
/** Share of the places that one server may have while tools of others fit, too. */
const MAX_SHARE = 0.8;
/** Another server's tool fits, too, with this share of the score of the tool whose place it takes. */
const FITS = 0.75;

/** The tools that fit best. Of several queries, one for each step of a task, each has its turn for a place. */
export function findTools(index: SearchIndex, queries: readonly string[], options: FindOptions): readonly FoundTool[] {
  const asked = queries.slice(0, MAX_QUERIES).map(toQuery);
  const { most } = options;
  const found = new Chosen(asked, options);
  // Deeper where twins filled the list.
  for (const depth of [most * 4, most * 16]) {
    if (found.isFull) break;
    const limits = { most: depth, mostPerServer: most };
    found.addInTurns(
      asked.map((query) => uniteTwins(search(index, query, { limits, options }), query, options.trusted)),
    );
  }
  found.addSpare();
  return found.list();
}

function search(
  index: SearchIndex,
  query: ReadonlyMap<string, number>,
  { limits, options }: { readonly limits: SearchLimits; readonly options: FindOptions },
): readonly Hit[] {
  const { isAllowed, trusted, servers, isReadOnly } = options;
  const isVisible = (tool: ToolFace) =>
    servers?.has(tool.server) !== false &&
    isAllowed?.(tool) !== false &&
    (isReadOnly !== true || member(member(tool.definition, 'annotations'), 'readOnlyHint') === true);
  return index.search(query, { ...limits, isVisible, ...(trusted === undefined ? {} : { trusted }) });
}

interface Place extends Group {
  readonly query: number;
}

/** Places given so far. */
class Chosen {
  readonly #places: Place[] = [];
  /** Tools that fit, of servers that have their share. */
  readonly #spare: Place[] = [];
  readonly #known = new Set<ToolFace>();
  readonly #byServer = new Map<string, number>();
  readonly #asked: readonly ReadonlyMap<string, number>[];
  readonly #options: FindOptions;
  readonly #share: number;

  constructor(asked: readonly ReadonlyMap<string, number>[], options: FindOptions) {
    this.#asked = asked;
    this.#options = options;
    this.#share = Math.ceil(options.most * MAX_SHARE);
  }

  get isFull(): boolean {
    return this.#places.length >= this.#options.most;
  }

  list(): readonly FoundTool[] {
    return this.#places.map(({ wording: { tool }, score, query, twins }) => ({ tool, score, query, twins }));
  }

  /** The best of each list, then the second of each, and so on. */
  addInTurns(lists: readonly (readonly Group[])[]): void {
    const next = lists.map(() => 0);
    for (let gave = true; gave; ) {
      gave = false;
      for (const [query, groups] of lists.entries()) {
        let at = next[query] ?? 0;
        while (at < groups.length && !this.#add(groups[at] as Group, query)) at += 1;
        gave ||= at < groups.length;
        next[query] = at + 1;
      }
    }
  }

  /** @returns whether it took a place */
  #add(group: Group, query: number): boolean {
    const { tool } = group.wording;
    if (this.#known.has(tool)) return false;
    const asked = this.#asked[query] ?? new Map();
    const same = [...this.#places, ...this.#spare].find((place) =>
      isBefore(place, group, this.#options.trusted)
        ? speaksFor(place.wording, group.wording, asked)
        : speaksFor(group.wording, place.wording, asked),
    );
    if (same !== undefined) {
      this.#known.add(tool);
      addTwin(same, group, this.#options.trusted);
      same.twins.push(...group.twins.slice(0, MAX_TWINS - same.twins.length));
      return false;
    }
    if (this.isFull) return false;
    this.#known.add(tool);
    const place = { ...group, query };
    const taken = this.#byServer.get(tool.server) ?? 0;
    if (taken >= this.#share) {
      this.#spare.push(place);
      return false;
    }
    this.#byServer.set(tool.server, taken + 1);
    this.#places.push(place);
    return true;
  }

  /** Nobody is crowded out of places that no tool of another server fits. */
  addSpare(): void {
    for (const spare of this.#spare) {
      const worst = this.#places.findLastIndex(({ query }) => query === spare.query);
      if (!this.isFull) this.#places.push(spare);
      else if (worst >= 0 && (this.#places[worst]?.score ?? 0) < spare.score * FITS) {
        this.#places.splice(worst, 1);
        this.#places.push(spare);
      }
    }
  }
}
