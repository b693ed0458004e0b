import type { KnownList } from '../known-list.ts';
import type { Removed } from './met.ts';
import type { Entry } from './pin-entry.ts';

/** Known items that are not in this list any more, by content. */
export function findRemoved(
  entries: ReadonlyMap<string, Entry> | undefined,
  list: KnownList,
): ReadonlyMap<string, Removed> {
  const removed = new Map<string, Removed>();
  if (entries === undefined) return removed;
  const present = new Set(list.items.map(({ id }) => id));
  for (const [name, { approved, seen, contents }] of entries) {
    if (present.has(name)) continue;
    const isHeld = approved === undefined || (seen !== undefined && seen !== approved);
    for (const content of contents) if (content !== '') removed.set(content, { name, isHeld });
  }
  return removed;
}
