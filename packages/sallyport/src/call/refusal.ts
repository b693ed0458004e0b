import { type EnvelopeKind, KINDS } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import { type Json, type JsonObject, member } from '../core/json.ts';
import { Answer, type Request } from '../core/message.ts';
import type { Decision } from '../guard/guard.ts';

/** Under what name the verdict is in a refusal, so that programs can tell it from what a server said. */
export const VERDICT = 'dev.sallyport/verdict';

export interface Refused {
  readonly request: Pick<Request, 'id'>;
  /** Left out: what nobody could read yet. */
  readonly kind?: EnvelopeKind | undefined;
  readonly approvalId?: string | undefined;
  /** The server did what was asked, and its answer is refused. */
  readonly isAnswered?: boolean;
  /** Where the result is in quarantine. */
  readonly keptId?: string | undefined;
}

/** Bytes of a refusal at most: reasons are short. */
const MAX_REFUSAL = 65_536;

/** What nobody can be asked about here. */
const NOBODY_ASKED = 'Only a call of a tool can wait for a person, so it is refused.';

/**
 * A refusal as its kind has it: a tool error (MCP tools#error-handling: what the model can correct is a result), or thrown.
 * @throws FaultError `denied` for the kinds whose refusal is an error
 */
export function toRefusal({ verdict, guard = '' }: Decision, refused: Refused): Answer {
  const { request, kind, approvalId, isAnswered = false, keptId } = refused;
  if (verdict.kind === 'allow' || verdict.kind === 'rewrite') throw new TypeError('nothing was refused');
  const isAsked = kind === undefined || KINDS[kind].asks;
  const reason = verdict.kind === 'ask' && !isAsked ? `${verdict.reason} ${NOBODY_ASKED}` : verdict.reason;
  const said: JsonObject = {
    kind: isAsked ? verdict.kind : 'deny',
    code: verdict.kind === 'deny' ? verdict.code : 'denied',
    guard,
    reason,
    ...(approvalId === undefined ? {} : { approval: approvalId }),
    ...(isAnswered ? { outcome: 'withheld' } : {}),
    ...(keptId === undefined ? {} : { result: keptId }),
  };
  if (kind === undefined || KINDS[kind].refusal !== 'tool_error')
    throw new FaultError(verdict.kind === 'deny' && verdict.code === 'too_many' ? 'too_many' : 'denied', reason, {
      data: { [VERDICT]: said },
    });
  return Answer.result(request.id, {
    content: [{ type: 'text', text: reason }],
    isError: true,
    _meta: { [VERDICT]: said },
  });
}

/** Which guard refused; `undefined`: none did. */
export function isRefused({ data }: FaultError): string | undefined {
  const guard = member(member(data, VERDICT), 'guard');
  return typeof guard === 'string' ? guard : undefined;
}

/** What a refusal says of itself; `undefined`: the answer is none, or a large one, and no refusal is large. */
export function verdictOf(answer: Answer): Json | undefined {
  if (answer.bytes.length > MAX_REFUSAL || !answer.isResult) return undefined;
  return member(answer.resultMember('_meta'), VERDICT);
}
