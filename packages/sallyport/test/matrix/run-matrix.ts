import { afterAll, beforeAll, describe, it } from 'vitest';
import { Cell } from './cell.ts';
import { type Column, type Front, type Revision, type Row, revisions, rows, toEra, upstreams } from './cells.ts';
import { checkPage, type Results, toKey } from './page.ts';
import type { RawClient } from './raw-client.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { createWorld, directRevision, type Endpoint, type World } from './world.ts';

/**
 * Declares every cell of the matrix with such clients of Sallyport; the last test compares the published page.
 * @param alone the servers whose own endpoints are tried, besides the shared one
 */
export function runMatrix(
  front: Front,
  chosen: readonly Revision[] = revisions,
  alone: readonly Column[] = upstreams,
): void {
  const isChosen = (row: Row) => row.front === front && chosen.includes(row.revision);
  const results: Results = new Map();
  const direct = new Map<string, RawClient>();
  let world: World | undefined;
  let declared = 0;
  let started = 0;

  beforeAll(async () => {
    world = await createWorld();
    for (const era of ['legacy', 'modern'] as const)
      direct.set(era, await world.connectDirectly(era, directRevision(era)));
  });
  afterAll(async () => {
    for (const client of direct.values()) await client.close();
    await world?.close();
  });

  for (const row of rows.filter((one) => isChosen(one) && one.impossible === undefined)) {
    describe(`${front} client of ${row.revision}`, () => {
      describe('on the shared endpoint', () => {
        // One client for all upstreams: that is what the shared endpoint is for.
        const shared = connecting({ row, endpoint: 'all', column: upstreams[0] as Column });
        for (const column of upstreams) describe(column.name, () => cells({ row, column, endpoint: 'all' }, shared));
      });
      describe.each(alone)('on the endpoint of $name alone', (column) => {
        cells({ row, column, endpoint: 'server' }, connecting({ row, endpoint: 'server', column }));
      });
    });
  }

  // Left out when only some of the cells were chosen to run.
  it('finds what docs/compatibility.md says', ({ skip }) => {
    if (started < declared) skip('not all cells were run');
    checkPage(isChosen, results);
  });

  interface Place {
    readonly row: Row;
    readonly column: Column;
    readonly endpoint: Endpoint;
  }

  function connecting({ row, endpoint, column }: Place): () => RawClient {
    let client: RawClient | undefined;
    beforeAll(async () => {
      client = await world?.connect(row, endpoint, column);
    });
    afterAll(() => client?.close());
    return () => {
      if (client === undefined) throw new Error('not connected');
      return client;
    };
  }

  function cells(place: Place, client: () => RawClient): void {
    const { row, column, endpoint } = place;
    for (const scenario of scenarios) {
      const { title } = scenario;
      const missing = scenario.missing?.(row);
      const run = missing === undefined ? scenario.run : scenario.refuse;
      if (run === undefined) continue;
      declared++;
      it(missing === undefined ? title : `${title} (refused: ${missing})`, async () => {
        started++;
        const found = results.get(toKey(scenario, row, column)) ?? new Map<Endpoint, boolean>();
        results.set(toKey(scenario, row, column), found.set(endpoint, false));
        const other = direct.get(toEra(column, row));
        if (other === undefined) throw new Error('not connected');
        await run(new Cell(place, { client: client(), direct: other }));
        found.set(endpoint, true);
      });
    }
  }
}
