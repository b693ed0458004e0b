import { member } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import { isTwin } from './is-twin.ts';
import type { Hit, SearchIndex, SearchLimits } from './search-index.ts';
import { toQuery } from './to-query.ts';

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
  /** Tools of other servers that say almost the same. */
  readonly twins: readonly ToolFace[];
}

const MAX_QUERIES = 16;
const MAX_TWINS = 5;
/** Share of the places that one server may have while others have tools that fit, too. */
const MAX_SHARE = 0.8;

/** The tools that fit best. Of several queries, one for each step of a task, each has its turn for a place. */
export function findTools(index: SearchIndex, queries: readonly string[], options: FindOptions): readonly FoundTool[] {
  const asked = queries.slice(0, MAX_QUERIES).map(toQuery);
  const { most, servers } = options;
  const share = servers?.size === 1 ? most : Math.ceil(most * MAX_SHARE);
  const found = new Chosen(most, options);
  // Deeper where twins filled the list, then without the cap: nobody is crowded out of places that nobody else fits.
  for (const limits of [
    { most: most * 2, mostPerServer: share },
    { most: most * 16, mostPerServer: share },
    { most: most * 2, mostPerServer: most * 2 },
  ]) {
    if (found.isFull) break;
    const lists = asked.map((query) => search(index, query, { limits, options }));
    found.addInTurns(lists, limits.mostPerServer);
  }
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

interface Place {
  tool: ToolFace;
  score: number;
  readonly query: number;
  readonly twins: ToolFace[];
}

/** Places given so far. */
class Chosen {
  readonly #places: Place[] = [];
  readonly #known = new Set<ToolFace>();
  readonly #byServer = new Map<string, number>();
  readonly #most: number;
  readonly #options: FindOptions;

  constructor(most: number, options: FindOptions) {
    this.#most = most;
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#places.length >= this.#most;
  }

  list(): readonly FoundTool[] {
    return this.#places;
  }

  /** The best of each list, then the second of each, and so on. */
  addInTurns(lists: readonly (readonly Hit[])[], share: number): void {
    const next = lists.map(() => 0);
    for (let gave = true; gave; ) {
      gave = false;
      for (const [query, hits] of lists.entries()) {
        let at = next[query] ?? 0;
        while (at < hits.length && !this.#add(hits[at] as Hit, query, share)) at += 1;
        gave ||= at < hits.length;
        next[query] = at + 1;
      }
    }
  }

  /** @returns whether it took a place */
  #add({ tool, score }: Hit, query: number, share: number): boolean {
    if (this.#known.has(tool)) return false;
    const twin = this.#places.find((place) => isTwin(place.tool, tool));
    if (twin !== undefined) {
      this.#known.add(tool);
      addTwin(twin, tool, this.#options);
      return false;
    }
    const taken = this.#byServer.get(tool.server) ?? 0;
    if (this.isFull || taken >= share) return false;
    this.#known.add(tool);
    this.#byServer.set(tool.server, taken + 1);
    this.#places.push({ tool, score, query, twins: [] });
    return true;
  }
}

/** An imitation of a trusted tool does not speak for it. */
function addTwin(place: Place, tool: ToolFace, { trusted }: FindOptions): void {
  let twin = tool;
  if (trusted?.has(tool.server) === true && !trusted.has(place.tool.server)) [twin, place.tool] = [place.tool, tool];
  if (place.twins.length < MAX_TWINS) place.twins.push(twin);
}
