import { isObject, type JsonObject } from '../../core/json.ts';

/** One text that a client holds by its handle only. Never logged, never recorded. */
export interface KeptText {
  readonly text: string;
  /** The server that wrote it. */
  readonly upstream: string;
}

/** A store in this process answers at once, one that replicas share by a promise. */
export type Later<T> = T | Promise<T>;

/**
 * Where kept texts wait for a call that names them. Bounded and forgetful: what is gone is refused, never guessed. Each run of
 * a principal has its own; nobody finds another's.
 */
export interface HandleStore {
  /** The id of a new handle, which nobody can guess. */
  newId(): string;
  /** Kept when it is fulfilled: a client gets no handle before. */
  keep(run: string, texts: ReadonlyMap<string, KeptText>): Later<void>;
  /** Those of the ids that are kept, still, and for this run. */
  find(run: string, ids: readonly string[]): Later<ReadonlyMap<string, KeptText>>;
}

const HANDLE = /^\{\{handle:([a-z2-7]{16})\}\}$/;
const LENGTH = '{{handle:}}'.length + 16;

/** What a client gets in place of a text. */
export function toHandle(id: string): string {
  return `{{handle:${id}}}`;
}

/** The id of a text that is a handle and nothing else. */
export function findHandle(text: string): string | undefined {
  return text.length === LENGTH ? HANDLE.exec(text)?.[1] : undefined;
}

/** Ids of all handles that stand as whole texts anywhere in a value. */
export function handlesIn(value: unknown): readonly string[] {
  const ids: string[] = [];
  openHandles(value, (id) => {
    ids.push(id);
    return undefined;
  });
  return ids;
}

/** The value with the texts for its handles; those that `open` does not know stay. */
export function openHandles(value: unknown, open: (id: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    const id = findHandle(value);
    return id === undefined ? value : (open(id) ?? value);
  }
  if (Array.isArray(value)) return value.map((one) => openHandles(one, open));
  if (!isObject(value)) return value;
  const opened: [string, unknown][] = Object.entries(value).map(([key, one]) => [key, openHandles(one, open)]);
  // What a key is called is its sender's choice: `__proto__` becomes a member like any other here.
  return Object.fromEntries(opened) as JsonObject;
}
