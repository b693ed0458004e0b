import { basename } from 'node:path';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { ClientId } from './client-files.ts';
import type { FoundServer } from './read-client-file.ts';

/** What happens to one server found at a client. */
export interface MergeStep {
  readonly name: string;
  readonly client: ClientId;
  readonly file: string;
  readonly action: 'added' | 'renamed' | 'same' | 'refused';
  /** Why, where it is not plain. */
  readonly reason: string | undefined;
  readonly notes: readonly string[];
}

export interface Merge {
  readonly added: ReadonlyMap<string, JsonObject>;
  readonly steps: readonly MergeStep[];
}

/**
 * Which of the found servers are new. Nothing that stands is changed: the same name with the same content is left
 * alone, with other content the newcomer gets a number. `isOurs` tells entries that lead back to Sallyport: behind
 * itself it would call itself for ever.
 */
export function mergeServers(
  present: ReadonlyMap<string, JsonObject>,
  found: readonly FoundServer[],
  isOurs: (entry: JsonObject) => boolean,
): Merge {
  const all = new Map(present);
  const added = new Map<string, JsonObject>();
  const steps = found.map((server): MergeStep => {
    const step = { name: server.name, client: server.from.client, file: server.from.path, notes: server.notes };
    if (server.refused !== undefined) return { ...step, action: 'refused', reason: server.refused };
    if (isOurs(server.entry)) return { ...step, action: 'refused', reason: 'this is Sallyport itself' };
    const name = freeName(all, server.name, server.entry);
    if (all.has(name)) return { ...step, name, action: 'same', reason: undefined };
    all.set(name, server.entry);
    added.set(name, server.entry);
    if (name === server.name) return { ...step, action: 'added', reason: undefined };
    return { ...step, name, action: 'renamed', reason: `${server.name} is another server here` };
  });
  return { added, steps };
}

/** The name itself or the first numbered one that is free or already stands for this very content. */
function freeName(all: ReadonlyMap<string, JsonObject>, name: string, entry: JsonObject): string {
  const content = canonical(entry);
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const candidate = name.slice(0, 64 - suffix.length) + suffix;
    const standing = all.get(candidate);
    if (standing === undefined || canonical(standing) === content) return candidate;
  }
}

function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

/** True for an entry with which a client reaches this program: `sallyport stdio`, or the address it listens on. */
export function leadsToSallyport(entry: JsonObject, port: number): boolean {
  const url = member(entry, 'url') ?? member(entry, 'serverUrl');
  if (typeof url === 'string' && URL.canParse(url)) {
    const { hostname, port: urlPort } = new URL(url);
    if (/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) && urlPort === String(port)) return true;
  }
  const args = member(entry, 'args');
  const words = [member(entry, 'command'), ...(Array.isArray(args) ? args : [])].filter(
    (word) => typeof word === 'string',
  );
  return (
    words.includes('stdio') &&
    words.some((word) => /^sallyport(?:@.*)?$/.test(basename(word).replace(/\.(?:cmd|exe|m?js)$/, '')))
  );
}
