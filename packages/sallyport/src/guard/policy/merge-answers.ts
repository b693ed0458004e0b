import type { AuthorizationAnswer } from './cedar.ts';

/** What some policies came to. */
export interface PolicyAnswer {
  readonly isEvaluated: boolean;
  /** Ids of those that hold. Permits are not told beside a forbid. */
  readonly permits: readonly string[];
  readonly forbids: readonly string[];
  /** Ids of those that met an error. */
  readonly broken: readonly string[];
}

export const NO_ANSWER: PolicyAnswer = Object.freeze({ isEvaluated: true, permits: [], forbids: [], broken: [] });

export function toPolicyAnswer(answer: AuthorizationAnswer): PolicyAnswer {
  if (answer.type !== 'success') return { ...NO_ANSWER, isEvaluated: false };
  const { decision, diagnostics } = answer.response;
  const isAllow = decision === 'allow';
  return {
    isEvaluated: true,
    permits: isAllow ? diagnostics.reason : [],
    forbids: isAllow ? [] : diagnostics.reason,
    broken: diagnostics.errors.map(({ policyId }) => policyId),
  };
}

/** Policies decide alone: whether one holds depends on no other. So what parts of a set came to is what all of it comes to. */
export function mergeAnswers(one: PolicyAnswer, other: PolicyAnswer): PolicyAnswer {
  if (one === NO_ANSWER) return other;
  if (other === NO_ANSWER) return one;
  const forbids = [...one.forbids, ...other.forbids];
  return {
    isEvaluated: one.isEvaluated && other.isEvaluated,
    permits: forbids.length > 0 ? [] : [...one.permits, ...other.permits],
    forbids,
    broken: [...one.broken, ...other.broken],
  };
}

export function isAllowed({ isEvaluated, permits, forbids, broken }: PolicyAnswer): boolean {
  return isEvaluated && broken.length === 0 && forbids.length === 0 && permits.length > 0;
}
