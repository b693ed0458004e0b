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
import type { CedarLibrary, EntityJson } from './cedar.ts';
import type { CompiledPolicies, Policy } from './compile-policies.ts';
import { type Facts, toOfferFacts, toPrincipalEntity, toToolFacts } from './entities.ts';
import { Budget, KeptDecisions } from './kept-decisions.ts';
import { isAllowed, mergeAnswers, NO_ANSWER, type PolicyAnswer, toPolicyAnswer } from './merge-answers.ts';
import { type CallerScope, type Extent, PolicySlices, type Slice, type SlicePart } from './policy-slices.ts';
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

/** What is known of one caller. */
interface Caller {
  readonly entity: EntityJson;
  readonly scope: CallerScope;
  /** Equal ones: policies cannot tell the two apart. */
  readonly key: string;
  /** Shared with those who have the same key. */
  readonly kept: KeptDecisions;
}

/** Callers that policies tell apart, and whose decisions are kept; more and it starts anew. */
const MAX_CALLERS = 2_000;

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
  readonly #kept = new Map<string, KeptDecisions>();
  readonly #budget = new Budget();
  /** By identity, in front of the maps whose keys must be made first. */
  readonly #known = new WeakMap<Principal, Caller>();
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

  /** Equal texts: policies decide alike for the two callers. */
  keyOf(principal: Principal): string {
    return this.#caller(principal).key;
  }

  /** Is this tool there for this caller? Not where it is hidden, and not where every call of it would be denied. */
  maySee(principal: Principal, tool: Tool): boolean {
    const [facts, caller] = [this.#facts(tool), this.#caller(principal)];
    return this.#see('call', this.#slices.of(caller.scope, tool.upstream, facts.id), { caller, facts });
  }

  /** Why `maySee` says no: what hides the tool, else what denies every call of it. */
  whyHidden(principal: Principal, tool: Tool): PolicyDecision {
    const [facts, caller] = [this.#facts(tool), this.#caller(principal)];
    const slice = this.#slices.of(caller.scope, tool.upstream, facts.id);
    const known = caller.kept.get<PolicyDecision>('list', facts.key);
    if (known !== undefined) return known;
    const listed = this.#toDecision('list', this.#standing('list', slice, { caller, facts }), facts);
    const decision =
      listed.effect === 'deny'
        ? listed
        : this.#toDecision('call', this.#standing('call', slice, { caller, facts }), facts);
    caller.kept.keep('list', facts.key, decision);
    return decision;
  }

  /** The same of a resource or prompt. */
  mayReach(principal: Principal, offer: Offer): boolean {
    if (this.#isAmbiguous(offer)) return false;
    const [facts, caller] = [toOfferFacts(offer), this.#caller(principal)];
    return this.#see(actionOf(offer), this.#slices.of(caller.scope, offer.upstream, facts.id), { caller, facts });
  }

  decide(action: 'call' | 'release', call: Envelope): PolicyDecision {
    const { client, run } = call;
    const tool = toolOf(call);
    const approved = this.#facts(tool);
    const slice = this.#slices.of(this.#caller(client.principal).scope, tool.upstream, approved.id);
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
    const slice = this.#slices.of(this.#caller(client.principal).scope, offer.upstream, facts.id);
    return this.#decide(phase === 'use' ? actionOf(offer) : phase, slice, { facts, client, run, arguments: given });
  }

  /** `file:///open/../secrets` is like what one rule permits and is what another forbids. */
  #isAmbiguous({ kind, upstream, id }: Offer): boolean {
    return kind === 'resource' && this.#slices.namesUris(upstream) && !isPlainUri(id);
  }

  /** The decision where the arguments cannot change it; `undefined`: it depends on them. */
  decideWithoutArguments(call: Envelope): PolicyDecision | undefined {
    const [facts, caller] = [this.#facts(toolOf(call)), this.#caller(call.client.principal)];
    const slice = this.#slices.of(caller.scope, call.upstream, facts.id);
    if (!slice.reads.has('arguments')) return this.decide('call', call);
    const request = { caller, facts, context: this.#circumstances(call) };
    const decision = this.#toDecision('call', this.#ask('call', slice, 'withoutArguments', request), facts);
    const isFinal = decision.effect === 'deny' && (decision.policies.length > 0 || !slice.mayPermitByArguments);
    return isFinal ? decision : undefined;
  }

  /** The policies that can say something about this tool, resource or prompt. */
  policiesAbout(about: Tool | Offer): readonly Policy[] {
    const { id } = 'kind' in about ? toOfferFacts(about) : this.#facts(about);
    return this.#slices.about(about.upstream, id).policies;
  }

  /** Does a policy about this tool speak of results? */
  readsResult(tool: Tool): boolean {
    return this.#slices.about(tool.upstream, this.#facts(tool).id).onRelease;
  }

  #see(action: UseAction, slice: Slice, request: Asked): boolean {
    const { kept } = request.caller;
    const key = slice.namesItems ? request.facts.key : request.facts.kindKey;
    let seen = kept.get<boolean>('see', key);
    if (seen === undefined) {
      seen = this.#look(action, slice, request);
      kept.keep('see', key, seen);
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
        : this.#toDecision(action, this.#ask(action, slice, 'perCall', { caller, facts, context }), facts);
    }
    const key = slice.namesItems ? facts.key : facts.kindKey;
    let decision = caller.kept.get<PolicyDecision>(action, key);
    if (decision === undefined) {
      decision = this.#toDecision(action, this.#standing(action, slice, { caller, facts }), facts);
      caller.kept.keep(action, key, decision);
    }
    return decision;
  }

  /** Two tokens of one caller are two objects, and two callers may be alike: equal keys share their decisions. */
  #caller(principal: Principal): Caller {
    const known = this.#known.get(principal);
    if (known !== undefined) return known;
    const entity = toPrincipalEntity(principal);
    const key = this.#slices.keys.of(entity);
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = new KeptDecisions(this.#budget);
      if (this.#kept.size >= MAX_CALLERS) this.#kept.clear();
      this.#kept.set(key, kept);
    }
    const caller = { entity, key, kept, scope: this.#slices.scopeOf(entity) };
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

  #look(action: UseAction, slice: Slice, request: Asked): boolean {
    if (!isAllowed(this.#standing('list', slice, request))) return false;
    const use = this.#standing(action, slice, request);
    if (isAllowed(use)) return true;
    if (!use.isEvaluated || use.broken.length > 0) return false;
    // Denied by a forbid it stays denied; where only a permit is missing, the call may bring one.
    return use.forbids.length === 0 && slice.mayPermitPerCall;
  }

  /** What does not depend on the call, and what does. */
  #ask(action: Action, slice: Slice, extent: Extent, request: Request): PolicyAnswer {
    return slice.parts.reduce(
      (answer, part) => mergeAnswers(answer, this.#evaluate(action, part.set(extent), request)),
      this.#standing(action, slice, request),
    );
  }

  #standing(action: Action, slice: Slice, request: Asked): PolicyAnswer {
    return slice.parts.reduce((answer, part) => mergeAnswers(answer, this.#keptOf(action, part, request)), NO_ANSWER);
  }

  /** A part that names no item decides once for all tools that are alike. */
  #keptOf(action: Action, part: SlicePart, { caller, facts }: Asked): PolicyAnswer {
    const key = `${action} ${part.namesItems ? facts.key : facts.kindKey}`;
    let answer = caller.kept.get<PolicyAnswer>(part, key);
    if (answer === undefined) {
      // No policy of it reads the context, which makes this one as good as any.
      const context = action === 'list' ? {} : NO_CONTEXT;
      answer = this.#evaluate(action, part.set('standing'), { caller, facts, context });
      caller.kept.keep(part, key, answer);
    }
    return answer;
  }

  #toDecision(action: Action, { isEvaluated, permits, forbids, broken }: PolicyAnswer, facts: Facts): PolicyDecision {
    if (!isEvaluated) return this.#deny(facts, 'the policies could not be evaluated', []);
    const decided = (forbids.length > 0 ? forbids : permits).flatMap((id) => this.#byId.get(id) ?? []);
    const policies = decided.map(({ id }) => id).sort();
    // Fail closed: Cedar leaves a policy out that meets an error, and it might have been the forbid.
    if (broken.length > 0) return this.#deny(facts, `the policy ${broken.join(', ')} could not be evaluated`, broken);
    const { version } = this;
    if (forbids.length === 0 && permits.length > 0) return this.#allow(decided, policies);
    if (forbids.length > 0) {
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

  #evaluate(action: Action, set: string | undefined, { caller, facts, context }: Request): PolicyAnswer {
    if (set === undefined) return NO_ANSWER;
    return toPolicyAnswer(
      this.#cedar.statefulIsAuthorized({
        principal: caller.entity.uid,
        action: { type: 'Action', id: action },
        resource: facts.entity.uid,
        context,
        preparsedPolicySetId: set,
        entities: [caller.entity, facts.entity, ...ACTION_ENTITIES],
      }),
    );
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

interface Asked {
  readonly caller: Caller;
  readonly facts: Facts;
}

interface Request extends Asked {
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
