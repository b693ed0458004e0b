import { type FaultError, toFault } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { statusOf } from './http-fault.ts';
import { LEGACY_REVISIONS, MODERN_REVISIONS } from './revisions.ts';

/** What a probe (`server/discover` or `initialize`) came back with. */
export type Outcome =
  | { readonly kind: 'result'; readonly versions: readonly string[] | undefined }
  | { readonly kind: 'error'; readonly code: number; readonly supported: readonly string[] | undefined }
  | { readonly kind: 'refused'; readonly status: number }
  /** HTTP talk that is not MCP: another content type, an exchange that ended without an answer. */
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'silent' }
  /** The child ended, the connection broke while talking. */
  | { readonly kind: 'died' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'unreachable' };

/** What follows for the era of the server. */
export type Verdict =
  | { readonly kind: 'modern'; readonly revision: string }
  | { readonly kind: 'legacy' }
  /** Modern, but of revisions we do not know, or it refuses what every modern server must answer. */
  | { readonly kind: 'incompatible' }
  /** Undecided: another way of asking may bring it out. */
  | { readonly kind: 'unknown' }
  /** Nothing to do with eras: asking otherwise would not help. */
  | { readonly kind: 'stop' };

const UNSUPPORTED_VERSION = -32022;
const MODERN_ERRORS: ReadonlySet<number> = new Set([-32020, -32021, UNSUPPORTED_VERSION]);

/** 2026-07-28 stdio and Streamable HTTP, "Backward Compatibility": only a recognized modern error or a DiscoverResult means modern. */
export function judgeDiscover(outcome: Outcome): Verdict {
  switch (outcome.kind) {
    case 'result':
      return outcome.versions === undefined ? { kind: 'legacy' } : choose(outcome.versions);
    case 'error':
      if (outcome.code === UNSUPPORTED_VERSION && outcome.supported !== undefined) return choose(outcome.supported);
      return { kind: MODERN_ERRORS.has(outcome.code) ? 'incompatible' : 'legacy' };
    case 'refused':
    case 'nonsense':
      return { kind: 'legacy' };
    case 'silent':
    case 'died':
      return { kind: 'unknown' };
    case 'unauthenticated':
    case 'unreachable':
      return { kind: 'stop' };
  }
}

/** `initialize` is answered with a result by legacy servers only; anything else says no more than "not so". */
export function judgeInitialize(outcome: Outcome): Verdict {
  switch (outcome.kind) {
    case 'result':
      return { kind: 'legacy' };
    case 'error':
    case 'refused':
    case 'nonsense':
    case 'silent':
    case 'died':
      return { kind: 'unknown' };
    case 'unauthenticated':
    case 'unreachable':
      return { kind: 'stop' };
  }
}

function choose(versions: readonly string[]): Verdict {
  const revision = MODERN_REVISIONS.find((known) => versions.includes(known));
  if (revision !== undefined) return { kind: 'modern', revision };
  return { kind: LEGACY_REVISIONS.some((known) => versions.includes(known)) ? 'legacy' : 'incompatible' };
}

export function toOutcome(answer: Answer): Outcome {
  const { outcome } = answer;
  if (outcome.kind === 'result')
    return { kind: 'result', versions: toStrings(member(outcome.result, 'supportedVersions')) };
  return { kind: 'error', code: outcome.error.code, supported: toStrings(member(outcome.error.data, 'supported')) };
}

export function toFailedOutcome(error: unknown): Outcome {
  const fault: FaultError = toFault(error);
  const status = statusOf(fault);
  switch (fault.code) {
    case 'timeout':
      return { kind: 'silent' };
    case 'upstream_unauthenticated':
      return { kind: 'unauthenticated' };
    case 'upstream_protocol':
      return status === undefined || status === 200 ? { kind: 'nonsense' } : { kind: 'refused', status };
    case 'unreachable':
      return member(fault.data, 'step') === 'talking' || fault.data === undefined
        ? { kind: 'died' }
        : { kind: 'unreachable' };
    default:
      return { kind: 'unreachable' };
  }
}

/**
 * True for an error that a server of this era and revision would not give: the server behind the address was exchanged. Only errors
 * that refuse the whole request count, so that asking again repeats nothing.
 */
export function looksLikeOtherEra(era: 'legacy' | 'modern', answer: Answer): boolean {
  // Asked first: whatever is no error need not be parsed to know that.
  if (answer.isResult || answer.outcome.kind === 'result') return false;
  const { code, message, data } = answer.outcome.error;
  // Servers give codes of this range to errors of their own, after the work was done: the whole shape has to be right.
  if (code === UNSUPPORTED_VERSION) return toStrings(member(data, 'supported')) !== undefined;
  if (era === 'legacy') return code === -32020 && /^header mismatch/i.test(message);
  // A legacy HTTP server refuses what comes without a session, without reading it: no id, code of the legacy range.
  return answer.id === '' && code <= -32000 && code > -32020;
}

function toStrings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;
}
