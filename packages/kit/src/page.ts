import { z } from 'zod';
import { type Field, field, type Schema } from './schema.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const limit = field(
  `How many items to return, at most ${MAX_LIMIT}`,
  z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
);

/** Input fields of a tool that returns pages: `limit` (20 unless given, at most 100) and `offset`. */
export const pageInput = {
  limit,
  offset: field('How many items to skip, from an earlier next_offset', z.number().int().min(0).default(0)),
};

/** The same for a source that goes on from a cursor of its own instead of a number. */
export const cursorInput = {
  limit,
  cursor: field('Where to go on, from an earlier next_cursor', z.string().max(2_000).optional()),
};

/** Input field of a tool that answers for programs or for people. */
export const formatInput = {
  response_format: field('json for programs, markdown for people', z.enum(['json', 'markdown']).default('json')),
};

export interface CursorPage<Item> {
  readonly items: Item[];
  readonly has_more: boolean;
  readonly next_cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly offset: number;
  readonly has_more: boolean;
  readonly next_offset?: number | undefined;
  readonly total_count?: number | undefined;
}

/** Output fields of a tool that returns pages. @param item schema of one item */
export function pageOutput<S extends Schema>(description: string, item: Field<S>) {
  return {
    ...itemsOf(description, item),
    offset: field('How many items were skipped', z.number().int()),
    next_offset: field('The offset of the next page', z.number().int().optional()),
    total_count: field('How many items there are in all, if known', z.number().int().optional()),
  };
}

/** Output fields of a tool that returns pages by cursor. @param item schema of one item */
export function cursorOutput<S extends Schema>(description: string, item: Field<S>) {
  return {
    ...itemsOf(description, item),
    next_cursor: field('The cursor of the next page', z.string().optional()),
  };
}

function itemsOf<S extends Schema>(description: string, item: Field<S>) {
  return {
    items: field(
      description,
      z.array(item.schema as never) as unknown as Schema<StandardInput<S>[], StandardOutput<S>[]>,
    ),
    has_more: field('Whether there are more items', z.boolean()),
  };
}

type StandardInput<S> = S extends Schema<infer I, unknown> ? I : never;
type StandardOutput<S> = S extends Schema<never, infer O> ? O : never;

/**
 * Reads one page from a source, which is asked for one item more than the page holds to learn whether there are more.
 * @param read at most `limit` items from `offset` on; a page never loads what it does not show
 * @param count how many there are in all, if the source knows cheaply
 */
export async function page<Item>(
  { limit, offset }: { readonly limit: number; readonly offset: number },
  read: (range: { readonly limit: number; readonly offset: number }) => readonly Item[] | Promise<readonly Item[]>,
  count?: () => number | Promise<number>,
): Promise<Page<Item>> {
  const found = await read({ limit: limit + 1, offset });
  const hasMore = found.length > limit;
  return {
    items: found.slice(0, limit),
    offset,
    has_more: hasMore,
    ...(hasMore ? { next_offset: offset + limit } : {}),
    ...(count === undefined ? {} : { total_count: await count() }),
  };
}

/**
 * Reads one page from a source with cursors.
 * @param read at most `limit` items from the cursor on (the start without one), and the cursor of the next page, if any
 */
export async function cursorPage<Item>(
  from: { readonly limit: number; readonly cursor?: string | undefined },
  read: (from: {
    readonly limit: number;
    readonly cursor?: string | undefined;
  }) => CursorRead<Item> | Promise<CursorRead<Item>>,
): Promise<CursorPage<Item>> {
  const { items, next } = await read(from);
  return { items: [...items], has_more: next !== undefined, ...(next === undefined ? {} : { next_cursor: next }) };
}

export interface CursorRead<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
}
