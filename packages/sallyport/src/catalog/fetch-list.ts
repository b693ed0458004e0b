import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { member } from '../core/json.ts';
import { arrayElements, objectMembers } from '../core/json-scan.ts';
import { type Answer, Request } from '../core/message.ts';
import { createModestPause } from '../core/pace.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { ListKind } from './contract.ts';
import { describeItem, type Item, readItem, rulesOf, writeItem } from './items.ts';

/** A list as one upstream gave it, all pages together. */
export interface FetchedList {
  readonly items: readonly Item[];
  readonly problems: readonly ItemProblem[];
  /** The shortest of its pages; `undefined`: not stated. */
  readonly ttlMs: number | undefined;
  readonly isPrivate: boolean;
  /** Where its server began another page. Left out: nowhere. */
  readonly pages?: readonly PageStart[];
}

export interface PageStart {
  readonly cursor: string;
  /** Index of the first item of the page. */
  readonly at: number;
}

export interface ItemProblem {
  readonly item: string;
  readonly problem: string;
  /** Of an item that cannot be shown; empty where it has none. */
  readonly name?: string;
}

export interface ListSource {
  readonly upstreams: UpstreamPort;
  readonly upstream: string;
  readonly client: Client;
  /** Aborted: the request in flight is cancelled and the fetch throws. */
  readonly signal: AbortSignal;
}

/** Items that are kept, by id: what is as it was is not read again, and stays the same object. */
export type KnownItems = ReadonlyMap<string, Item>;

const MAX_PAGES = 100;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PROBLEMS = 100;
const METHOD_NOT_FOUND = -32601;

/**
 * Asks for a list, page by page. What lies beyond the bounds is left out and reported; an upstream that does not know
 * the method has an empty list.
 * @throws FaultError of the upstream port; `upstream_protocol` for an error or an answer that is no list.
 */
export async function fetchList(source: ListSource, kind: ListKind, known?: () => KnownItems): Promise<FetchedList> {
  const { method, key } = rulesOf(kind);
  const sink = new ItemSink(kind, known);
  const seen = new Set<string>();
  let cursor: string | undefined;
  let bytes = 0;
  let ttlMs: number | undefined;
  let isPrivate = false;
  for (let page = 0; ; page++) {
    if (page === MAX_PAGES) return sink.finish({ ttlMs, isPrivate, cut: `more than ${MAX_PAGES} pages` });
    const answer = await ask(source, method, cursor);
    if (answer.errorCode === METHOD_NOT_FOUND && page === 0) break;
    const result = readResult(answer, method);
    bytes += answer.bytes.length;
    if (bytes > MAX_BYTES) return sink.finish({ ttlMs, isPrivate, cut: `more than ${MAX_BYTES} bytes` });
    await sink.addPage(answer, key, method);
    const ttl = member(result, 'ttlMs');
    // Negative counts as 0 (MCP 2026-07-28, caching).
    if (typeof ttl === 'number') ttlMs = Math.min(ttlMs ?? Number.POSITIVE_INFINITY, Math.max(0, ttl));
    const scope = member(result, 'cacheScope');
    // A scope we do not know is not a promise that others may see it.
    if (scope !== undefined && scope !== 'public') isPrivate = true;
    const next = member(result, 'nextCursor');
    if (typeof next !== 'string') break;
    if (seen.has(next)) return sink.finish({ ttlMs, isPrivate, cut: 'its pages go round in a circle' });
    seen.add(next);
    sink.beginPage(next);
    cursor = next;
  }
  return sink.finish({ ttlMs, isPrivate, cut: undefined });
}

const NO_ITEMS: KnownItems = new Map();

/** Collects items; the first of two with the same name counts. */
class ItemSink {
  readonly #kind: ListKind;
  readonly #items = new Map<string, Item>();
  readonly #problems: ItemProblem[] = [];
  readonly #pages: PageStart[] = [];
  readonly #known: () => KnownItems;

  constructor(kind: ListKind, known: () => KnownItems = () => NO_ITEMS) {
    this.#kind = kind;
    this.#known = known;
  }

  beginPage(cursor: string): void {
    this.#pages.push({ cursor, at: this.#items.size });
  }

  /** In short stretches: calls are served meanwhile. */
  async addPage(answer: Answer, key: string, method: string): Promise<void> {
    const values = member(answer.result, key);
    const span = objectMembers(answer.bytes, answer.bodySpan.start).findLast((candidate) => candidate.key === key);
    if (!Array.isArray(values) || span === undefined) {
      throw new FaultError('upstream_protocol', `The answer to ${method} has no array "${key}".`);
    }
    const pause = createModestPause();
    const known = this.#known();
    for (const [index, { start, end }] of arrayElements(answer.bytes, span.start).entries()) {
      const [text, value] = [answer.bytes.toString('utf8', start, end), values[index]];
      const kept = known.get(String(member(value, rulesOf(this.#kind).id)));
      this.add(text, value, kept !== undefined && writeItem(kept) === text ? kept : undefined);
      const pausing = pause();
      if (pausing !== undefined) await pausing;
    }
  }

  /** @param kept the same text, read before */
  add(text: string, value: unknown, kept?: Item): void {
    const { id: idKey } = rulesOf(this.#kind);
    const item = kept ?? readItem(this.#kind, text, value);
    if (typeof item === 'string') {
      const id = member(value, idKey);
      const name = typeof id === 'string' ? id.slice(0, 100) : '';
      this.#report(describeItem(this.#kind, name), item, name);
    } else if (this.#items.has(item.id)) this.#report(describeItem(this.#kind, item.id.slice(0, 100)), 'stands twice');
    else this.#items.set(item.id, item);
  }

  #report(item: string, problem: string, name?: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    this.#problems.push({ item, problem, ...(name === undefined ? {} : { name }) });
  }

  finish(found: { ttlMs: number | undefined; isPrivate: boolean; cut: string | undefined }): FetchedList {
    const { ttlMs, isPrivate, cut } = found;
    const problems = [...this.#problems];
    if (cut !== undefined) problems.push({ item: rulesOf(this.#kind).method, problem: `the rest is left out: ${cut}` });
    return { items: [...this.#items.values()], problems, ttlMs, isPrivate, pages: this.#pages };
  }
}

async function ask(source: ListSource, method: string, cursor: string | undefined): Promise<Answer> {
  const { upstreams, upstream, client, signal } = source;
  const request = Request.of('1', method, cursor === undefined ? undefined : { cursor });
  const exchange = internalExchange(client);
  const stop = () => exchange.onCancel?.('The list is no longer needed.');
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const sent = { request, edits: [], target: undefined, paramHeaders: undefined };
    return await upstreams.send(upstream, sent, exchange);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Stands for a client without being one: a server must not put questions to a person to answer a list. */
function internalExchange(client: Client): Exchange {
  return {
    client,
    logLevel: undefined,
    progressToken: undefined,
    unattended: true,
    onCancel: undefined,
    cancelled: false,
    notify() {},
    ask: async () => {
      throw new FaultError('missing_capability', 'Lists are fetched without a client that could be asked.');
    },
    answerInputs: () => undefined,
  };
}

function readResult(answer: Answer, method: string): unknown {
  const { outcome } = answer;
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error;
    throw new FaultError('upstream_protocol', `${method} was answered with error ${code}: ${message.slice(0, 200)}`);
  }
  const type = member(outcome.result, 'resultType');
  if (type !== undefined && type !== 'complete') {
    throw new FaultError('upstream_protocol', `${method} was answered with result type ${JSON.stringify(type)}.`);
  }
  return outcome.result;
}

/** Reads items that were kept as texts; what has become unreadable is missing. */
export function readKeptItems(kind: ListKind, texts: readonly string[]): readonly Item[] {
  const sink = new ItemSink(kind);
  for (const text of texts) sink.add(text, JSON.parse(text));
  return sink.finish({ ttlMs: undefined, isPrivate: false, cut: undefined }).items;
}
