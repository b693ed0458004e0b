import type { Json, JsonObject } from '../core/json.ts';
import { wrong } from './problem.ts';

/** `next`: the cursor of the page that follows. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** What a cursor of lists that storage makes is made of. */
export interface Placed {
  readonly id: string;
  readonly createdAt: number;
}

const DEFAULT = 100;
const MAX = 1_000;

/**
 * A page of a list that is in memory. The cursor is the key of the last item seen, so that items which come and go
 * meanwhile move nothing.
 * @param items in the order of their keys
 */
export function pageOfItems<T>(items: readonly T[], query: URLSearchParams, keyOf: (item: T) => string): Page<T> {
  const limit = readLimit(query);
  const cursor = query.get('cursor');
  const from = cursor === null ? 0 : items.findIndex((item) => keyOf(item) > cursor);
  if (from < 0) return { items: [] };
  const page = items.slice(from, from + limit);
  const last = page.at(-1);
  return from + limit < items.length && last !== undefined ? { items: page, next: keyOf(last) } : { items: page };
}

/** A page of a list that storage made, the newest first. */
export function pageByTime<T extends Placed>(items: readonly T[], query: URLSearchParams): Page<T> {
  const last = items.at(-1);
  return items.length < readLimit(query) || last === undefined
    ? { items }
    : { items, next: `${last.createdAt}~${last.id}` };
}

/** What such a page comes after. @throws FaultError `usage`. */
export function readPlace(query: URLSearchParams): Placed | undefined {
  const cursor = query.get('cursor');
  if (cursor === null) return undefined;
  const [, createdAt, id] = /^(\d{1,16})~(\w{1,64})$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) wrong('The cursor is what "next" of the page before said.');
  return { createdAt: Number(createdAt), id };
}

export function describePage<T>({ items, next }: Page<T>, describe: (item: T) => Json): JsonObject {
  return { items: items.map(describe), ...(next === undefined ? {} : { next }) };
}

/** One of some words. @throws FaultError `usage`. */
export function readWord<T extends string>(query: URLSearchParams, name: string, words: readonly T[]): T | undefined {
  const text = query.get(name);
  const word = words.find((one) => one === text);
  if (text !== null && word === undefined) wrong(`${name} is one of ${words.join(', ')}.`);
  return word;
}

/** @throws FaultError `usage`. */
export function readLimit(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT;
  const limit = Number(text);
  if (!/^\d{1,4}$/.test(text) || limit < 1 || limit > MAX) wrong(`limit is a whole number from 1 to ${MAX}.`);
  return limit;
}
