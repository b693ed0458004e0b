import type { Access } from '../core/access.ts';
import type { Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import { type Envelope, type FrozenSnapshot, toolOf } from '../core/envelope.ts';
import type { PolicyDecision, PolicyNotes } from '../core/policy-decision.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { PolicyEngine } from './policy/policy-engine.ts';

export interface PolicyPorts {
  /** `undefined`: there are no policies, and everything is permitted. */
  readonly engine: (snapshot: FrozenSnapshot) => PolicyEngine | undefined;
  /** `shadow`: decisions are noted and stop nothing. */
  readonly mode: (snapshot: FrozenSnapshot) => 'enforce' | 'shadow';
  /** Policies that are only tried: what they say is noted. Left out: none. */
  readonly candidate?: ((snapshot: FrozenSnapshot) => PolicyEngine | undefined) | undefined;
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

/** What the policies permit: before it reaches the server, and before what came of it reaches the client. */
export function policy(ports: PolicyPorts): Guard {
  return {
    name: 'policy',
    kinds: ['call', 'read', 'prompt', 'completion', 'subscription', 'result', 'contents'],
    isOn: (snapshot) => ports.engine(snapshot) !== undefined,
    reads: ({ tool, snapshot }) => tool === undefined || ports.engine(snapshot)?.readsResult(tool) === true,
    judge(envelope) {
      const { kind, asked } = envelope;
      if (ports.engine(envelope.snapshot) === undefined) return ALLOW;
      if (asked !== undefined)
        return toVerdict(judgeRelease(ports, asked, (engine) => decide(engine, 'release', asked) ?? ALLOWED));
      const decision = judge(ports, envelope, (engine) => decide(engine, 'use', envelope) ?? ALLOWED);
      if (kind !== 'call' || decision.effect !== 'ask') return toVerdict(decision);
      return { kind: 'ask', reason: decision.reason, classes: toolOf(envelope).sinks, people: decision.people };
    },
  };
}

/** `undefined`: policies do not speak of it. */
function decide(engine: PolicyEngine, phase: 'use' | 'release', envelope: Envelope): PolicyDecision | undefined {
  const { item, client, run, body, upstream, target } = envelope;
  if (item === 'tool') return engine.decide(phase === 'use' ? 'call' : 'release', envelope);
  if (item === undefined) return undefined;
  return engine.decideOffer(phase, { offer: { kind: item, upstream, id: target }, client, run, arguments: body });
}

/** What else asks the policies. */
export interface OfferDoor {
  /** Policies decide now, and what they do not speak of is not permitted. */
  areEnforced(snapshot: FrozenSnapshot): boolean;
  /** Notes why a tool is not there for this caller. @returns what was noted; `undefined`: no policy hides it. */
  noteHidden(
    tool: Tool,
    client: Client,
    about: { readonly snapshot: FrozenSnapshot; readonly notes: PolicyNotes },
  ): PolicyDecision | undefined;
}

export function policyOffers(ports: PolicyPorts): OfferDoor {
  return {
    areEnforced: (snapshot) => ports.engine(snapshot) !== undefined && ports.mode(snapshot) !== 'shadow',
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

type Decide = (engine: PolicyEngine) => PolicyDecision;

const ALLOWED: PolicyDecision = Object.freeze({ effect: 'allow', reason: '', policies: [], version: '' });

/** What holds for the call: the decision, or in shadow mode that everything is allowed. */
function judge(ports: PolicyPorts, about: Envelope, decide: Decide): PolicyDecision {
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
function judgeRelease(ports: PolicyPorts, about: Envelope, decide: Decide): PolicyDecision {
  const { notes, snapshot } = about;
  const engine = ports.engine(snapshot);
  if (engine === undefined) return ALLOWED;
  const isEnforced = ports.mode(snapshot) !== 'shadow';
  const decision = isEnforced ? decide(engine) : tryOut(engine, decide);
  if (notes !== undefined) notes.release = decision;
  if (isEnforced) return decision;
  if (decision.effect !== 'allow') tell(ports, about, { by: 'shadow', decision, instead: 'allow' });
  return ALLOWED;
}

function tell({ onTried }: PolicyPorts, { id, upstream, target }: Envelope, tried: Omit<Tried, 'upstream' | 'target'>) {
  onTried?.(id, { ...tried, upstream, target });
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
    keyOf: (principal) => (isOff() ? undefined : engine()?.keyOf(principal)),
    mayUse: (principal, _endpoint, tool) => isOff() || engine()?.maySee(principal, tool) === true,
    mayReach: (principal, offer) => isOff() || engine()?.mayReach(principal, offer) === true,
  };
}
