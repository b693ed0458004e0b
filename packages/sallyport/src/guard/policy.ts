import type { Snapshot } from '../config/settings.ts';
import type { Access } from '../core/access.ts';
import type { Call, Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import type { PolicyDecision, PolicyNotes } from '../core/policy-decision.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { OfferUse, PolicyEngine } from './policy/policy-engine.ts';
import { type Of, snapshotOf } from './snapshot-of.ts';

export interface PolicyPorts {
  /** `undefined`: there are no policies, and everything is permitted. */
  readonly engine: Of<PolicyEngine | undefined>;
  /** `shadow`: decisions are noted and stop nothing. */
  readonly mode: Of<'enforce' | 'shadow'>;
  /** Policies that are only tried: what they say is noted. Left out: none. */
  readonly candidate?: Of<PolicyEngine | undefined> | undefined;
  /** Told of a decision that was not carried out although it would have changed something. */
  readonly onTried?: ((about: string, tried: Tried) => void) | undefined;
}

export interface Tried {
  /** Of policies in shadow mode, or of candidates. */
  readonly by: 'shadow' | 'candidate';
  readonly decision: PolicyDecision;
  /** What happened instead. */
  readonly instead: PolicyDecision['effect'];
  readonly upstream: string;
  readonly target: string;
}

/** What the policies permit: before the call, and before the result where a policy speaks of results. */
export function policy(ports: PolicyPorts): Guard {
  const about = (call: Call): About => ({
    callId: call.id,
    notes: call.notes,
    upstream: call.tool.upstream,
    target: call.tool.name,
    snapshot: snapshotOf(call),
  });
  return {
    name: 'policy',
    request(call) {
      if (ports.engine(snapshotOf(call)) === undefined) return ALLOW;
      const decision = judge(ports, (engine) => engine.decide('call', call), about(call));
      if (decision.effect === 'ask')
        return { kind: 'ask', reason: decision.reason, classes: call.tool.sinks, people: decision.people };
      return toVerdict(decision);
    },
    readsResult: (call) => ports.engine(snapshotOf(call))?.readsResult(call.tool) === true,
    result(call) {
      if (ports.engine(snapshotOf(call)) === undefined) return ALLOW;
      return toVerdict(judgeRelease(ports, (engine) => engine.decide('release', call), about(call)));
    },
  };
}

/** The same for reading a resource and getting a prompt, which have no other guards. */
export interface OfferDoor {
  /** Policies decide now, and what they do not speak of is not permitted. */
  areEnforced(snapshot: Snapshot): boolean;
  /** Notes why a tool is not there for this caller. @returns what was noted; `undefined`: no policy hides it. */
  noteHidden(
    tool: Tool,
    client: Client,
    about: Pick<About, 'snapshot'> & { readonly notes: PolicyNotes },
  ): PolicyDecision | undefined;
  /** `undefined`: there are no policies, and nothing to ask. */
  before(use: OfferUse, about: OfferAbout): Verdict | undefined;
  after(use: OfferUse, about: OfferAbout): Verdict | undefined;
}

export type OfferAbout = Pick<About, 'callId' | 'notes' | 'snapshot'>;

export function policyOffers(ports: PolicyPorts): OfferDoor {
  const ask = (judged: typeof judge, phase: 'use' | 'release') => (use: OfferUse, about: OfferAbout) => {
    if (ports.engine(about.snapshot) === undefined) return undefined;
    const place = { ...about, upstream: use.offer.upstream, target: use.offer.id };
    // Fail closed: what fails denies, as a guard that fails does.
    try {
      return toVerdict(judged(ports, (engine) => engine.decideOffer(phase, use), place));
    } catch {
      return DENIED;
    }
  };
  return {
    areEnforced: (snapshot) => ports.engine(snapshot) !== undefined && ports.mode(snapshot) !== 'shadow',
    before: ask(judge, 'use'),
    after: ask(judgeRelease, 'release'),
    noteHidden(tool, { principal }, { snapshot, notes }) {
      const engine = ports.engine(snapshot);
      if (engine === undefined || ports.mode(snapshot) === 'shadow') return undefined;
      const decision = tryOut(engine, (one) => one.whyHidden(principal, tool));
      if (decision.effect !== 'deny') return undefined;
      notes.policy = decision;
      return decision;
    },
  };
}

const DENIED: Verdict = Object.freeze({
  kind: 'deny',
  code: 'denied',
  reason: 'The policies could not be evaluated, so nothing was done. Ask the operator to look into the log.',
});

/** What is decided about, for records and the log. */
interface About {
  readonly callId: string;
  readonly notes: PolicyNotes | undefined;
  readonly upstream: string;
  readonly target: string;
  /** Whose policies decide; left out: those in force. */
  readonly snapshot?: Snapshot | undefined;
}

type Decide = (engine: PolicyEngine) => PolicyDecision;

const ALLOWED: PolicyDecision = Object.freeze({ effect: 'allow', reason: '', policies: [], version: '' });

/** What holds for the call: the decision, or in shadow mode that everything is allowed. */
function judge(ports: PolicyPorts, decide: Decide, about: About): PolicyDecision {
  const { notes, snapshot } = about;
  const engine = ports.engine(snapshot);
  if (engine === undefined) return ALLOWED;
  const isEnforced = ports.mode(snapshot) !== 'shadow';
  const decision = isEnforced ? decide(engine) : tryOut(engine, decide);
  if (notes !== undefined) {
    notes.policy = decision;
    notes.isEnforced = isEnforced;
  }
  const held = isEnforced ? decision : ALLOWED;
  if (!isEnforced && decision.effect !== 'allow') tell(ports, about, { by: 'shadow', decision, instead: 'allow' });
  const candidate = ports.candidate?.(snapshot);
  if (candidate !== undefined) {
    const other = tryOut(candidate, decide);
    if (notes !== undefined) notes.candidate = other;
    if (other.effect !== held.effect) tell(ports, about, { by: 'candidate', decision: other, instead: held.effect });
  }
  return held;
}

/** Results are judged by the policies in force alone. */
function judgeRelease(ports: PolicyPorts, decide: Decide, about: About): PolicyDecision {
  const engine = ports.engine(about.snapshot);
  if (engine === undefined) return ALLOWED;
  const isEnforced = ports.mode(about.snapshot) !== 'shadow';
  const decision = isEnforced ? decide(engine) : tryOut(engine, decide);
  if (about.notes !== undefined) about.notes.release = decision;
  if (isEnforced) return decision;
  if (decision.effect !== 'allow') tell(ports, about, { by: 'shadow', decision, instead: 'allow' });
  return ALLOWED;
}

function tell(
  { onTried }: PolicyPorts,
  { callId, upstream, target }: About,
  tried: Omit<Tried, 'upstream' | 'target'>,
) {
  onTried?.(callId, { ...tried, upstream, target });
}

/** What fails when it is only tried is noted as the denial it would have been, and stops nothing. */
function tryOut(engine: PolicyEngine, decide: Decide): PolicyDecision {
  try {
    return decide(engine);
  } catch {
    const reason = 'The policies could not be evaluated.';
    return { effect: 'deny', reason, policies: [], version: engine.version };
  }
}

/** Where nobody can be asked, ask is no. */
function toVerdict({ effect, reason }: PolicyDecision): Verdict {
  if (effect === 'allow') return ALLOW;
  const why = effect === 'deny' ? reason : `A person would have to agree, who cannot be asked about this. ${reason}`;
  return { kind: 'deny', code: 'denied', reason: why };
}

/** What the policies hide: lists show only what the caller may use. */
export function policyAccess(
  { engine, mode }: { engine: () => PolicyEngine | undefined; mode: () => 'enforce' | 'shadow' },
  version: () => number,
): Access {
  const isOff = () => engine() === undefined || mode() === 'shadow';
  return {
    version: () => (isOff() ? undefined : version()),
    mayUse: (principal, _endpoint, tool) => isOff() || engine()?.maySee(principal, tool) === true,
    mayReach: (principal, offer) => isOff() || engine()?.mayReach(principal, offer) === true,
  };
}
