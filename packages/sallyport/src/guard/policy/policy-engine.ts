import { isPlainUri } from '../../config/allowed.ts';
import type { Offer } from '../../core/access.ts';
import type { Tool } from '../../core/call.ts';
import type { Client } from '../../core/client.ts';
import type { Clock } from '../../core/clock.ts';
import { type Envelope, toolOf } from '../../core/envelope.ts';
import { joinSentences } from '../../core/join-sentences.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PolicyDecision } from '../../core/policy-decision.ts';
import type { Principal } from '../../core/principal.ts';
import type { SinkClass } from '../../core/sink.ts';
import type { AuthorizationAnswer, CedarLibrary, EntityJson } from './cedar.ts';
import type { CompiledPolicies, Policy } from './compile-policies.ts';
import { type Facts, toOfferFacts, toPrincipalEntity, toToolFacts } from './entities.ts';
import { PolicySlices, type Slice } from './policy-slices.ts';
import { readArguments } from './read-arguments.ts';
import { ACTIONS } from './schema.ts';
import { toTimeParts } from './time-parts.ts';

export type SinksOf = (call: Envelope) => readonly SinkClass[];

/** The marks that data carries in the run, by its name. */
export type LabelsOf = (run: string) => readonly string[];

/** A resource that is read or a prompt that is got, as a call is of a tool. */
export interface OfferUse {
  readonly offer: Offer;
  readonly client: Client;
  /** Left out: the client's own. */
  readonly run?: string | undefined;
  /** Of the prompt. */
  readonly arguments: JsonObject;
}

export interface EnginePorts {
  readonly clock: Clock;
  /** The effects of a call, those its arguments tell of included; left out: those of its tool. */
  readonly sinksOf?: SinksOf | undefined;
  /** Left out: nothing is marked. */
  readonly labelsOf?: LabelsOf | undefined;
}

type UseAction = 'call' | 'read' | 'get' | 'release';
type Action = UseAction | 'list';

/** What is remembered of one caller. */
interface CallerMemory {
  readonly entity: EntityJson;
  /** By action, so that no key has to be put together for each call. */
  readonly decisions: Readonly<Record<Action, Map<string, PolicyDecision>>>;
  readonly seen: Map<string, boolean>;
}

/** Callers, and things per caller, whose decisions are kept; more and it starts anew. */
const MAX_CALLERS = 2_000;
const MAX_KEPT = 2_000;
/** Characters: URIs come from clients, and may be as long as a message. */
const MAX_KEY = 1_024;

const NO_SINKS: SinksOf = (call) => toolOf(call).sinks;
const NO_LABELS: LabelsOf = () => [];

/**
 * Decides by compiled policies. A decision that does not depend on the call is kept, and costs two look-ups the next
 * time; the others are made in Cedar.
 */
export class PolicyEngine {
  readonly #cedar: CedarLibrary;
  readonly #ports: Required<{ [Key in keyof EnginePorts]: NonNullable<EnginePorts[Key]> }>;
  readonly #slices: PolicySlices;
  readonly #byId: ReadonlyMap<string, Policy>;
  readonly #callers = new Map<string, CallerMemory>();
  /** By identity, in front of the maps whose keys must be made first. */
  readonly #known = new WeakMap<Principal, CallerMemory>();
  readonly #tools = new WeakMap<Tool, Facts>();

  constructor(cedar: CedarLibrary, policies: CompiledPolicies | PolicySlices, ports: EnginePorts) {
    this.#cedar = cedar;
    this.#ports = { clock: ports.clock, sinksOf: ports.sinksOf ?? NO_SINKS, labelsOf: ports.labelsOf ?? NO_LABELS };
    this.#slices = policies instanceof PolicySlices ? policies : new PolicySlices(cedar, policies);
    this.#byId = new Map(this.#slices.compiled.policies.map((policy) => [policy.id, policy]));
  }

  get version(): string {
    return this.#slices.compiled.version;
  }

  /** Is this tool there for this caller? Not where it is hidden, and not where every call of it would be denied. */
  maySee(principal: Principal, tool: Tool): boolean {
    const facts = this.#facts(tool);
    return this.#see('call', this.#slices.of(tool.upstream, facts.id), { caller: this.#caller(principal), facts });
  }

  /** Why `maySee` says no: what hides the tool, else what denies every call of it. */
  whyHidden(principal: Principal, tool: Tool): PolicyDecision {
    const facts = this.#facts(tool);
    const slice = this.#slices.of(tool.upstream, facts.id);
    const { list } = this.#caller(principal).decisions;
    const known = list.get(facts.key);
    if (known !== undefined) return known;
    const request = { caller: this.#caller(principal), facts, context: NO_CONTEXT };
    const listed = this.#ask('list', slice.standing, request);
    const decision = listed.effect === 'deny' ? listed : this.#ask('call', slice.standing, request);
    remember(list, facts.key, decision);
    return decision;
  }

  /** The same of a resource or prompt. */
  mayReach(principal: Principal, offer: Offer): boolean {
    if (this.#isAmbiguous(offer)) return false;
    const facts = toOfferFacts(offer);
    const slice = this.#slices.of(offer.upstream, facts.id);
    return this.#see(actionOf(offer), slice, { caller: this.#caller(principal), facts });
  }

  decide(action: 'call' | 'release', call: Envelope): PolicyDecision {
    const { client, run } = call;
    const tool = toolOf(call);
    const approved = this.#facts(tool);
    const slice = this.#slices.of(tool.upstream, approved.id);
    const facts = slice.readsSinks ? this.#factsOf(call, approved) : approved;
    return this.#decide(action, slice, { facts, client, run, arguments: call.body });
  }

  /** Before a resource is read or a prompt is got, and before what came of it is released. */
  decideOffer(
    phase: 'use' | 'release',
    { offer, client, run = client.key, arguments: given }: OfferUse,
  ): PolicyDecision {
    const facts = toOfferFacts(offer);
    if (this.#isAmbiguous(offer))
      return this.#deny(facts, 'its URI can be read in more than one way, and policies tell URIs apart', []);
    const slice = this.#slices.of(offer.upstream, facts.id);
    return this.#decide(phase === 'use' ? actionOf(offer) : phase, slice, { facts, client, run, arguments: given });
  }

  /** `file:///open/../secrets` is like what one rule permits and is what another forbids. */
  #isAmbiguous({ kind, upstream, id }: Offer): boolean {
    return kind === 'resource' && this.#slices.namesUris(upstream) && !isPlainUri(id);
  }

  /** The decision where the arguments cannot change it; `undefined`: it depends on them. */
  decideWithoutArguments(call: Envelope): PolicyDecision | undefined {
    const facts = this.#facts(toolOf(call));
    const slice = this.#slices.of(call.upstream, facts.id);
    if (!slice.reads.has('arguments')) return this.decide('call', call);
    const caller = this.#caller(call.client.principal);
    const context = this.#circumstances(call);
    const decision = this.#ask('call', slice.withoutArguments, { caller, facts, context });
    const isFinal = decision.effect === 'deny' && (decision.policies.length > 0 || !slice.mayPermitByArguments);
    return isFinal ? decision : undefined;
  }

  /** The policies that can say something about this tool, resource or prompt. */
  policiesAbout(about: Tool | Offer): readonly Policy[] {
    const { id } = 'kind' in about ? toOfferFacts(about) : this.#facts(about);
    return this.#slices.of(about.upstream, id).policies;
  }

  /** Does a policy about this tool speak of results? */
  readsResult(tool: Tool): boolean {
    return this.#slices.of(tool.upstream, this.#facts(tool).id).onRelease;
  }

  #see(action: UseAction, slice: Slice, { caller, facts }: Omit<Request, 'context'>): boolean {
    const key = slice.namesItems ? facts.key : facts.kindKey;
    let seen = caller.seen.get(key);
    if (seen === undefined) {
      seen = this.#look(action, slice, { caller, facts });
      remember(caller.seen, key, seen);
    }
    return seen;
  }

  #decide(action: UseAction, slice: Slice, use: Use): PolicyDecision {
    const { facts, client } = use;
    const caller = this.#caller(client.principal);
    if (slice.reads.size > 0) {
      const context = this.#context(slice, use);
      return typeof context === 'string'
        ? this.#deny(facts, `${context}, which a policy reads. Correct it and call again`, [])
        : this.#ask(action, slice.all, { caller, facts, context });
    }
    const key = slice.namesItems ? facts.key : facts.kindKey;
    const kept = caller.decisions[action];
    let decision = kept.get(key);
    if (decision === undefined) {
      // No policy of the slice reads the context, which makes this one as good as any.
      decision = this.#ask(action, slice.all, { caller, facts, context: NO_CONTEXT });
      remember(kept, key, decision);
    }
    return decision;
  }

  #caller(principal: Principal): CallerMemory {
    const known = this.#known.get(principal);
    if (known !== undefined) return known;
    // Two tokens of one caller are two objects: equal facts share their decisions.
    const entity = toPrincipalEntity(principal);
    const key = JSON.stringify(entity);
    let caller = this.#callers.get(key);
    if (caller === undefined) {
      const decisions = { list: new Map(), call: new Map(), read: new Map(), get: new Map(), release: new Map() };
      caller = { entity, decisions, seen: new Map() };
      if (this.#callers.size >= MAX_CALLERS) this.#callers.clear();
      this.#callers.set(key, caller);
    }
    this.#known.set(principal, caller);
    return caller;
  }

  #facts(tool: Tool): Facts {
    let facts = this.#tools.get(tool);
    if (facts === undefined) {
      facts = toToolFacts(tool);
      this.#tools.set(tool, facts);
    }
    return facts;
  }

  /** An effect that only the arguments tell of is one all the same. */
  #factsOf(call: Envelope, approved: Facts): Facts {
    const tool = toolOf(call);
    const sinks = this.#ports.sinksOf(call);
    return sinks === tool.sinks ? approved : toToolFacts({ ...tool, sinks });
  }

  /** What the call itself brings; a text says why it cannot be read. */
  #context(slice: Slice, use: Use): Context | string {
    const read = readArguments(slice.shape, use.arguments);
    return read.kind === 'misfit' ? read.problem : { ...this.#circumstances(use), arguments: read.values };
  }

  #circumstances({ client, run }: Pick<Use, 'client' | 'run'>): Context {
    const { labelsOf, clock } = this.#ports;
    const { name, version } = client.info;
    return {
      arguments: {},
      labels: [...labelsOf(run)],
      client: { name, version },
      time: toTimeParts(clock.now()),
    };
  }

  #look(action: UseAction, slice: Slice, request: Omit<Request, 'context'>): boolean {
    const listed = this.#evaluate('list', slice.standing, { ...request, context: {} });
    if (listed.type !== 'success' || listed.response.diagnostics.errors.length > 0) return false;
    if (listed.response.decision !== 'allow') return false;
    const use = this.#evaluate(action, slice.standing, { ...request, context: NO_CONTEXT });
    if (use.type !== 'success' || use.response.diagnostics.errors.length > 0) return false;
    if (use.response.decision === 'allow') return true;
    // Denied by a forbid it stays denied; where only a permit is missing, the call may bring one.
    return use.response.diagnostics.reason.length === 0 && slice.mayPermitPerCall;
  }

  #ask(action: Action, set: string, request: Request): PolicyDecision {
    const answer = this.#evaluate(action, set, request);
    const { facts } = request;
    if (answer.type !== 'success') return this.#deny(facts, 'the policies could not be evaluated', []);
    const { decision, diagnostics } = answer.response;
    const decided = diagnostics.reason.flatMap((id) => this.#byId.get(id) ?? []);
    const policies = decided.map(({ id }) => id).sort();
    // Fail closed: Cedar leaves a policy out that meets an error, and it might have been the forbid.
    const broken = diagnostics.errors.map(({ policyId }) => policyId);
    if (broken.length > 0) return this.#deny(facts, `the policy ${broken.join(', ')} could not be evaluated`, broken);
    const { version } = this;
    if (decision === 'allow') return this.#allow(decided, policies);
    if (decided.length > 0) {
      const reasons = decided.flatMap(({ reason }) => reason ?? []);
      const reason = reasons.length > 0 ? joinSentences(reasons) : `The policy ${policies.join(', ')} forbids it.`;
      return { effect: 'deny', reason, policies, version };
    }
    // A result was called for and permitted: only a forbid holds it back.
    if (action === 'release') return { effect: 'allow', reason: '', policies: [], version };
    const reason = `No policy permits the ${facts.title} for this caller. Use another one, or ask the operator for a permit.`;
    return { effect: 'deny', reason, policies: [], version };
  }

  #allow(decided: readonly Policy[], policies: readonly string[]): PolicyDecision {
    const { version } = this;
    const asking = decided.filter(({ asks }) => asks);
    if (asking.length === 0) return { effect: 'allow', reason: '', policies, version };
    const reasons = asking.map(({ id, reason }) => reason ?? `The policy ${id} wants a person to agree.`);
    const ids = asking.map(({ id }) => id).sort();
    const decision: PolicyDecision = { effect: 'ask', reason: joinSentences(reasons), policies: ids, version };
    return asking.some(({ people }) => people === 2) ? { ...decision, people: 2 } : decision;
  }

  #deny({ title }: Facts, why: string, policies: readonly string[]): PolicyDecision {
    return { effect: 'deny', reason: `The ${title} was not used: ${why}.`, policies, version: this.version };
  }

  #evaluate(action: Action, set: string, { caller, facts, context }: Request): AuthorizationAnswer {
    return this.#cedar.statefulIsAuthorized({
      principal: caller.entity.uid,
      action: { type: 'Action', id: action },
      resource: facts.entity.uid,
      context,
      preparsedPolicySetId: set,
      entities: [caller.entity, facts.entity, ...ACTION_ENTITIES],
    });
  }
}

type Context = Parameters<CedarLibrary['statefulIsAuthorized']>[0]['context'];

/** What is used, by whom, and with what. */
interface Use {
  readonly facts: Facts;
  readonly client: Client;
  readonly run: string;
  readonly arguments: JsonObject;
}

interface Request {
  readonly caller: CallerMemory;
  readonly facts: Facts;
  readonly context: Context;
}

function actionOf({ kind }: Offer): 'read' | 'get' {
  return kind === 'resource' ? 'read' : 'get';
}

/** `Action::"use"` stands for all of them; without a schema at hand Cedar must be told. */
const ACTION_ENTITIES: readonly EntityJson[] = ACTIONS.map((id) => ({
  uid: { type: 'Action', id },
  attrs: {},
  parents: [{ type: 'Action', id: 'use' }],
}));

const NO_CONTEXT: Context = {
  arguments: {},
  labels: [],
  client: { name: '', version: '' },
  time: toTimeParts(0),
};

/** Flooding a bounded map must cost evaluations, never memory. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (key.length > MAX_KEY) return;
  if (map.size >= MAX_KEPT) map.clear();
  map.set(key, value);
}
