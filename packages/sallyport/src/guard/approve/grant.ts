import { isObject, type JsonObject } from '../../core/json.ts';
import type { SinkClass } from '../../core/sink.ts';
import { roleOf } from '../taint/roles.ts';
import { walkLeaves } from '../taint/walk-leaves.ts';
import { type Approval, type Asked, type AskReason, type GrantScope, type GrantTerms, NO_RUN } from './approval.ts';
import { matchesPattern, type Pattern } from './pattern.ts';

/** A person's yes, bound to who, what, with which arguments, under which rules, until when. */
export interface Grant {
  readonly id: string;
  readonly approvalId: string;
  readonly principal: string;
  readonly upstream: string;
  readonly tool: string;
  readonly toolDigest: string;
  readonly scope: GrantScope;
  readonly run: string;
  readonly argumentsDigest: string;
  /** `undefined`: exactly the arguments with the digest. */
  readonly pattern: Pattern | undefined;
  /** What the person wants sent instead; `undefined`: what was asked about. */
  readonly arguments: JsonObject | undefined;
  readonly policyVersion: string;
  /** Which guards had asked, and about which effects: another guard's question was not answered. */
  readonly guards: readonly string[];
  readonly classes: readonly SinkClass[];
  /** How many people agreed; left out in what was written before: one. */
  readonly people?: 1 | 2;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When a `once` grant was used up. */
  readonly usedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

const HOUR = 3_600_000;
/** A once is for the caller who waits; a run lasts a working day; always is looked at again every season. */
const LASTS_MS: Readonly<Record<GrantScope, number>> = { once: HOUR, run: 12 * HOUR, always: 90 * 24 * HOUR };

export function toGrant(approval: Approval, terms: GrantTerms, given: { id: string; now: number }): Grant {
  return {
    id: given.id,
    approvalId: approval.id,
    principal: approval.principal,
    upstream: approval.upstream,
    tool: approval.tool,
    toolDigest: approval.toolDigest,
    scope: terms.scope,
    run: approval.run,
    argumentsDigest: approval.argumentsDigest,
    pattern: terms.pattern,
    arguments: terms.arguments,
    policyVersion: approval.policyVersion,
    guards: approval.reasons.map(({ guard }) => guard),
    classes: approval.classes,
    people: approval.needed,
    createdAt: given.now,
    expiresAt: given.now + LASTS_MS[terms.scope],
    usedAt: undefined,
    revokedAt: undefined,
  };
}

/** Every binding must hold; what is not exactly as it was when the person looked is asked about again. */
export function coversCall(grant: Grant, asked: Asked, now: number): boolean {
  return (
    grant.usedAt === undefined &&
    grant.revokedAt === undefined &&
    now < grant.expiresAt &&
    grant.principal === asked.principal &&
    grant.upstream === asked.upstream &&
    grant.tool === asked.tool &&
    grant.toolDigest === asked.toolDigest &&
    grant.policyVersion === asked.policyVersion &&
    asked.reasons.every((reason) => isAnswered(grant, asked, reason)) &&
    (grant.people ?? 1) >= asked.needed &&
    (namesAll(grant, asked) || asked.classes.every((effect) => grant.classes.includes(effect))) &&
    (grant.scope !== 'run' || (grant.run === asked.run && asked.run !== NO_RUN)) &&
    (grant.pattern === undefined
      ? grant.argumentsDigest === asked.argumentsDigest
      : matchesPattern(grant.pattern, asked.arguments))
  );
}

/**
 * Was this asked when the grant was given? Beside the same guard's question, what asks only because untrusted content was read
 * since then: a person named the values, so they do not come from that content.
 */
export function isAnswered(grant: Grant, asked: Asked, { guard, untrusted }: AskReason): boolean {
  if (grant.guards.includes(guard)) return true;
  return untrusted === true && namesAll(grant, asked);
}

/** A standing grant in which a person named everything that decides what the call does: its effects are known from that. */
function namesAll({ scope, pattern, argumentsDigest, classes }: Grant, asked: Asked): boolean {
  if (scope === 'once') return false;
  if (pattern === undefined) return argumentsDigest === asked.argumentsDigest;
  // Of a program the content decides, too: what runs is what was written.
  if (!isObject(pattern) || classes.includes('run_code') || asked.classes.includes('run_code')) return false;
  return walkLeaves(pattern).leaves.every(
    ({ key, text, isName }) => isName || !text.includes('*') || isNamed(text) || roleOf(key, text) === 'content',
  );
}

/** `/reports/**` and `https://api.example.com/*` name a folder and a host; `**` and `https://**` name nothing. */
function isNamed(text: string): boolean {
  const literal = text.slice(0, text.indexOf('*')).replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  return /[^/\\][/\\]/.test(literal);
}
