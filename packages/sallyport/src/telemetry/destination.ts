import type { Writable } from 'node:stream';

/** Where log lines go: collected, written together, never waited for. */
export interface Destination {
  /** Takes one or more whole lines, each with its line feed. Never throws and never blocks on a slow reader. */
  write(lines: string): void;
  /** Lines lost since the start because the reader was too slow or gone. */
  readonly dropped: number;
  /** Resolves when what was written so far has been handed to the system, or after a second. */
  flush(): Promise<void>;
  /** Flushes and lets go of the stream, which stays open: it may be the process's stderr. Idempotent. */
  close(): Promise<void>;
}

export interface DestinationOptions {
  /** Default: the process's stderr. */
  readonly stream?: Writable | undefined;
  /** Held in memory for a reader that does not read; beyond it lines are dropped and counted. */
  readonly maxBytes?: number | undefined;
  /** Writes lines in another form just before they are written, e.g. for a terminal; left out: JSON lines. */
  readonly present?: ((lines: string) => string) | undefined;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** Lines of this long are written together: one system call instead of one per line. */
const BATCH_MS = 20;
const BATCH_BYTES = 64 * 1024;
const FLUSH_DEADLINE_MS = 1_000;

/**
 * Writes to a stream and not through sonic-boom, pino's own buffer: a parent that spawns us and never reads our stderr
 * made `process.exit()` hang for good there (measured), while Node's own stream on a pipe or socket does not block.
 */
export function createDestination(options: DestinationOptions = {}): Destination {
  const stream = options.stream ?? process.stderr;
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  let broken = false;
  let dropped = 0;
  let unreported = 0;
  let writing = 0;
  let waiting: (() => void)[] = [];

  const drop = (lines: string): void => {
    const count = lines.split('\n').length - 1;
    dropped += count;
    unreported += count;
  };

  const writeNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === '') return;
    const batch = pending;
    pending = '';
    if (broken) {
      drop(batch);
      return;
    }
    const lines = unreported === 0 ? batch : toDropNotice(unreported) + batch;
    const text = options.present === undefined ? lines : options.present(lines);
    unreported = 0;
    writing++;
    stream.write(text, (error) => {
      if (error !== undefined && error !== null) {
        // Reader gone, disk full: a Node stream that failed once takes nothing more. Losing lines must not lose calls.
        broken = true;
        drop(batch);
      }
      if (--writing > 0) return;
      for (const done of waiting) done();
      waiting = [];
    });
  };

  // Without a listener the EPIPE of a reader that is gone would end the process.
  const onError = (): void => {
    broken = true;
  };
  stream.on('error', onError);
  process.on('exit', writeNow);

  let closing: Promise<void> | undefined;
  const destination: Destination = {
    write(lines) {
      if (closing !== undefined || broken || pending.length + stream.writableLength + lines.length > maxBytes) {
        drop(lines);
        return;
      }
      pending += lines;
      if (pending.length >= BATCH_BYTES) writeNow();
      // Not a reason to stay alive: the exit listener writes what is left.
      else timer ??= setTimeout(writeNow, BATCH_MS).unref();
    },
    get dropped() {
      return dropped;
    },
    flush() {
      writeNow();
      if (writing === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_DEADLINE_MS);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
    close() {
      closing ??= destination.flush().then(() => {
        process.off('exit', writeNow);
        stream.off('error', onError);
      });
      return closing;
    },
  };
  return destination;
}

function toDropNotice(count: number): string {
  return `{"level":"warn","time":"${new Date().toISOString()}","dropped":${count},"msg":"log lines were dropped: whoever reads this log is too slow"}\n`;
}
