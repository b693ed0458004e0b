/** Upper bounds in seconds, as OpenTelemetry's MCP conventions advise for the durations of operations. */
export const BOUNDS: readonly number[] = Object.freeze([
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
]);

/** Durations by bucket; the last bucket is for what is longer than every bound. Grows nowhere: 15 numbers and a sum. */
export interface Histogram {
  readonly counts: Float64Array;
  sum: number;
}

export function createHistogram(): Histogram {
  return { counts: new Float64Array(BOUNDS.length + 1), sum: 0 };
}

/** Every call pays this: no object, no search beyond the few bounds below the value. */
export function observe(histogram: Histogram, ms: number): void {
  const seconds = ms / 1000;
  // A clock that jumped back must not take away from the sum, which may only grow.
  if (!(seconds >= 0)) return;
  let at = 0;
  while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++;
  histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
  histogram.sum += seconds;
}

export function countOf({ counts }: Histogram): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
