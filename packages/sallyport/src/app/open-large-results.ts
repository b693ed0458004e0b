import { join } from 'node:path';
import { createLargeResults, type LargeResults } from '../call/large-results.ts';
import type { Catalog } from '../catalog/contract.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { SchemaChecker } from '../guard/schema/schema-checker.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { marksOf } from '../guard/taint/label-source.ts';
import { PrintList } from '../guard/taint/print-list.ts';
import type { TaintMemory } from '../guard/taint/taint-ports.ts';
import { createRowKeys } from '../state/row-keys.ts';
import { createArtifactStore } from '../storage/artifacts.ts';
import type { Database } from '../storage/database.ts';

/** What has expired is deleted this often. Milliseconds. */
const SWEEP_MS = 300_000;
const NO_PRINTS = new PrintList(1);

/** Large results over the state directory, and what deletes those that have expired. */
export function openLargeResults(
  stateDir: string,
  ports: {
    readonly database: () => Promise<Database>;
    readonly clock: Clock;
    readonly log: Log;
    readonly sealKey: string;
    readonly catalog: Catalog;
    readonly checker: SchemaChecker;
    readonly memory: Pick<TaintMemory, 'remember'>;
  },
): { readonly largeResults: LargeResults; stop(): void } {
  const { database, clock, log, sealKey, catalog, checker, memory } = ports;
  const keys = createRowKeys(Buffer.from(sealKey, 'hex'));
  const directory = join(stateDir, 'artifacts');
  const results = createLargeResults({
    store: createArtifactStore({ database, directory, clock, seal: async () => keys }),
    settings: (snapshot) => snapshotOf(snapshot).results,
    ...{ checker, log },
    labelsOf(snapshot, upstream, tool) {
      const { taint } = snapshotOf(snapshot);
      return taint === undefined ? undefined : marksOf(taint, upstream, tool);
    },
    noteRead(run, { callId, upstream, tool, labels }) {
      if (labels === undefined) return undefined;
      const source = { callId, upstream, target: tool, marks: labels };
      return memory.remember(run, [{ source, marks: labels, prints: NO_PRINTS }]);
    },
    viewOf: (snapshot, endpoint, client) => catalog.view(snapshot, endpoint, client),
  });
  const refresh = (): void => {
    results
      .refresh()
      .catch((error: unknown) => log.warn({ error }, 'expired artifacts could not be deleted; it is tried again'));
  };
  const timer = setInterval(refresh, SWEEP_MS).unref();
  const first = setTimeout(refresh, 1_000).unref();
  return {
    largeResults: results,
    stop() {
      clearInterval(timer);
      clearTimeout(first);
    },
  };
}
