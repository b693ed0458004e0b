/**
 * Imported into a program under test by a Node flag with `--expose-gc`: SIGUSR2 collects its garbage twice and writes what
 * is left, in bytes, as a line of the file named by BENCH_MEMORY. Without what the system lends the process: that grows and
 * shrinks by megabytes for reasons of its own.
 */
import { appendFileSync } from 'node:fs';

const file = process.env['BENCH_MEMORY'] ?? '';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // What the first collection finalizes, the second frees.
  setImmediate(() => {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ used: heapUsed + external, rss })}\n`);
  });
});
