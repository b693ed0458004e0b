import { type FaultError, toFault } from '../core/errors.ts';
import type { Snapshot } from './settings.ts';

export interface ConfigWatch {
  /** Reads the file now, e.g. on SIGHUP. Never throws. */
  reload(): Promise<void>;
  close(): void;
}

export interface ConfigWatchOptions {
  readonly first: Snapshot;
  /** Reads and resolves the file; `undefined` when its text is the same as last time. */
  load(version: number): Promise<Snapshot | undefined>;
  /** Calls back on anything that may be a change; may call too often. */
  watch(onChange: () => void): { close(): void };
  publish(snapshot: Snapshot): void;
  /** The file is bad: the snapshot that was published last stays. */
  refuse(fault: FaultError): void;
  /** Editors write a file in several steps; it is read when they have been quiet for this long. */
  readonly quietMs?: number;
}

/** Publishes a new snapshot whenever the file changes into a good one. Versions count up by one per published snapshot. */
export function watchConfig(options: ConfigWatchOptions): ConfigWatch {
  let { version } = options.first;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  async function load(): Promise<void> {
    try {
      const snapshot = await options.load(version + 1);
      if (snapshot === undefined || closed) return;
      version = snapshot.version;
      options.publish(snapshot);
    } catch (error) {
      if (!closed) options.refuse(toFault(error));
    }
  }

  // One at a time: two readers could publish in the wrong order.
  async function reload(): Promise<void> {
    again = true;
    running ??= (async () => {
      while (again && !closed) {
        again = false;
        await load();
      }
      running = undefined;
    })();
    return running;
  }

  const watcher = options.watch(() => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), options.quietMs ?? 100);
    timer.unref();
  });

  return {
    reload,
    close() {
      closed = true;
      clearTimeout(timer);
      watcher.close();
    },
  };
}
