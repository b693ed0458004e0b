import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ToolFace } from '../detection/product.ts';
import { atMost, type FaultFigure } from '../faults/figure.ts';
import type { Product, ProductIndex } from './engines.ts';
import type { Document } from './read-retrieval.ts';

const BUILDS = 3;
const PASSES = 3;
/** Tools of the server that changes. */
const CHANGED = 100;
/** Enough for the index to be put together anew several times. */
const UPDATES = 150;
const RUNS = 5;

interface SpeedData {
  readonly documents: readonly Document[];
  readonly queries: readonly string[];
}

/** An index of 10,000 tools: warm searches, building it, one server's change, memory. */
export function measureSpeed(product: Product, { documents, queries }: SpeedData): readonly FaultFigure[] {
  const faces = documents.map(product.toFace);
  const times: number[] = [];
  const before = memoryMb();
  let index: ProductIndex = product.createIndex();
  for (let round = 0; round < BUILDS; round++) {
    index = product.createIndex();
    times.push(timed(() => faces.forEach((face) => void index.add(face))));
  }
  const memory = memoryMb() - before;
  // What else the machine does slows single passes down.
  const passes = Array.from({ length: PASSES }, () =>
    queries.map((query) => timed(() => product.findTools(index, [query], { most: 5 }))),
  );
  const searches = queries.map((_, i) => Math.min(...passes.map((pass) => pass[i] ?? Number.NaN)));
  const slowest = Array.from({ length: RUNS }, () => Math.max(...measureUpdates(index, faces)));
  const isMeasured = faces.length > 0 && queries.length > 0;
  const figure = (name: string, value: number, goal: { goal: number; unit: string }) =>
    atMost(`discovery.${name}`, isMeasured ? value : Number.NaN, goal);
  return [
    figure('search_p99_ms', quantile(searches, 0.99), { goal: 1, unit: 'ms' }),
    figure('build_ms', quantile(times, 0.5), { goal: 2000, unit: 'ms' }),
    figure('update_ms', quantile(slowest, 0.5), { goal: 50, unit: 'ms' }),
    figure('memory_mb', memory, { goal: 300, unit: 'MB' }),
  ];
}

/** All tools of one server say something else, again and again. */
function measureUpdates(index: ProductIndex, faces: readonly ToolFace[]): readonly number[] {
  const changing = faces
    .slice(0, CHANGED)
    .map((face, i) => ({ ...face, server: 'changing', name: `${face.name}_${i}` }));
  return Array.from({ length: UPDATES }, (_, round) => {
    const tools = changing.map((face) => ({ ...face, description: `${face.description} Change${round % 7}.` }));
    return timed(() => index.replace('changing', tools));
  });
}

function timed(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Heap and typed arrays after two full collections. */
function memoryMb(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}
