import { type Pause, UNHURRIED } from '../../core/pace.ts';
import { type ArgumentShape, joinShapes } from './argument-shape.ts';
import type { CedarLibrary, EntityJson } from './cedar.ts';
import { type CompiledPolicies, type ContextPart, isAbout, type Policy } from './compile-policies.ts';
import { PrincipalKeys } from './principal-reads.ts';

/** What can say something about one tool, resource or prompt for one caller, ready to decide. */
export interface Slice {
  readonly policies: readonly Policy[];
  /** Evaluated apart: what names it in its scope, and what does not. */
  readonly parts: readonly SlicePart[];
  /** What of the context some policy reads; empty: a decision may be kept. */
  readonly reads: ReadonlySet<ContextPart>;
  readonly namesItems: boolean;
  readonly readsSinks: boolean;
  readonly onRelease: boolean;
  /** A permit may still come from a policy that depends on the call, or on its arguments. */
  readonly mayPermitPerCall: boolean;
  readonly mayPermitByArguments: boolean;
  readonly shape: ArgumentShape;
}

/** Policies of a part by what they need to know: nothing of the call, something, or something but its arguments. */
export type Extent = 'standing' | 'perCall' | 'withoutArguments';

/** Cedar keeps sets by name and forgets none: names are used again, so that reloads do not fill its memory. */
const free: string[] = [];
let made = 0;

interface Unused {
  readonly cedar: CedarLibrary;
  readonly names: string[];
  readonly parts: Map<string, WeakRef<SlicePart>>;
  readonly key: string;
}

/** A call keeps the policies it began with, so only the collector knows when nobody asks them any more. */
const unused = new FinalizationRegistry<Unused>(({ cedar, names, parts, key }) => {
  for (const name of names) cedar.preparsePolicySet(name, { staticPolicies: {} });
  free.push(...names);
  if (parts.get(key)?.deref() === undefined) parts.delete(key);
});

/** Policies that are evaluated together. Each set is handed to Cedar when it is first asked. */
export class SlicePart {
  readonly namesItems: boolean;
  readonly #cedar: CedarLibrary;
  readonly #policies: Readonly<Record<Extent, readonly Policy[]>>;
  readonly #sets = new Map<Extent, string>();
  readonly #names: string[];

  constructor(cedar: CedarLibrary, policies: readonly Policy[], names: string[]) {
    this.#cedar = cedar;
    this.#names = names;
    this.namesItems = policies.some((policy) => policy.namesItems);
    const perCall = policies.filter(({ reads }) => reads.size > 0);
    this.#policies = {
      standing: policies.filter(({ reads }) => reads.size === 0),
      perCall,
      withoutArguments: perCall.filter(({ reads }) => !reads.has('arguments')),
    };
  }

  /** Name of Cedar's preparsed set; `undefined`: there is no such policy. */
  set(extent: Extent): string | undefined {
    const policies = this.#policies[extent];
    if (policies.length === 0) return undefined;
    let name = this.#sets.get(extent);
    if (name === undefined) {
      name = this.#parse(policies);
      this.#sets.set(extent, name);
    }
    return name;
  }

  #parse(policies: readonly Policy[]): string {
    const name = free.pop() ?? `set-${++made}`;
    this.#names.push(name);
    const staticPolicies = Object.fromEntries(policies.map(({ id, text }) => [id, text]));
    const answer = this.#cedar.preparsePolicySet(name, { staticPolicies });
    if (answer.type === 'failure') throw new Error(`the policies cannot be prepared: ${answer.errors[0]?.message}`);
    return name;
  }
}

/** Callers of other groups whose slices are kept. */
const MAX_SCOPES = 256;

/** Slices by server and, for what scopes name, by item. */
type Places = Map<string, Slice>;

/**
 * The slices of one set of policies, by caller, by server and, for those that a scope names, by tool, resource and prompt: a
 * policy whose scope names something or somebody else can say nothing there, and what it reads of a call need not be read.
 */
export class PolicySlices {
  readonly compiled: CompiledPolicies;
  readonly keys: PrincipalKeys;
  readonly #cedar: CedarLibrary;
  readonly #named: ReadonlyMap<string, readonly Policy[]>;
  readonly #unnamed: readonly Policy[];
  readonly #everyone: Places = new Map();
  /** By ids and groups of callers, as far as scopes name them; the one used last stands last. */
  readonly #scopes = new Map<string, Places>();
  readonly #namesUris = new Map<string, boolean>();
  readonly #parts = new Map<string, WeakRef<SlicePart>>();

  constructor(cedar: CedarLibrary, compiled: CompiledPolicies) {
    this.#cedar = cedar;
    this.compiled = compiled;
    const { policies } = compiled;
    this.keys = new PrincipalKeys(policies.map(({ principal }) => principal));
    const named = new Map<string, Policy[]>();
    for (const policy of policies) {
      if (policy.item === undefined) continue;
      const own = named.get(policy.item) ?? [];
      named.set(policy.item, own);
      own.push(policy);
    }
    this.#named = named;
    this.#unnamed = policies.filter(({ item }) => item === undefined);
  }

  /** For one caller. @param item as scopes name it; left out: one that no scope names */
  of(scope: CallerScope, server: string, item = ''): Slice {
    return this.#at(scope.places(this), scope, { server, item });
  }

  /** For all callers together. */
  about(server: string, item = ''): Slice {
    return this.#at(this.#everyone, undefined, { server, item });
  }

  scopeOf(entity: EntityJson): CallerScope {
    return new CallerScope(this.keys.named(entity));
  }

  placesOf({ key }: CallerScope): Places {
    const places = this.#scopes.get(key) ?? new Map<string, Slice>();
    this.#scopes.delete(key);
    this.#scopes.set(key, places);
    for (const oldest of this.#scopes.keys()) {
      if (this.#scopes.size <= MAX_SCOPES) break;
      this.#scopes.delete(oldest);
    }
    return places;
  }

  #at(
    places: Places,
    scope: CallerScope | undefined,
    { server, item }: { readonly server: string; readonly item: string },
  ): Slice {
    const own = this.#named.get(item);
    // Ids of items hold a space behind their type, names of servers hold none.
    const place = own === undefined ? server : item;
    let slice = places.get(place);
    if (slice === undefined) {
      const isFor = (policy: Policy) => isAbout(policy, server) && scope?.concerns(policy) !== false;
      slice = this.#make([this.#unnamed.filter(isFor), (own ?? []).filter(isFor)]);
      // Servers are the operator's, and so are the names in scopes: there are as many as were written down.
      places.set(place, slice);
    }
    return slice;
  }

  /** Does a policy that can say something about this server tell its resources apart by their URIs? */
  namesUris(server: string): boolean {
    let known = this.#namesUris.get(server);
    if (known === undefined) {
      known = this.compiled.policies.some((one) => one.namesUris && isAbout(one, server));
      this.#namesUris.set(server, known);
    }
    return known;
  }

  /** Before these policies are in force, so that the first call pays for less. */
  async prepare(servers: Iterable<string>, pause: Pause = UNHURRIED): Promise<void> {
    const nobody = new CallerScope([]);
    for (const server of servers) {
      for (const part of this.of(nobody, server).parts)
        for (const extent of ['standing', 'perCall'] as const) part.set(extent);
      await pause();
    }
  }

  #make(groups: readonly (readonly Policy[])[]): Slice {
    const filled = groups.filter((policies) => policies.length > 0);
    const policies = filled.flat();
    return {
      policies,
      parts: filled.map((own) => this.#part(own)),
      reads: new Set(policies.flatMap(({ reads }) => [...reads])),
      namesItems: policies.some((policy) => policy.namesItems),
      readsSinks: policies.some((policy) => policy.readsSinks),
      onRelease: policies.some((policy) => policy.onRelease),
      mayPermitPerCall: policies.some(({ reads, effect }) => reads.size > 0 && effect === 'permit'),
      mayPermitByArguments: policies.some(({ reads, effect }) => reads.has('arguments') && effect === 'permit'),
      shape: joinShapes(policies.map((policy) => policy.shape)).shape,
    };
  }

  /** The same policies are one part, for whichever callers and servers they are. */
  #part(policies: readonly Policy[]): SlicePart {
    const key = JSON.stringify(policies.map(({ id }) => id));
    const known = this.#parts.get(key)?.deref();
    if (known !== undefined) return known;
    const names: string[] = [];
    const part = new SlicePart(this.#cedar, policies, names);
    unused.register(part, { cedar: this.#cedar, names, parts: this.#parts, key });
    this.#parts.set(key, new WeakRef(part));
    return part;
  }
}

/** Which policies have a scope that a caller is in. */
export class CallerScope {
  readonly key: string;
  readonly #id: string;
  readonly #groups: ReadonlySet<string>;
  #places: WeakRef<Places> | undefined;

  /** @param named as `PrincipalKeys.named` gives it */
  constructor([id = '', ...groups]: readonly string[]) {
    this.key = JSON.stringify([id, ...groups]);
    this.#id = id;
    this.#groups = new Set(groups);
  }

  places(slices: PolicySlices): Places {
    let places = this.#places?.deref();
    if (places === undefined) {
      places = slices.placesOf(this);
      this.#places = new WeakRef(places);
    }
    return places;
  }

  concerns({ principal: { who } }: Policy): boolean {
    if (who === undefined) return true;
    return who.kind === 'group' ? this.#groups.has(who.id) : who.id === this.#id;
  }
}
