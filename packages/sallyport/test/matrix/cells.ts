/** The matrix: who is in front, who is behind, which pairs cannot exist, and why. */

export type Fields = Record<string, unknown>;
export type Front = 'stdio' | 'http' | 'sse';
export type Era = 'legacy' | 'modern';

export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];
export const modernRevision = '2026-07-28';
/** Of each era the newest: what `npm test` runs. */
export const newest: readonly Revision[] = ['2025-11-25', modernRevision];
export const older = revisions.filter((revision) => !newest.includes(revision));

/** A client: how it connects and which revision it speaks. */
export interface Row {
  readonly front: Front;
  readonly revision: Revision;
  /** Why there can be no such client. */
  readonly impossible: string | undefined;
}

/** An upstream: how Sallyport connects to it and which eras it speaks. */
export interface Column {
  readonly name: string;
  readonly transport: Front;
  readonly era: Era | 'both';
  readonly impossible: string | undefined;
}

const noHttpYet = 'Streamable HTTP starts at 2025-03-26';
const noSseAnyMore = 'HTTP+SSE exists with `initialize` only, which 2026-07-28 has not';

export const rows: readonly Row[] = (['stdio', 'http', 'sse'] as const).flatMap((front) =>
  revisions.map((revision) => ({ front, revision, impossible: toImpossible(front, revision) })),
);

function toImpossible(front: Front, revision: Revision): string | undefined {
  if (front === 'http' && revision === '2024-11-05') return noHttpYet;
  return front === 'sse' && revision === modernRevision ? noSseAnyMore : undefined;
}

export const columns: readonly Column[] = (['stdio', 'http', 'sse'] as const).flatMap((transport) =>
  (['legacy', 'modern', 'both'] as const)
    // HTTP+SSE is of the legacy era alone.
    .filter((era) => transport !== 'sse' || era !== 'both')
    .map((era) => ({
      name: `${transport}-${era}`,
      transport,
      era,
      impossible: transport === 'sse' && era === 'modern' ? noSseAnyMore : undefined,
    })),
);

/** The upstreams that exist, in the order in which they stand in the configuration. */
export const upstreams = columns.filter((column) => column.impossible === undefined);

/** One of each era and transport: alone with all of them are the clients on Streamable HTTP, where that takes no process each. */
export const few = upstreams.filter(({ name }) => name === 'stdio-legacy' || name === 'http-modern');

export function isModern(revision: Revision): boolean {
  return revision === modernRevision;
}

/** The era in which an upstream is used for a client of this row: the client's own where there are both. */
export function toEra({ era }: Column, { revision }: Row): Era {
  return era === 'both' ? (isModern(revision) ? 'modern' : 'legacy') : era;
}

export function isFrom(revision: Revision, first: Revision): boolean {
  return revisions.indexOf(revision) >= revisions.indexOf(first);
}

/** What a client of this revision can be asked: nothing that its revision does not know yet. */
export function toCapabilities(revision: Revision): Fields {
  if (isModern(revision)) return { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  return {
    roots: { listChanged: true },
    sampling: {},
    ...(isFrom(revision, '2025-11-25') ? { elicitation: { form: {}, url: {} } } : {}),
    ...(revision === '2025-06-18' ? { elicitation: {} } : {}),
  };
}
