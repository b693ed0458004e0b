import type { Fields } from './messages.ts';
import { TaskStore } from './tasks.ts';

/** Something changed that clients may have asked to hear of. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'task'; readonly task: Fields };

export type Listener = (change: Change) => void;

/** The state of the process that all connections share: counters, switches, tasks, listeners. */
export class World {
  readonly tasks: TaskStore;
  readonly pageSize: number;
  /** How often each counted thing happened. */
  readonly counts = { sideEffects: 0, cancelled: 0, resourceVersion: 1 };
  /** Which of the items that come and go are listed now. */
  readonly extras = { tools: false, prompts: false, resources: false };
  readonly #listeners = new Set<Listener>();
  readonly #shutdown = new AbortController();

  constructor(options: { pageSize: number }) {
    this.pageSize = options.pageSize;
    this.tasks = new TaskStore((task) => this.emit({ kind: 'task', task }));
  }

  /** Aborted when the process is about to end. */
  get shutdown(): AbortSignal {
    return this.#shutdown.signal;
  }

  /** Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  emit(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  close(): void {
    this.#shutdown.abort();
    this.tasks.close();
    this.#listeners.clear();
  }
}

export const serverInfo = {
  name: 'sallyport-conformance-server',
  title: 'Conformance server',
  version: '0.1.0',
} as const;

export const instructions =
  'Every feature of every protocol revision, for tests. Nothing here touches anything outside the process.';
