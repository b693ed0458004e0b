import { createHmac, randomBytes } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import { type Approval, type PersonAnswer, toApprovalJson } from '../guard/approve/approval.ts';
import type { Grant } from '../guard/approve/grant.ts';
import type { Role } from './route.ts';

/** A plain digest of a short secret is guessed in no time; this one tells equal arguments apart from others, no more. */
const VIEW_KEY = randomBytes(32);

/** Arguments may hold secrets: operators, who have to decide about them, see them; viewers see their names. */
export function toApprovalView(approval: Approval, role: Role): JsonObject {
  if (role !== 'viewer') return toApprovalJson(approval);
  const { arguments: given, argumentsDigest, answers, difference, reasons, ...rest } = approval;
  return toPlain({
    ...rest,
    argumentNames: Object.keys(given),
    argumentsDigest: toViewDigest(argumentsDigest),
    // A reason may quote what it is about.
    reasons: reasons.map(({ guard }) => ({ guard })),
    answers: answers.map(toAnswerView),
    difference: difference?.map(({ path }) => ({ path })),
  });
}

function toAnswerView({ by, person, via, at, kind }: PersonAnswer): Pick<
  PersonAnswer,
  'by' | 'person' | 'via' | 'at'
> & {
  readonly kind: string;
} {
  return { by, person, via, at, kind };
}

export function toGrantView(grant: Grant, role: Role): JsonObject {
  if (role !== 'viewer') return toPlain(grant);
  const { arguments: given, argumentsDigest, pattern, ...rest } = grant;
  return toPlain({
    ...rest,
    argumentsDigest: toViewDigest(argumentsDigest),
    hasPattern: pattern !== undefined,
    hasChangedArguments: given !== undefined,
  });
}

function toViewDigest(digest: string): string {
  return createHmac('sha256', VIEW_KEY).update(digest).digest('base64url');
}

/** Through JSON: a plain copy without members that are undefined. */
function toPlain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
