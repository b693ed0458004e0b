import { createHash } from 'node:crypto';
import { type ApprovalSettings, NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { isLarge } from '../core/large-body.ts';
import type { Log } from '../core/log.ts';
import { Request } from '../core/message.ts';
import type { Note } from '../core/note.ts';
import type { Principal } from '../core/principal.ts';
import { ALLOW } from '../core/verdict.ts';
import { type Approval, type Asked, NO_RUN, type PersonAnswer, toDenialText } from '../guard/approve/approval.ts';
import { canShowForm, readFormAnswer, toAskForm } from '../guard/approve/ask-form.ts';
import { toDigest, toKeyedDigest } from '../guard/approve/digest.ts';
import { type Grant, isAnswered } from '../guard/approve/grant.ts';
import {
  type HiddenSecrets,
  type HideOptions,
  hideIn,
  hideSecrets,
  showSecrets,
} from '../guard/approve/hide-secrets.ts';
import { differentPeople, isSamePerson } from '../guard/approve/same-person.ts';
import type { Decision, Guard } from '../guard/guard.ts';
import type { ApprovalStore } from '../storage/approvals.ts';
import type { GrantStore } from '../storage/grants.ts';
import { answerApproval } from './answer-approval.ts';
import { ApprovalWatch } from './approval-watch.ts';
import { type CollectedAsks, collectAsks } from './collect-asks.ts';
import type { Inbound } from './inbound.ts';
import { isOneConversation } from './run-of.ts';

export interface DeskPorts {
  readonly approvals: ApprovalStore;
  readonly grants: GrantStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: (snapshot: FrozenSnapshot) => ApprovalSettings;
  /** Every guard that may be heard twice for one envelope: all but the one that counts. */
  readonly guards: (envelope: Envelope) => readonly Guard[];
  /** How secrets are hidden from whoever is asked, and from what is kept. */
  readonly hiding: (snapshot: FrozenSnapshot) => HideOptions;
  /** As {@link hideSecrets}, of a large message. */
  readonly hideLarge: (shown: Envelope, options: HideOptions) => Promise<HiddenSecrets>;
  /** Into the audit; every answer is. */
  readonly note: Note;
  /** Whether a caller may still come in. Left out: until its credential expires. */
  readonly isCurrent?: ((principal: Principal) => boolean) | undefined;
  /** Tells other systems; never waits and never throws. */
  readonly announce?: Announce | undefined;
}

export interface Announce {
  /** False: nobody is told of anything now. */
  readonly isOn: () => boolean;
  send(event: 'asked' | 'answered', approval: Approval): void;
  close(): void;
}

/** What became of a call that asks. */
export interface Settled {
  /** Allow with the arguments that were approved; deny; or still ask. */
  readonly decision: Decision;
  readonly approvalId: string | undefined;
  /**
   * Where a grant allows: spends it. To be called once, after the call was recorded and before it leaves; false: another
   * call was faster, or it was revoked. What is never called leaves the grant as it was.
   */
  readonly spend?: (() => Promise<boolean>) | undefined;
}

/**
 * Where calls wait for people. A yes is a grant in the database, and a grant is spent by compare-and-set as the last thing
 * before the call leaves: when Sallyport dies in between, a yes can be lost, but nothing runs twice.
 */
export class ApprovalDesk {
  readonly #ports: DeskPorts;
  readonly #watch: ApprovalWatch;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
    const onAnswered = (approval: Approval) => ports.announce?.send('answered', approval);
    this.#watch = new ApprovalWatch({ store: ports.approvals, log: ports.log, onAnswered });
  }

  /** What was asked before this process began is answered while it runs: others want to hear of it, too. */
  async resume(): Promise<void> {
    if (this.#ports.announce?.isOn() !== true) return;
    for (const waiting of await this.#ports.approvals.list({ state: 'waiting' })) this.#watch.expect(waiting);
  }

  /** @throws FaultError `cancelled`, `too_many`. */
  async settle(first: Decision, given: Envelope, inbound: Inbound): Promise<Settled> {
    const collected = await collectAsks(this.#ports.guards(given), given, first);
    if (collected.decision.verdict.kind === 'deny') return { decision: collected.decision, approvalId: undefined };
    const { about, envelope } = collected;
    const hiding = this.#ports.hiding(given.snapshot);
    const shown = { ...envelope, body: about ?? envelope.body };
    const hidden = isLarge(shown) ? await this.#ports.hideLarge(shown, hiding) : hideSecrets(shown, hiding);
    const argumentsDigest = toKeyedDigest(hiding.key, shown.body);
    const settings = this.#ports.settings(given.snapshot);
    const needed = toNeeded(collected, settings);
    const asked = toAsked(collected, inbound, { hidden, argumentsDigest, needed });
    const question = { asked, collected, hidden, settings };
    const ready = await this.#findGrant(question, { waited: false });
    if (ready !== undefined) return ready;
    const rules = { ttlMs: settings.ttlMs, callerMayAnswer: settings.selfApproval };
    const { approval, isNew } = await this.#ports.approvals.open(asked, rules);
    if (isNew) this.#announce(approval);
    if (approval.state === 'denied') return toDenied(approval);
    const answered = await this.#wait(approval, inbound, settings);
    const { state } = answered;
    if (state === 'denied') return toDenied(answered);
    const taken = state === 'allowed' ? await this.#findGrant(question, { waited: true }) : undefined;
    return taken ?? toPending(answered);
  }

  /** A person's answer, from wherever it comes. @throws FaultError like `ApprovalStore.answer`. */
  async answer(id: string, answer: PersonAnswer): Promise<Approval> {
    const approval = await answerApproval(this.#ports, id, answer);
    this.#watch.tell(approval);
    return approval;
  }

  /** An answer was taken by somebody else in this process. */
  heard(approval: Approval): void {
    this.#watch.tell(approval);
  }

  /** Idempotent. */
  close(): void {
    this.#watch.close();
    this.#ports.announce?.close();
  }

  #announce(approval: Approval): void {
    const { announce } = this.#ports;
    if (announce?.isOn() !== true) return;
    announce.send('asked', approval);
    this.#watch.expect(approval);
  }

  /** `undefined`: there is no grant. */
  async #findGrant(question: Question, { waited }: { waited: boolean }): Promise<Settled | undefined> {
    const { grants } = this.#ports;
    const { asked } = question;
    const grant = await grants.find(asked);
    if (grant === undefined) return undefined;
    const checked = await this.#check(grant, question, waited);
    if (checked.decision.verdict.kind === 'deny') return checked;
    return { ...checked, spend: () => grants.claim(grant, asked.callId) };
  }

  /** What a person changed, and what waited while the world went on, is checked again by every guard. */
  async #check(grant: Grant, { asked, collected, hidden, settings }: Question, waited: boolean): Promise<Settled> {
    const approvalId = grant.approvalId;
    const { envelope, about } = collected;
    // Of what is no body of a message nothing can be changed.
    if (about !== undefined && grant.arguments !== undefined) return { decision: toDeny(UNCHANGEABLE), approvalId };
    const approved = grant.arguments ? showSecrets(grant.arguments, hidden.values) : envelope.body;
    if (approved === undefined) return { decision: toDeny(UNKNOWN_MARK), approvalId };
    const toAllowed = (body: JsonObject) => ({ decision: about === undefined ? toAllow(body) : ALLOWED, approvalId });
    if (grant.arguments === undefined && !waited) return toAllowed(approved);
    const { principal } = envelope.client;
    if (principal.expiresAt !== undefined && principal.expiresAt <= this.#ports.clock.now())
      return { decision: toDeny("The caller's credential expired while a person was asked."), approvalId };
    if (this.#ports.isCurrent?.(principal) === false)
      return { decision: toDeny("The caller's credential was withdrawn while a person was asked."), approvalId };
    const again = await collectAsks(this.#ports.guards(envelope), { ...envelope, body: approved });
    if (again.decision.verdict.kind === 'deny') return { decision: again.decision, approvalId };
    const isNews = again.reasons.some(
      (one) => !asked.reasons.some(({ guard }) => guard === one.guard) && !isAnswered(grant, asked, one),
    );
    if (isNews && grant.arguments === undefined)
      return { decision: toDeny('The rules changed while a person was asked. Call again to ask anew.'), approvalId };
    // Changed arguments may have another effect than those that one person was asked about.
    if (again.reasons.length > 0 && toNeeded(again, settings) > (grant.people ?? 1))
      return {
        decision: toDeny('With these arguments two people must allow the call. Call again with them to ask.'),
        approvalId,
      };
    return toAllowed(again.envelope.body);
  }

  /** The approval when it no longer waits, or as it is when this call has waited long enough. */
  async #wait(approval: Approval, { exchange }: Inbound, settings: ApprovalSettings): Promise<Approval> {
    const { waitMs } = settings;
    const form = toForm(approval, exchange, settings);
    if ((form === undefined && waitMs === 0) || !this.#watch.hasRoom) return approval;
    const settled = await this.#untilSettled(approval, exchange, { form, waitMs });
    if (exchange.cancelled) throw new FaultError('cancelled', 'The client cancelled the request.');
    return settled ?? (await this.#ports.approvals.get(approval.id)) ?? approval;
  }

  #untilSettled(
    approval: Approval,
    exchange: Exchange,
    { form, waitMs }: { readonly form: JsonObject | undefined; readonly waitMs: number },
  ): Promise<Approval | undefined> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      let ended = false;
      const end = (settled?: Approval): void => {
        if (ended) return;
        ended = true;
        clearTimeout(timer);
        unfollow();
        exchange.onCancel = undefined;
        resolve(settled);
      };
      const unfollow = this.#watch.follow(approval.id, end);
      const endIn = (ms: number): void => {
        clearTimeout(timer);
        if (!ended) timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
      };
      exchange.onCancel = () => end();
      if (exchange.cancelled) return end();
      // A timer may fire up to a millisecond early, and it must have expired then.
      const left = Math.max(0, approval.expiresAt - this.#ports.clock.now()) + 1;
      endIn(form === undefined ? Math.min(waitMs, left) : left);
      // A dialog that was closed answers nothing: others may still do it, as for a client that has no dialogs.
      if (form !== undefined) void this.#elicit(approval, form, exchange).then(() => endIn(Math.min(waitMs, left)));
    });
  }

  /** Asks through the very exchange of the call: no other client's answer can get here. Never rejects. */
  async #elicit(approval: Approval, form: JsonObject, exchange: Exchange): Promise<void> {
    try {
      const answer = await exchange.ask(Request.of('0', 'elicitation/create', form), { own: true });
      const given = readFormAnswer(answer.result);
      if (given === undefined) return;
      const at = this.#ports.clock.now();
      const { id: by, person } = exchange.client.principal;
      await this.answer(approval.id, { ...given, by, person, via: 'elicitation', at });
    } catch (error) {
      this.#ports.log.debug({ approval: approval.id, error }, 'the client did not answer the question of an approval');
    }
  }
}

/** What setTimeout can hold. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** What a person is asked, and what only this process knows of it. */
interface Question {
  readonly asked: Asked;
  readonly collected: CollectedAsks;
  readonly hidden: HiddenSecrets;
  readonly settings: ApprovalSettings;
}

function toForm(
  approval: Approval,
  { client, unattended }: Exchange,
  { elicit }: ApprovalSettings,
): JsonObject | undefined {
  // Asked through the caller's own program, its answer is the caller's.
  if (!elicit || !approval.callerMayAnswer || unattended === true) return undefined;
  const { id: by, person } = client.principal;
  if (approval.answers.some((answer) => isSamePerson(answer, { by, person }))) return undefined;
  return canShowForm(client.capabilities) ? toAskForm(approval) : undefined;
}

/** Whoever is stricter: the operator's list of effects, or a policy. */
function toNeeded({ classes, people }: CollectedAsks, { twoPerson }: ApprovalSettings): 1 | 2 {
  return people === 2 || twoPerson.some((one) => one === 'any' || classes.includes(one)) ? 2 : 1;
}

const UNCHANGEABLE = 'A person changed what was asked, which cannot be done here: allow or deny it.';

const UNKNOWN_MARK =
  'The arguments a person wrote hold a hidden value that this call does not have. Call again to ask anew.';

function toAsked(
  { envelope, reasons, classes }: CollectedAsks,
  { snapshot }: Inbound,
  { hidden, ...about }: Pick<Asked, 'argumentsDigest' | 'needed'> & { readonly hidden: HiddenSecrets },
): Asked {
  const { client, upstream } = envelope;
  return {
    callId: envelope.id,
    // A digest: the key of a session is as good as the session.
    run: isOneConversation(envelope) ? createHash('sha256').update(envelope.run).digest('hex').slice(0, 32) : NO_RUN,
    principal: client.principal.id,
    person: client.principal.person,
    client: client.info.name,
    upstream,
    ...toSubject(envelope),
    arguments: hidden.shown,
    policyVersion: toRulesVersion(snapshot, upstream),
    reasons: reasons.map((one) => ({ ...one, reason: hideIn(one.reason, hidden) })),
    classes,
    ...about,
  };
}

/** What is no call of a tool has a name that no tool has, so that a yes to one is none to the other. */
function toSubject({ kind, tool, target }: Envelope): Pick<Asked, 'tool' | 'toolDigest'> {
  if (tool !== undefined) return { tool: tool.name, toolDigest: tool.digest };
  if (kind === 'read' || kind === 'subscription') return { tool: 'resources/read', toolDigest: 'resources/read' };
  return { tool: target, toolDigest: kind === 'client_response' ? 'answer' : target };
}

/**
 * Digest of every rule in force and of what stands behind the name of the upstream; a count of reloads would start anew
 * with the program. Left out is only what decides nothing: where things listen, how people are reached, who is told.
 */
function toRulesVersion(snapshot: Snapshot, upstream: string): string {
  const { version, file, stateDir, gateway, servers, notes, telemetry, audit, limits, approvals, ...rules } = snapshot;
  const { asks, selfApproval, twoPerson } = approvals ?? NO_APPROVAL_RULES;
  return toDigest({ rules, asks, selfApproval, twoPerson, server: servers.get(upstream) ?? null });
}

const ALLOWED: Decision = Object.freeze({ verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined });

/** The arguments are written anew: what leaves is what the person saw, to the last digit of every number. */
function toAllow(approved: JsonObject): Decision {
  return { verdict: ALLOW, guard: undefined, rewritten: approved, cause: undefined };
}

function toDeny(reason: string): Decision {
  return {
    verdict: { kind: 'deny', code: 'denied', reason },
    guard: 'approval',
    rewritten: undefined,
    cause: undefined,
  };
}

function toDenied(approval: Approval): Settled {
  return { decision: toDeny(toDenialText(approval)), approvalId: approval.id };
}

/** Where the caller is a client. */
export const CALL_AGAIN = 'Tell the user, then call again with the same arguments.';

function toPending(approval: Approval): Settled {
  if (approval.state === 'expired')
    return {
      decision: toDeny(`Nobody answered in time (approval ${approval.id}). Call again to ask anew.`),
      approvalId: approval.id,
    };
  if (approval.state === 'allowed')
    return {
      decision: toDeny(`The approval ${approval.id} was used by another call. Call again to ask anew.`),
      approvalId: approval.id,
    };
  const why = approval.reasons.map(({ reason }) => reason).join(' ');
  const people = approval.needed - differentPeople(approval.answers).length;
  const who = people === 2 ? 'Two people' : approval.needed === 2 ? 'One more person' : 'A person';
  const reason = `${who} must allow this call before it runs. ${why} It was not run. Approval ${approval.id} waits for ${people === 2 ? 'them' : 'that person'} until ${new Date(approval.expiresAt).toISOString()}. ${CALL_AGAIN}`;
  return {
    decision: { verdict: { kind: 'ask', reason }, guard: 'approval', rewritten: undefined, cause: undefined },
    approvalId: approval.id,
  };
}
