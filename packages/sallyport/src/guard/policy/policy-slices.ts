import { type Pause, UNHURRIED } from '../../core/pace.ts';
import { type ArgumentShape, joinShapes } from './argument-shape.ts';
import type { CedarLibrary } from './cedar.ts';
import { serverOf } from './check-names.ts';
import { type CompiledPolicies, type ContextPart, isAbout, type Policy } from './compile-policies.ts';

/** The policies of one server, or of one tool, resource or prompt that a scope names, ready to decide. */
export interface Slice {
  readonly policies: readonly Policy[];
  /** Names of Cedar's preparsed sets: all of it, what does not depend on the call, and what does not read its arguments. */
  readonly all: string;
  readonly standing: string;
  readonly withoutArguments: string;
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

/** Cedar keeps sets by name and forgets none: names are used again, so that reloads do not fill its memory. */
const free: string[] = [];
let made = 0;

/** A call keeps the policies it began with, so only the collector knows when nobody asks them any more. */
const unused = new FinalizationRegistry<{ readonly cedar: CedarLibrary; readonly names: string[] }>(
  ({ cedar, names }) => {
    for (const name of names) cedar.preparsePolicySet(name, { staticPolicies: {} });
    free.push(...names);
  },
);

/**
 * The slices of one set of policies, by server and, for those that a scope names, by tool, resource and prompt: a policy
 * whose scope names something else can say nothing there, and what it reads of a call need not be read.
 */
export class PolicySlices {
  readonly compiled: CompiledPolicies;
  readonly #cedar: CedarLibrary;
  readonly #named: ReadonlySet<string>;
  readonly #byPlace = new Map<string, Slice>();
  readonly #namesUris = new Map<string, boolean>();
  readonly #byPolicies = new Map<string, Slice>();
  readonly #names: string[] = [];

  constructor(cedar: CedarLibrary, compiled: CompiledPolicies) {
    this.#cedar = cedar;
    this.compiled = compiled;
    this.#named = new Set(compiled.policies.flatMap(({ item }) => item ?? []));
    unused.register(this, { cedar, names: this.#names });
  }

  /** @param item as scopes name it; left out: one that no scope names */
  of(server: string, item = ''): Slice {
    const named = this.#named.has(item) ? item : undefined;
    // Ids of items hold a space behind their type, names of servers hold none.
    const place = named ?? server;
    let slice = this.#byPlace.get(place);
    if (slice === undefined) {
      const { policies } = this.compiled;
      slice = this.#find(
        policies.filter((one) => isAbout(one, server) && (one.item === undefined || one.item === named)),
      );
      // Servers are the operator's, and so are the names in scopes: there are as many as were written down.
      this.#byPlace.set(place, slice);
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

  /** Before these policies are in force, so that no call pays for it. */
  async prepare(servers: Iterable<string>, pause: Pause = UNHURRIED): Promise<void> {
    for (const server of servers) {
      this.of(server);
      await pause();
    }
    for (const item of this.#named) {
      this.of(serverOf(item.slice(item.indexOf(' ') + 1)), item);
      await pause();
    }
  }

  #find(policies: readonly Policy[]): Slice {
    const key = JSON.stringify(policies.map(({ id }) => id));
    let slice = this.#byPolicies.get(key);
    if (slice === undefined) {
      slice = this.#make(policies);
      this.#byPolicies.set(key, slice);
    }
    return slice;
  }

  #make(policies: readonly Policy[]): Slice {
    const standing = policies.filter((policy) => policy.reads.size === 0);
    const known = policies.filter((policy) => !policy.reads.has('arguments'));
    const all = this.#parse(policies);
    const withoutArguments = known.length === policies.length ? all : this.#parse(known);
    return {
      policies,
      all,
      standing: standing.length === known.length ? withoutArguments : this.#parse(standing),
      withoutArguments,
      reads: new Set(policies.flatMap(({ reads }) => [...reads])),
      namesItems: policies.some((policy) => policy.namesItems),
      readsSinks: policies.some((policy) => policy.readsSinks),
      onRelease: policies.some((policy) => policy.onRelease),
      mayPermitPerCall: policies.some(({ reads, effect }) => reads.size > 0 && effect === 'permit'),
      mayPermitByArguments: policies.some(({ reads, effect }) => reads.has('arguments') && effect === 'permit'),
      shape: joinShapes(policies.map((policy) => policy.shape)).shape,
    };
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
