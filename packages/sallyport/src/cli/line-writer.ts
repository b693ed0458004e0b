import type { Terminal } from './terminal.ts';
import { write } from './terminal.ts';

/** Lines in their order, each when the one before has been taken. */
export function createLineWriter(stream: Terminal['stdout']): { write(line: string): void; written(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  return {
    write(line) {
      last = last.then(() => write(stream, `${line}\n`));
      // Whoever waits for the last line hears of it.
      last.catch(() => undefined);
    },
    written: () => last,
  };
}
