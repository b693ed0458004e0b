import { join } from 'node:path';
import { createCatalog } from '../catalog/catalog.ts';
import type { Catalog, CatalogPorts } from '../catalog/contract.ts';
import type { PinBook } from '../catalog/pins/pin-book.ts';
import { createProblemReport } from '../catalog/problem-report.ts';
import type { SchemaChecker } from '../guard/schema/schema-checker.ts';
import { readDefinition } from '../guard/sinks/classify-definition.ts';
import { createStateFile } from '../storage/state-file.ts';
import { VERSION } from '../version.ts';

export interface OwnCatalogPorts extends Pick<CatalogPorts, 'upstreams' | 'access' | 'clock' | 'log'> {
  readonly stateDir: string;
  readonly checker: SchemaChecker;
  readonly book: PinBook;
}

/** What all servers offer, and the lines that say what is wrong with it. */
export function openCatalog({ stateDir, checker, book, ...ports }: OwnCatalogPorts) {
  const catalog: Catalog = createCatalog(
    {
      ...ports,
      store: createStateFile(join(stateDir, 'catalog.json')),
      version: VERSION,
      schemas: checker,
      reported: () => reportProblems(),
      findSinks: (definition) => readDefinition(definition).sinks,
    },
    book,
  );
  const reportProblems = createProblemReport(catalog, ports.log);
  return { catalog, reportProblems, stopReporting: catalog.onChange(reportProblems) };
}
