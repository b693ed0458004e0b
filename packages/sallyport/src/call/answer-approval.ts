import { FaultError, toFault } from '../core/errors.ts';
import type { Note } from '../core/note.ts';
import { type Approval, applyAnswer, type PersonAnswer } from '../guard/approve/approval.ts';
import { describeTyped } from '../guard/approve/hide-secrets.ts';
import type { ApprovalStore } from '../storage/approvals.ts';

export interface AnswerPorts {
  readonly approvals: Pick<ApprovalStore, 'get' | 'answer'>;
  /** Fulfilled when it is in the record. */
  readonly note: Note;
}

/**
 * Takes a person's answer, wherever it comes from: recorded first, then done. What would be refused is not recorded.
 * @throws FaultError `not_found`, `conflict`, `forbidden`, `invalid_params`, `unrecorded`.
 */
export async function answerApproval(
  { approvals, note }: AnswerPorts,
  id: string,
  answer: PersonAnswer,
): Promise<Approval> {
  const before = await approvals.get(id);
  if (before === undefined) throw new FaultError('not_found', `There is no approval ${id.slice(0, 64)}.`);
  const taken = applyAnswer(before, answer).answers.at(-1) ?? answer;
  const typed =
    answer.kind === 'allow' && answer.arguments !== undefined && describeTyped(answer.arguments, before.arguments);
  if (typed)
    throw new FaultError(
      'invalid_params',
      `The arguments hold ${typed}, which would be kept until the call comes again. Leave hidden values as they are shown, or let the caller send others.`,
    );
  await note('approval_answer', toMembers(before, taken));
  try {
    return await approvals.answer(id, answer);
  } catch (error) {
    // Somebody else was faster by a moment: the record must not claim what did not happen.
    await note('approval_answer_failed', { approval: id, by: answer.by, reason: toFault(error).code });
    throw error;
  }
}

/** Who answered what; the arguments may hold secrets and stay out. */
function toMembers({ id, callId, upstream, tool }: Approval, answer: PersonAnswer) {
  return {
    approval: id,
    callId,
    upstream,
    tool,
    by: answer.by,
    ...(answer.person === undefined ? {} : { person: answer.person }),
    via: answer.via,
    answer: answer.kind,
    ...(answer.kind === 'allow'
      ? { scope: answer.scope, pattern: answer.pattern !== undefined, changedArguments: answer.arguments !== undefined }
      : {}),
  };
}
