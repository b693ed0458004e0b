/** While a server floods us, reading from it rests for so many times as long as it took: its pipe fills, and it waits. */
const REST = 9;
const MAX_REST_MS = 20;

/** @returns milliseconds */
export function toRest(startedAt: number): number {
  return Math.min(REST * (performance.now() - startedAt), MAX_REST_MS);
}
