/** Milliseconds of computing that `work` takes: a loaded machine makes it late, not longer. */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
