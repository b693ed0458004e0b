import type { Json } from '../core/json.ts';
import { wrong } from './problem.ts';

const DEFAULT = 100;
const MAX = 1_000;

/**
 * A page of a list that is in memory. The cursor is the key of the last item seen, so that items which come and go
 * meanwhile move nothing.
 * @param items in the order of their keys
 */
export function pageOfItems<T extends Json>(
  items: readonly T[],
  query: URLSearchParams,
  keyOf: (item: T) => string,
): { items: readonly T[]; next?: string } {
  const limit = readLimit(query);
  const cursor = query.get('cursor');
  const from = cursor === null ? 0 : items.findIndex((item) => keyOf(item) > cursor);
  if (from < 0) return { items: [] };
  const page = items.slice(from, from + limit);
  const last = page.at(-1);
  return from + limit < items.length && last !== undefined ? { items: page, next: keyOf(last) } : { items: page };
}

/** @throws FaultError `usage`. */
export function readLimit(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT;
  const limit = Number(text);
  if (!/^\d{1,4}$/.test(text) || limit < 1 || limit > MAX) wrong(`limit is a whole number from 1 to ${MAX}.`);
  return limit;
}
