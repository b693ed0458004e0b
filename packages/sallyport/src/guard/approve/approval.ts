import { FaultError } from '../../core/errors.ts';
import { joinSentences } from '../../core/join-sentences.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { SinkClass } from '../../core/sink.ts';
import type { Difference } from './compare-arguments.ts';
import { toDigest } from './digest.ts';
import { checkPattern, type Pattern } from './pattern.ts';
import { differentPeople, isSamePerson } from './same-person.ts';

/** Of a client without sessions that names no run: its next request may belong to any conversation. */
export const NO_RUN = '';

/** What a person is asked about: one call, with everything a grant will be bound to. */
export interface Asked {
  readonly callId: string;
  /** Digest of the conversation or task the call belongs to; {@link NO_RUN} where nobody says which one that is. */
  readonly run: string;
  readonly principal: string;
  /** On whose behalf, where that is known. */
  readonly person?: string | undefined;
  /** The client program's name, as it calls itself. */
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly toolDigest: string;
  /** After all rewrites: what would reach the upstream, but with marks in place of secrets (`hide-secrets.ts`). */
  readonly arguments: JsonObject;
  /** Keyed, of the arguments with their secrets. */
  readonly argumentsDigest: string;
  /** Of the rules in force: under other rules the question may be another one. */
  readonly policyVersion: string;
  readonly reasons: readonly AskReason[];
  readonly classes: readonly SinkClass[];
  /** How many different people must allow: by the effects, or because a policy says so. */
  readonly needed: 1 | 2;
}

export interface AskReason {
  readonly guard: string;
  readonly reason: string;
  /** As of the verdict: it asks only because untrusted content was read. */
  readonly untrusted?: true | undefined;
}

export type ApprovalState = 'waiting' | 'allowed' | 'denied' | 'expired';

/** One question to a person, and what was answered. Times are milliseconds since the epoch. */
export interface Approval extends Asked {
  readonly id: string;
  readonly state: ApprovalState;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly updatedAt: number;
  readonly callerMayAnswer: boolean;
  readonly answers: readonly PersonAnswer[];
  /** Against the last allowed call of this tool; `undefined`: there was none. */
  readonly difference: readonly Difference[] | undefined;
}

/** `run`: until the conversation ends; `always`: until the grant expires. Both for these arguments, or for a pattern of them. */
export type GrantScope = 'once' | 'run' | 'always';

export type PersonAnswer = {
  /** The principal, or `os:<user>` for whoever may open the state directory. */
  readonly by: string;
  /** Whose principal that is, where it is known. */
  readonly person?: string | undefined;
  readonly via: 'elicitation' | 'command' | 'api';
  readonly at: number;
} & (
  | {
      readonly kind: 'allow';
      readonly scope: GrantScope;
      readonly pattern?: Pattern | undefined;
      /** Other arguments than those asked about. */
      readonly arguments?: JsonObject | undefined;
    }
  | { readonly kind: 'deny'; readonly message?: string | undefined }
);

/** What an answer brought about. */
export interface Answered {
  readonly state: ApprovalState;
  readonly answers: readonly PersonAnswer[];
  readonly grant: GrantTerms | undefined;
}

/** What the people who allowed agreed on. */
export interface GrantTerms {
  readonly scope: GrantScope;
  readonly pattern: Pattern | undefined;
  readonly arguments: JsonObject | undefined;
}

const WIDTH: Readonly<Record<GrantScope, number>> = { once: 0, run: 1, always: 2 };
const MAX_MESSAGE = 2_000;

/**
 * One more answer. One deny denies; a person counts once, with whichever key they come; two people agree only on the same
 * arguments, and get the narrower of what they allowed.
 * @throws FaultError `conflict`: answered or expired already; `forbidden`: this person may not; `invalid_params`.
 */
export function applyAnswer(approval: Approval, given: PersonAnswer): Answered {
  const answer = given.kind === 'allow' ? toKnownRun(approval, given) : given;
  if (approval.state !== 'waiting')
    throw new FaultError('conflict', `The approval ${approval.id} is ${approval.state} already.`);
  if (answer.at >= approval.expiresAt)
    throw new FaultError('conflict', `The approval ${approval.id} has expired. The call has to be made again.`);
  checkAnswer(approval, answer);
  const answers = [...approval.answers, answer];
  if (answer.kind === 'deny') return { state: 'denied', answers, grant: undefined };
  // The newest first: of the answers of one person the last one counts.
  const agreeing = differentPeople(
    [...answers].reverse().filter((one) => one.kind === 'allow' && agrees(approval, one, answer)) as AllowAnswer[],
  );
  if (agreeing.length < approval.needed) return { state: 'waiting', answers, grant: undefined };
  return { state: 'allowed', answers, grant: toTerms(agreeing, answer) };
}

type AllowAnswer = Extract<PersonAnswer, { kind: 'allow' }>;

/** Without a run "for this run" would be for every conversation of the program: it is for this call. */
function toKnownRun({ run }: Approval, answer: AllowAnswer): AllowAnswer {
  if (answer.scope !== 'run' || run !== NO_RUN) return answer;
  if (answer.pattern !== undefined)
    throw new FaultError(
      'invalid_params',
      'The client names no run, so a pattern cannot be for one. Allow once or always, or let the client send _meta["dev.sallyport/run"].',
    );
  return { ...answer, scope: 'once' };
}

function checkAnswer(approval: Approval, answer: PersonAnswer): void {
  if (answer.kind === 'deny') {
    if ((answer.message?.length ?? 0) > MAX_MESSAGE)
      throw new FaultError('invalid_params', `The message to the model is at most ${MAX_MESSAGE} characters long.`);
    return;
  }
  // Who may deny? Anybody: a no harms nobody. A yes of the caller to himself is what the operator can rule out.
  if (!approval.callerMayAnswer && isSamePerson({ by: approval.principal, person: approval.person }, answer))
    throw new FaultError(
      'forbidden',
      'The caller may not approve its own calls (approvals.selfApproval is false). The laptop key, programs on stdio and the command line of one machine are one person: the key of another person is needed.',
    );
  if (
    approval.answers.some((one) => one.kind === 'allow' && isSamePerson(one, answer) && agrees(approval, one, answer))
  )
    throw new FaultError('forbidden', 'You have allowed this call already. Another person must allow it, too.');
  if (answer.pattern !== undefined) {
    checkPattern(answer.pattern, approval.arguments);
    if (answer.scope === 'once')
      throw new FaultError(
        'invalid_params',
        'A pattern is not for once, which is for these arguments alone. Write the scope run (until the conversation ends) or always (90 days) beside it.',
      );
  }
  // A standing grant that swaps arguments would change calls nobody looks at.
  if (answer.arguments !== undefined && (answer.scope !== 'once' || answer.pattern !== undefined))
    throw new FaultError('invalid_params', 'Changed arguments are allowed once.');
}

function agrees(approval: Approval, one: AllowAnswer, with_: AllowAnswer): boolean {
  return toDigest(one.arguments ?? approval.arguments) === toDigest(with_.arguments ?? approval.arguments);
}

function toTerms(answers: readonly AllowAnswer[], last: AllowAnswer): GrantTerms {
  const narrowest = answers.reduce((a, b) => (WIDTH[b.scope] < WIDTH[a.scope] ? b : a), last);
  const samePattern = answers.every((one) => toDigest(one.pattern ?? null) === toDigest(last.pattern ?? null));
  return {
    scope: narrowest.scope,
    pattern: samePattern && narrowest.scope !== 'once' ? last.pattern : undefined,
    arguments: last.arguments,
  };
}

/** What the model hears when a person said no. */
export function toDenialText(approval: Approval): string {
  const denial = approval.answers.find((one) => one.kind === 'deny');
  const message = denial?.kind === 'deny' ? denial.message : undefined;
  const denied =
    message === undefined || message === '' ? 'A person denied this call.' : `A person denied this call: ${message}`;
  return joinSentences([denied, `Do not make it again as it is (approval ${approval.id}).`]);
}

/** The approval as other programs see it. */
export function toApprovalJson(approval: Approval): JsonObject {
  // Through JSON: a plain copy without members that are undefined.
  return JSON.parse(JSON.stringify(approval)) as { readonly [key: string]: Json };
}
