import { homedir } from 'node:os';
import { join } from 'node:path';
import { atLeast, atMost, type FaultFigure } from '../faults/figure.ts';
import { describeMachine } from '../process/machine.ts';
import { underAttack } from './create-attack.ts';
import { type Engine, type Find, openMinisearch, openProduct, PLAIN_BM25 } from './engines.ts';
import { measureSpeed } from './measure-speed.ts';
import { measureTokens } from './measure-tokens.ts';
import {
  type Document,
  HAYSTACK_STEPS,
  type Query,
  type QuerySet,
  readCatalog,
  readDuplicates,
  readQueries,
  SETS,
} from './read-retrieval.ts';

export interface DiscoveryOptions {
  readonly json: boolean;
  readonly directory: string;
  readonly splits: readonly string[];
  readonly cache: string | undefined;
}

/** One set asked of one engine. */
interface Row {
  readonly table: 'recall';
  readonly set: string;
  readonly engine: string;
  readonly queries: number;
  readonly tools: number;
  readonly recall: number;
}

/** How many of the right tools are found, by the product and by plain searches, and how fast. */
export async function runDiscovery({ json, directory, splits, cache }: DiscoveryOptions): Promise<string> {
  const machine = describeMachine(new Date());
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const product = await openProduct();
  const rival = await openMinisearch(cache ?? join(homedir(), '.cache/sallyport-bench/discovery'), progress);
  const rivals = rival === undefined ? [] : [rival];
  const engines: readonly Engine[] = [product, product.withTwins, underAttack(product), PLAIN_BM25, ...rivals];
  // First, while nothing that others leave behind is collected and counted as its own.
  const speed = measureSpeed(product, readSpeedData(directory, splits));
  const rows: Row[] = [];
  const duplicates = readDuplicates(directory);
  for (const set of [...SETS, HAYSTACK_STEPS]) {
    const queries = readQueries(directory, set, splits);
    const documents = set.catalogs.flatMap((name) => readCatalog(directory, name));
    if (queries.length === 0 || documents.length === 0) continue;
    const about = { set, queries, tools: documents.length, duplicates };
    for (const engine of engines) {
      const find = engine.open(documents);
      rows.push({ ...toRow(about, engine), recall: recallOf(about, (query) => find([query.query], 5)) });
      if (set.name === 'livemcp' && engine === product)
        rows.push({ ...toRow(about, engine), set: 'livemcp-multi', recall: recallOf(about, askSteps(find)) });
    }
    progress(
      `${set.name}: ${rows
        .filter((row) => row.set === set.name)
        .map(describe)
        .join(', ')}`,
    );
  }
  const figures = [...toFigures(rows), ...(await measureTokens(product, readTokenData(directory, splits))), ...speed];
  if (json) return `${JSON.stringify({ machine, figures, rows })}\n`;
  const lines = figures.map(({ name, value, unit, goal }) => `| ${name} | ${value} | ${unit} | ${goal} |`);
  return `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before ${machine.loadBefore.toFixed(1)}\n\n| figure | value | unit | goal |\n|---|---|---|---|\n${lines.join('\n')}\n`;
}

interface About {
  readonly set: QuerySet;
  readonly queries: readonly Query[];
  readonly tools: number;
  readonly duplicates: ReadonlyMap<string, readonly string[]>;
}

function toRow({ set, queries, tools }: About, { name }: Engine): Omit<Row, 'recall'> {
  return { table: 'recall', set: set.name, engine: name, queries: queries.length, tools };
}

const askSteps = (find: Find) => (query: Query) => find(query.steps.length > 0 ? query.steps : [query.query], 15);

/** Mean over the queries of the share of right tools that were found. */
function recallOf({ set, queries, duplicates }: About, ask: (query: Query) => readonly string[]): number {
  let sum = 0;
  for (const query of queries) {
    const found = new Set(ask(query));
    const isFound = (id: string) =>
      found.has(id) || (set.isHaystack === true && (duplicates.get(id) ?? []).some((other) => found.has(other)));
    sum += query.gold.filter(isFound).length / query.gold.length;
  }
  return sum / queries.length;
}

function toFigures(rows: readonly Row[]): readonly FaultFigure[] {
  const recall = (set: string) =>
    rows.find((row) => row.set === set && row.engine === 'sallyport')?.recall ?? Number.NaN;
  const names = new Set(SETS.map(({ name }) => name));
  const means = new Map<string, number>();
  for (const { engine } of rows) {
    const own = rows.filter((row) => row.engine === engine && names.has(row.set));
    means.set(engine, own.reduce((sum, row) => sum + row.recall, 0) / own.length);
  }
  const mean = means.get('sallyport') ?? Number.NaN;
  const best = Math.max(...[...means].flatMap(([engine, value]) => (engine.startsWith('sallyport') ? [] : [value])));
  const share = (goal: number) => ({ goal, unit: 'share' });
  const attacked = means.get('sallyport under attack') ?? Number.NaN;
  const withTwins = means.get('sallyport with twins') ?? Number.NaN;
  return [
    atLeast('discovery.recall5.mean', mean, share(0.62)),
    atLeast('discovery.recall5.over_baseline', mean - best, share(0.15)),
    { ...atLeast('discovery.recall5.with_twins', withTwins, share(0)), goal: 'measured' },
    atLeast('discovery.steps.recall5', recall('livemcp-steps'), share(0.75)),
    atLeast('discovery.multi.recall15', recall('livemcp-multi'), share(0.8)),
    atLeast('discovery.haystack.recall5', recall('haystack-steps'), share(0.5)),
    atLeast('discovery.chinese.recall5', recall('aliyun-zh'), share(0.88)),
    atMost('discovery.attack.lost', (mean - attacked) * 100, { goal: 2, unit: 'points' }),
  ];
}

function describe({ engine, recall }: Row): string {
  return `${engine} ${(recall * 100).toFixed(1)} %`;
}

/** 10,000 tools of real servers, and requests of three sets. */
function readSpeedData(directory: string, splits: readonly string[]) {
  const documents: readonly Document[] = readCatalog(directory, 'toucan').slice(0, 10_000);
  const queries = SETS.filter(({ name }) => ['livemcp-steps', 'haystack', 'sealtools'].includes(name)).flatMap((set) =>
    readQueries(directory, set, splits).slice(0, 1000),
  );
  return { documents, queries: queries.map(({ query }) => query) };
}

function readTokenData(directory: string, splits: readonly string[]) {
  const set = SETS.find(({ name }) => name === 'livemcp');
  return {
    livemcp: {
      documents: readCatalog(directory, 'livemcp'),
      queries: set === undefined ? [] : readQueries(directory, set, splits),
    },
    ecs: readCatalog(directory, 'aliyun-en').filter(({ server }) => server === 'ecs'),
  };
}
