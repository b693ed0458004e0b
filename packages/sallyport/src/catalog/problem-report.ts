import type { Log } from '../core/log.ts';
import type { Catalog } from './contract.ts';

/** Problems of items that are remembered as said. */
const MAX_TOLD = 10_000;

/** Malformed items and unusable schemas, each reported once: everything else of their server goes on working. */
export function createProblemReport(catalog: Pick<Catalog, 'reports'>, log: Log): () => void {
  const told = new Set<string>();
  return () => {
    for (const { kind, upstream, item, problem } of catalog.reports()) {
      if (kind === 'list') continue;
      const text = `${item}: ${problem}`;
      if (told.has(`${upstream} ${text}`) || told.size >= MAX_TOLD) continue;
      told.add(`${upstream} ${text}`);
      log.warn({ upstream, item }, `${kind === 'item' ? 'left out of the lists' : 'not validated'}: ${problem}`);
    }
  };
}
