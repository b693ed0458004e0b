import type { ToolFace } from '../../core/tool-face.ts';
import { isImitation, isTwin, toWording, type Wording } from './is-twin.ts';
import type { Hit } from './search-index.ts';
import { toTerms } from './tokens.ts';

/** Twins of one tool that are named. */
export const MAX_TWINS = 5;

type Trusted = ReadonlySet<string> | undefined;

/** Tools that can stand for each other, in one place. */
export interface Group {
  /** The one that is shown. */
  wording: Wording;
  place: number;
  readonly score: number;
  readonly twins: ToolFace[];
}

/** Best first. Who copies another server's tool and adds to it is not shown in its place, but named there as its twin. */
export function uniteTwins(
  hits: readonly Hit[],
  query: ReadonlyMap<string, number>,
  trusted: Trusted,
): readonly Group[] {
  const groups: { readonly group: Group; rank: number }[] = [];
  const ranked = hits.map(({ tool, score, place }, rank) => ({ wording: toWording(tool), score, place, rank }));
  for (const { rank, ...hit } of ranked.sort((one, other) => (isBefore(one, other, trusted) ? -1 : 1))) {
    const known = groups.find(({ group }) => speaksFor(group.wording, hit.wording, query));
    if (known === undefined) groups.push({ group: { ...hit, twins: [] }, rank });
    else {
      known.rank = Math.min(known.rank, rank);
      addTwin(known.group, hit, trusted);
    }
  }
  return groups.sort((one, other) => one.rank - other.rank).map(({ group }) => group);
}

type Dated = Pick<Group, 'wording' | 'place'>;

/** Trusted servers first, then the text that was there first: an imitation does not speak for what it imitates. */
export function isBefore(one: Dated, other: Dated, trusted: Trusted): boolean {
  const isTrusted = trusted?.has(one.wording.tool.server) === true;
  if (isTrusted !== (trusted?.has(other.wording.tool.server) === true)) return isTrusted;
  return one.place < other.place;
}

/** Whether the earlier tool is shown for both; not if the request names the server of the later one: an operator chose that name. */
export function speaksFor(earlier: Wording, later: Wording, query: ReadonlyMap<string, number>): boolean {
  if (!isTwin(later, earlier) && !isImitation(later, earlier)) return false;
  const others = toTerms(earlier.tool.server);
  return !toTerms(later.tool.server).some((term) => query.has(term) && !others.includes(term));
}

/** The earlier one speaks for both. */
export function addTwin(group: Group, { wording, place }: Dated, trusted: Trusted): void {
  const twin = { wording, place };
  const isShown = isBefore(twin, group, trusted);
  const { tool } = (isShown ? group : twin).wording;
  if (isShown) Object.assign(group, twin);
  if (group.twins.length < MAX_TWINS) group.twins.push(tool);
}
