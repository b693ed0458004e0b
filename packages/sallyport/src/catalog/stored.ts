import { createHash } from 'node:crypto';
import type { Transport } from '../config/settings.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import type { ListKind } from './contract.ts';
import { readKeptItems } from './fetch-list.ts';
import { describeItem, LIST_KINDS, writeItem } from './items.ts';
import { type KnownList, toKnownList } from './known-list.ts';

/** The catalogue between two starts. Each list is written once, whoever sees it. */
export interface Stored {
  readonly prefixes: ReadonlyMap<string, string>;
  /** Upstream -> its part, not looked into until it is needed. */
  readonly upstreams: ReadonlyMap<string, JsonObject>;
}

export interface KeptProfile {
  readonly profile: string;
  readonly identity: UpstreamIdentity;
  readonly lists: readonly { readonly principal: string; readonly list: KnownList }[];
}

const VERSION = 1;

/** Lists are only believed for the same server: another command or address may be another program. */
export function digestTransport(transport: Transport): string {
  const parts =
    transport.type === 'stdio'
      ? [transport.type, transport.command, transport.cwd ?? null, ...transport.args]
      : ['http', transport.url];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export function writeStored(stored: Stored): string {
  // Arrays of pairs: a server called __proto__ is a name like any other.
  const { prefixes, upstreams } = stored;
  return JSON.stringify({ version: VERSION, prefixes: [...prefixes], upstreams: [...upstreams] });
}

/** `undefined` for a text of another version and for one that is damaged. */
export function readStored(text: string): Stored | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (member(value, 'version') !== VERSION) return undefined;
  const prefixes = readPairs(member(value, 'prefixes'), (prefix) => (typeof prefix === 'string' ? prefix : undefined));
  const upstreams = readPairs(member(value, 'upstreams'), (part) => (isObject(part) ? part : undefined));
  return prefixes === undefined || upstreams === undefined ? undefined : { prefixes, upstreams };
}

function readPairs<T>(value: Json | undefined, read: (value: unknown) => T | undefined): Map<string, T> | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs = new Map<string, T>();
  for (const pair of value as readonly Json[]) {
    const [key, content] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    const found = read(content);
    if (typeof key !== 'string' || found === undefined) return undefined;
    pairs.set(key, found);
  }
  return pairs;
}

export function writeUpstream(transportDigest: string, profiles: readonly KeptProfile[]): JsonObject {
  const lists = new Map<string, JsonObject>();
  for (const { list } of profiles.flatMap((kept) => kept.lists)) {
    if (!lists.has(list.digest)) lists.set(list.digest, writeList(list));
  }
  return {
    transport: transportDigest,
    lists: [...lists],
    profiles: profiles.map(({ profile, identity, lists: seen }) => ({
      profile,
      identity: {
        serverInfo: identity.serverInfo,
        capabilities: identity.capabilities,
        revision: identity.revision,
        ...(identity.instructions === undefined ? {} : { instructions: identity.instructions }),
      },
      lists: seen.map(({ principal, list }) => [principal, list.digest]),
    })),
  };
}

function writeList(list: KnownList): JsonObject {
  const { kind, isPrivate, items, malformed, state } = list;
  return {
    kind,
    isPrivate,
    ...(state.ttlMs === undefined ? {} : { ttlMs: state.ttlMs }),
    ...(malformed.size === 0 ? {} : { malformed: [...malformed] }),
    items: items.map((item) => writeItem(item)),
  };
}

/** Empty when the part was written for another transport or makes no sense. */
export function readUpstream(part: JsonObject, transportDigest: string): readonly KeptProfile[] {
  if (member(part, 'transport') !== transportDigest) return [];
  try {
    const lists = readPairs(member(part, 'lists'), readList) ?? new Map<string, KnownList>();
    const profiles = member(part, 'profiles');
    if (!Array.isArray(profiles)) return [];
    return (profiles as readonly Json[]).map((kept) => readProfile(kept, lists)).filter((kept) => kept !== undefined);
  } catch {
    // Unreadable is the same as unknown: the upstream is asked again.
    return [];
  }
}

function readProfile(value: Json, lists: ReadonlyMap<string, KnownList>): KeptProfile | undefined {
  const profile = member(value, 'profile');
  const identity = member(value, 'identity');
  const serverInfo = member(identity, 'serverInfo');
  const capabilities = member(identity, 'capabilities');
  const revision = member(identity, 'revision');
  const instructions = member(identity, 'instructions');
  const seen = readPairsOfStrings(member(value, 'lists'));
  if (typeof profile !== 'string' || !isObject(serverInfo) || !isObject(capabilities)) return undefined;
  if (typeof revision !== 'string' || seen === undefined) return undefined;
  return {
    profile,
    identity: {
      serverInfo,
      capabilities,
      revision,
      instructions: typeof instructions === 'string' ? instructions : undefined,
    },
    lists: seen.flatMap(([principal, digest]) => {
      const list = lists.get(digest);
      return list === undefined ? [] : [{ principal, list }];
    }),
  };
}

function readPairsOfStrings(value: Json | undefined): [string, string][] | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly Json[]).flatMap((pair): [string, string][] => {
    const [one, other] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof one === 'string' && typeof other === 'string' ? [[one, other]] : [];
  });
}

function readList(value: unknown): KnownList | undefined {
  const kind = member(value, 'kind');
  const texts = member(value, 'items');
  if (!isListKind(kind) || !Array.isArray(texts)) return undefined;
  const ttlMs = member(value, 'ttlMs');
  const items = readKeptItems(
    kind,
    (texts as readonly Json[]).filter((text) => typeof text === 'string'),
  );
  const fetched = {
    items,
    problems: (readPairsOfStrings(member(value, 'malformed')) ?? []).map(([name, problem]) => ({
      item: describeItem(kind, name),
      problem,
      name,
    })),
    ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
    // Anything but a plain "no" keeps the list to the principal it was given to.
    isPrivate: member(value, 'isPrivate') !== false,
  };
  return toKnownList(kind, fetched);
}

function isListKind(value: unknown): value is ListKind {
  return LIST_KINDS.has(value as ListKind);
}
