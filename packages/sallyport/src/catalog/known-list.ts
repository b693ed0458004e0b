import { createHash } from 'node:crypto';
import type { ListKind } from './contract.ts';
import type { FetchedList, ItemProblem, PageStart } from './fetch-list.ts';
import type { Item } from './items.ts';

/**
 * A list as it is kept. Client profiles that were given the same list hold the same object: one copy in memory, and a
 * refresh for one of them keeps it fresh for all.
 */
export interface KnownList {
  readonly kind: ListKind;
  /** Equal digests: equal items in equal order, equally shown. */
  readonly digest: string;
  readonly items: readonly Item[];
  /** Name -> what is wrong with an item that cannot be shown; an empty name where it has none. */
  readonly malformed: ReadonlyMap<string, string>;
  readonly isPrivate: boolean;
  /** What may differ between two fetches of the same list. */
  readonly state: ListState;
}

interface ListState {
  /** As its server has it. */
  freshUntil: number;
  /** From when on a call, too, has it asked for again behind. */
  renewAt: number;
  /** In this run; 0: it is known from an earlier one. */
  fetchedAt: number;
  /** As the upstream stated it. */
  ttlMs: number | undefined;
  problems: readonly ItemProblem[];
  /** Cursors may be others with each fetch. */
  pages: readonly PageStart[];
  /** Tools: their schemas are checked, or being checked. */
  isChecked: boolean;
}

export function toKnownList(kind: ListKind, list: FetchedList): KnownList {
  const hash = createHash('sha256').update(`${kind} ${list.isPrivate}`);
  for (const item of list.items) hash.update(item.digest);
  const { items, isPrivate, ttlMs, problems, pages = [] } = list;
  const names = new Set(items.map(({ id }) => id));
  const malformed = new Map(
    problems.flatMap(({ name, problem }) => (name === undefined || names.has(name) ? [] : [[name, problem] as const])),
  );
  for (const name of malformed.keys()) hash.update(JSON.stringify(name));
  const state = { freshUntil: 0, renewAt: 0, fetchedAt: 0, ttlMs, problems, pages, isChecked: false };
  return { kind, digest: hash.digest('hex'), items, malformed, isPrivate, state };
}

/** A busy endpoint must not ask its servers all the time. Milliseconds. */
export const RENEW_GAP_MS = 1000;

interface Fetched {
  readonly listTtlMs: number;
  readonly now: number;
  /** Its server announced a change meanwhile. */
  readonly overtaken: boolean;
}

/**
 * What is known since a list was fetched: how long it is fresh, and how long calls do not look for another one. A server that
 * says 0, as those do that state nothing, is asked again when a client lists; calls alone would poll it.
 */
export function noteFetched(state: ListState, list: FetchedList, { listTtlMs, now, overtaken }: Fetched): void {
  const { ttlMs, problems, pages = [] } = list;
  const freshUntil = overtaken ? 0 : now + (ttlMs ?? listTtlMs);
  const renewAt = overtaken ? 0 : now + Math.max(RENEW_GAP_MS, ttlMs || listTtlMs);
  Object.assign(state, { ttlMs, problems, pages, freshUntil, renewAt, fetchedAt: now });
}
