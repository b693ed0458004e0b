import type { Call, Tool } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import type { Principal } from '../../core/principal.ts';
import type { SinkClass } from '../../core/sink.ts';
import { type ArgumentShape, joinShapes } from './argument-shape.ts';
import type { AuthorizationAnswer, CedarLibrary, EntityJson } from './cedar.ts';
import { type CompiledPolicies, type Policy, sliceOf } from './compile-policies.ts';
import { type ToolFacts, toPrincipalEntity, toToolFacts } from './entities.ts';
import { readArguments } from './read-arguments.ts';
import { toTimeParts } from './time-parts.ts';

/** What the policies say, and which of them made it so. */
export interface PolicyDecision {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** For a person and a model; empty for allow. */
  readonly reason: string;
  /** Ids of the policies that decided; none where nothing permits. */
  readonly policies: readonly string[];
  readonly version: string;
}

export type SinksOf = (call: Call) => readonly SinkClass[];

export type UseAction = 'call' | 'release';

/** The policies of one server, or of one tool that a scope names, ready to decide. */
interface Slice {
  /** Names of Cedar's preparsed sets: all of it, and what does not depend on the call. */
  readonly all: string;
  readonly standing: string;
  readonly isPerCall: boolean;
  readonly namesTools: boolean;
  readonly readsSinks: boolean;
  readonly onRelease: boolean;
  /** A permit may still come from a policy that depends on the call. */
  readonly mayPermitPerCall: boolean;
  readonly shape: ArgumentShape;
}

/** What is remembered of one caller. */
interface CallerMemory {
  readonly entity: EntityJson;
  readonly decisions: Map<string, PolicyDecision>;
  readonly seen: Map<string, boolean>;
}

/** Callers, and tools per caller, whose decisions are kept; more and it starts anew. */
const MAX_CALLERS = 2_000;
const MAX_TOOLS = 2_000;

let engines = 0;

/**
 * Decides by compiled policies. A decision that does not depend on the call is kept, and costs two look-ups the next
 * time; the others take about 0.2 ms in Cedar. `use` swaps the policies: everything kept is forgotten in the same step.
 */
export class PolicyEngine {
  readonly #cedar: CedarLibrary;
  readonly #clock: Clock;
  readonly #engine = ++engines;
  #compiled: CompiledPolicies;
  #byId = new Map<string, Policy>();
  /** By server, and by `server/name` for the tools that scopes name. Names of servers hold no slash. */
  #slices = new Map<string, Slice>();
  #namedTools: ReadonlySet<string> = new Set();
  #callers = new Map<string, CallerMemory>();
  /** By identity, in front of the maps whose keys must be made first. */
  #known = new WeakMap<Principal, CallerMemory>();
  readonly #tools = new WeakMap<Tool, ToolFacts>();
  readonly #sinksOf: SinksOf;

  /** @param ports `sinksOf` gives the effects of a call, those its arguments tell of included; left out: those of its tool */
  constructor(
    cedar: CedarLibrary,
    compiled: CompiledPolicies,
    ports: { readonly clock: Clock; readonly sinksOf?: SinksOf | undefined },
  ) {
    this.#cedar = cedar;
    this.#clock = ports.clock;
    this.#sinksOf = ports.sinksOf ?? (({ tool }) => tool.sinks);
    this.#compiled = compiled;
    this.use(compiled);
  }

  get version(): string {
    return this.#compiled.version;
  }

  use(compiled: CompiledPolicies): void {
    this.#compiled = compiled;
    this.#byId = new Map(compiled.policies.map((policy) => [policy.id, policy]));
    this.#slices = new Map();
    this.#namedTools = new Set(compiled.policies.flatMap(({ tool }) => tool ?? []));
    this.#callers = new Map();
    this.#known = new WeakMap();
  }

  /** Is this tool there for this caller? Not where it is hidden, and not where every call of it would be denied. */
  maySee(principal: Principal, tool: Tool): boolean {
    const facts = this.#facts(tool);
    const slice = this.#slice(tool, facts);
    const caller = this.#caller(principal);
    const key = slice.namesTools ? facts.key : facts.kindKey;
    let seen = caller.seen.get(key);
    if (seen === undefined) {
      seen = this.#look(slice, caller, facts);
      remember(caller.seen, key, seen);
    }
    return seen;
  }

  decide(action: UseAction, call: Call): PolicyDecision {
    const { tool } = call;
    const approved = this.#facts(tool);
    const slice = this.#slice(tool, approved);
    const caller = this.#caller(call.client.principal);
    const facts = slice.readsSinks ? this.#factsOf(call, approved) : approved;
    if (slice.isPerCall) {
      const context = this.#context(slice, call);
      return typeof context === 'string'
        ? this.#unreadable(tool, context)
        : this.#ask(action, slice.all, { caller, facts, context });
    }
    const key = slice.namesTools ? facts.key : facts.kindKey;
    const full = action === 'call' ? key : `release ${key}`;
    let decision = caller.decisions.get(full);
    if (decision === undefined) {
      // No policy of the slice reads the context, which makes this one as good as any.
      decision = this.#ask(action, slice.all, { caller, facts, context: NO_CONTEXT });
      remember(caller.decisions, full, decision);
    }
    return decision;
  }

  /** The decision where it is the same whatever the call brings; `undefined`: it depends on the call. */
  decideStanding(call: Call): PolicyDecision | undefined {
    const facts = this.#facts(call.tool);
    const slice = this.#slice(call.tool, facts);
    if (!slice.isPerCall) return this.decide('call', call);
    const caller = this.#caller(call.client.principal);
    const decision = this.#ask('call', slice.standing, { caller, facts, context: NO_CONTEXT });
    const isFinal = decision.effect === 'deny' && (decision.policies.length > 0 || !slice.mayPermitPerCall);
    return isFinal ? decision : undefined;
  }

  /** Does a policy about this tool speak of results? */
  readsResult(tool: Tool): boolean {
    return this.#slice(tool, this.#facts(tool)).onRelease;
  }

  /** A policy whose scope names another tool can say nothing here, and what it reads of a call need not be read. */
  #slice({ upstream }: Tool, { id }: ToolFacts): Slice {
    const named = this.#namedTools.has(id) ? id : undefined;
    const key = named ?? upstream;
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const policies = sliceOf(this.#compiled.policies, upstream).filter(
      ({ tool }) => tool === undefined || tool === named,
    );
    const standing = policies.filter((policy) => !policy.isPerCall);
    const slice: Slice = {
      all: this.#prepare(`${key}/all`, policies),
      standing: this.#prepare(`${key}/standing`, standing),
      isPerCall: standing.length < policies.length,
      namesTools: policies.some((policy) => policy.namesTools),
      readsSinks: policies.some((policy) => policy.readsSinks),
      onRelease: policies.some((policy) => policy.onRelease),
      mayPermitPerCall: policies.some((policy) => policy.isPerCall && policy.effect === 'permit'),
      shape: joinShapes(policies.map((policy) => policy.shape)).shape,
    };
    // Servers are the operator's; whoever renames them a thousand times gets a thousand small sets.
    this.#slices.set(key, slice);
    return slice;
  }

  /** Cedar keeps sets by name and forgets none: the same names are used again after a reload. */
  #prepare(part: string, policies: readonly Policy[]): string {
    const name = `${this.#engine}/${part}`;
    const staticPolicies = Object.fromEntries(policies.map(({ id, text }) => [id, text]));
    const answer = this.#cedar.preparsePolicySet(name, { staticPolicies });
    if (answer.type === 'failure') throw new Error(`the policies cannot be prepared: ${answer.errors[0]?.message}`);
    return name;
  }

  #caller(principal: Principal): CallerMemory {
    const known = this.#known.get(principal);
    if (known !== undefined) return known;
    // Two tokens of one caller are two objects: equal facts share their decisions.
    const entity = toPrincipalEntity(principal);
    const key = JSON.stringify(entity);
    let caller = this.#callers.get(key);
    if (caller === undefined) {
      caller = { entity, decisions: new Map(), seen: new Map() };
      remember(this.#callers, key, caller, MAX_CALLERS);
    }
    this.#known.set(principal, caller);
    return caller;
  }

  #facts(tool: Tool): ToolFacts {
    let facts = this.#tools.get(tool);
    if (facts === undefined) {
      facts = toToolFacts(tool);
      this.#tools.set(tool, facts);
    }
    return facts;
  }

  /** An effect that only the arguments tell of is one all the same. */
  #factsOf(call: Call, approved: ToolFacts): ToolFacts {
    const { tool } = call;
    const sinks = this.#sinksOf(call);
    return sinks === tool.sinks ? approved : toToolFacts({ ...tool, sinks });
  }

  /** What the call itself brings; a text says why it cannot be read. */
  #context(slice: Slice, { arguments: given, client }: Call): Context | string {
    const read = readArguments(slice.shape, given);
    if (read.kind === 'misfit') return read.problem;
    return { ...NO_CONTEXT, arguments: read.values, client: { ...client.info }, time: toTimeParts(this.#clock.now()) };
  }

  #look(slice: Slice, caller: CallerMemory, facts: ToolFacts): boolean {
    const hidden = this.#evaluate('discover', slice.standing, { caller, facts, context: {} });
    if (hidden.type !== 'success' || hidden.response.diagnostics.errors.length > 0) return false;
    if (hidden.response.decision !== 'allow') return false;
    const use = this.#evaluate('call', slice.standing, { caller, facts, context: NO_CONTEXT });
    if (use.type !== 'success' || use.response.diagnostics.errors.length > 0) return false;
    if (use.response.decision === 'allow') return true;
    // Denied by a forbid it stays denied; where only a permit is missing, the call may bring one.
    return use.response.diagnostics.reason.length === 0 && slice.mayPermitPerCall;
  }

  #ask(action: UseAction, set: string, request: Request): PolicyDecision {
    const answer = this.#evaluate(action, set, request);
    const { name } = request.facts.entity.attrs as { readonly name: string };
    if (answer.type !== 'success') return this.#deny(name, 'the policies could not be evaluated', []);
    const { decision, diagnostics } = answer.response;
    const decided = diagnostics.reason.flatMap((id) => this.#byId.get(id) ?? []);
    const policies = decided.map(({ id }) => id).sort();
    // Fail closed: Cedar leaves a policy out that meets an error, and it might have been the forbid.
    const broken = diagnostics.errors.map(({ policyId }) => policyId);
    if (broken.length > 0) return this.#deny(name, `the policy ${broken.join(', ')} could not be evaluated`, broken);
    if (decision === 'allow') return this.#allow(decided, policies);
    if (decided.length > 0) {
      const reasons = decided.flatMap(({ reason }) => reason ?? []);
      const reason = reasons.length > 0 ? reasons.join(' ') : `The policy ${policies.join(', ')} forbids it.`;
      return { effect: 'deny', reason, policies, version: this.version };
    }
    // A result was called for and permitted: only a forbid holds it back.
    if (action === 'release') return { effect: 'allow', reason: '', policies: [], version: this.version };
    return {
      effect: 'deny',
      reason: `No policy permits the tool "${shorten(name)}" for this caller. Use another tool, or ask the operator for a permit.`,
      policies: [],
      version: this.version,
    };
  }

  #allow(decided: readonly Policy[], policies: readonly string[]): PolicyDecision {
    const asking = decided.filter(({ asks }) => asks);
    if (asking.length === 0) return { effect: 'allow', reason: '', policies, version: this.version };
    const reasons = asking.map(({ id, reason }) => reason ?? `The policy ${id} wants a person to agree.`);
    return {
      effect: 'ask',
      reason: reasons.join(' '),
      policies: asking.map(({ id }) => id).sort(),
      version: this.version,
    };
  }

  #unreadable({ name }: Tool, problem: string): PolicyDecision {
    return this.#deny(name, `${problem}, which a policy reads. Correct it and call again`, []);
  }

  #deny(name: string, why: string, policies: readonly string[]): PolicyDecision {
    return {
      effect: 'deny',
      reason: `The tool "${shorten(name)}" was not called: ${why}.`,
      policies,
      version: this.version,
    };
  }

  #evaluate(action: UseAction | 'discover', set: string, { caller, facts, context }: Request): AuthorizationAnswer {
    return this.#cedar.statefulIsAuthorized({
      principal: caller.entity.uid,
      action: { type: 'Action', id: action },
      resource: facts.entity.uid,
      context,
      preparsedPolicySetId: set,
      entities: [caller.entity, facts.entity, ...ACTIONS],
    });
  }
}

type Context = Parameters<CedarLibrary['statefulIsAuthorized']>[0]['context'];

interface Request {
  readonly caller: CallerMemory;
  readonly facts: ToolFacts;
  readonly context: Context;
}

/** `Action::"use"` stands for the three; without a schema at hand Cedar must be told. */
const ACTIONS: readonly EntityJson[] = ['discover', 'call', 'release'].map((id) => ({
  uid: { type: 'Action', id },
  attrs: {},
  parents: [{ type: 'Action', id: 'use' }],
}));

const NO_CONTEXT: Context = {
  arguments: {},
  labels: [],
  client: { name: '', version: '' },
  time: { hour: 0, minute: 0, weekday: '', epochSeconds: 0 },
};

function shorten(name: string): string {
  return name.slice(0, 128);
}

/** Flooding a bounded map must cost evaluations, never memory. */
function remember<V>(map: Map<string, V>, key: string, value: V, max = MAX_TOOLS): void {
  if (map.size >= max) map.clear();
  map.set(key, value);
}
