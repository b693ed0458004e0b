import type { Snapshot } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { View } from './contract.ts';
import type { ViewContent, ViewPart } from './view-part.ts';

/** What a view was made of. */
interface Made extends Pick<ViewContent, 'snapshot' | 'endpoint' | 'parts' | 'unavailable'> {
  readonly profile: string;
  /** Of the caller: what it sees may be less than what is there. */
  readonly sight: string;
  readonly principal: string;
  /** Some list in it is for one principal only, or would be if that were known. */
  readonly isPrivate: boolean;
  /** Every list in it is known, or was tried in vain. */
  readonly isWhole: boolean;
  /** When the first of its lists is not fresh any more. */
  readonly staleAt: number;
  /** When its lists should be looked at again. */
  readonly dueAt: number;
}

interface Kept extends Made {
  readonly view: View;
}

const MAX_VIEWS = 256;

/** The views in use, least recently used first. Clients that see the same lists get the same view. */
export class ViewCache {
  readonly #views = new Map<string, Kept>();

  find(
    snapshot: Snapshot,
    endpoint: Endpoint,
    { client, sight }: { readonly client: Client; readonly sight: string },
  ): Pick<Kept, 'view' | 'dueAt' | 'staleAt' | 'isWhole'> | undefined {
    const key = toKey(snapshot, endpoint, `${client.profile}\n${sight}`);
    const found = this.#views.get(key);
    const kept = found?.isPrivate === true ? this.#views.get(`${key}\n${client.principal.id}`) : found;
    // A tested program makes several snapshots of one version; they must not see each other's views.
    return kept?.snapshot === snapshot ? kept : undefined;
  }

  /** Everything is looked at again at its next use. */
  expire(): void {
    for (const [key, kept] of this.#views) this.#views.set(key, { ...kept, dueAt: 0 });
  }

  /** Views of other snapshots go: only calls that run since before a reload ask for one, and theirs is made anew. */
  renew(snapshot: Snapshot): void {
    for (const [key, kept] of this.#views) if (kept.snapshot !== snapshot) this.#views.delete(key);
  }

  /** Remembers a view; makes a new one only if there is none of the same lists. */
  keep(made: Made, make: () => View): View {
    const { snapshot, endpoint, profile, sight, principal, isPrivate } = made;
    const kept: Kept = { ...made, view: this.#findEqual(made)?.view ?? make() };
    const key = toKey(snapshot, endpoint, `${profile}\n${sight}`);
    this.#put(key, kept);
    if (isPrivate) this.#put(`${key}\n${principal}`, kept);
    return kept.view;
  }

  #findEqual(made: Made): Kept | undefined {
    for (const kept of this.#views.values()) if (isEqual(kept, made)) return kept;
    return undefined;
  }

  #put(key: string, kept: Kept): void {
    this.#views.delete(key);
    this.#views.set(key, kept);
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_VIEWS) break;
      this.#views.delete(oldest);
    }
  }
}

function toKey(snapshot: Snapshot, endpoint: Endpoint, whose: string): string {
  return `${snapshot.version}\n${whose}\n${endpoint.kind === 'all' ? '' : endpoint.name}\n${endpoint.kind}`;
}

function isEqual(one: Made, other: Made): boolean {
  if (one.snapshot !== other.snapshot || one.sight !== other.sight) return false;
  if (!isSameEndpoint(one.endpoint, other.endpoint)) return false;
  if (one.parts.length !== other.parts.length || one.unavailable.length !== other.unavailable.length) return false;
  if (one.unavailable.some((entry, i) => entry.reason !== other.unavailable[i]?.reason)) return false;
  return one.parts.every((part, i) => isSamePart(part, other.parts[i]));
}

function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  if (one.kind === 'all' || other.kind === 'all') return one.kind === other.kind;
  return one.kind === other.kind && one.name === other.name;
}

function isSamePart(one: ViewPart, other: ViewPart | undefined): boolean {
  if (other === undefined || one.server !== other.server || one.prefix !== other.prefix) return false;
  if (one.lists.size !== other.lists.size || one.pins !== other.pins) return false;
  if (one.identity !== other.identity && JSON.stringify(one.identity) !== JSON.stringify(other.identity)) return false;
  return [...one.lists].every(([kind, list]) => other.lists.get(kind) === list);
}
