import type { FrozenSnapshot } from '../core/envelope.ts';
import { isObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';

export interface SizeLimits {
  /** Bytes of the whole message. */
  readonly bodyBytes: number;
  /** Nesting of the arguments. */
  readonly depth: number;
}

/** More members and elements than any honest call has, and fewer than what keeps the guards after this one busy. */
const MAX_NODES = 200_000;
const MAX_KEY = 1_024;
/** Requests that are no calls have no limit of their own: the reader of messages has refused deeper ones. */
const MAX_DEPTH = 512;

/**
 * First of the outer door: bounds what every later guard walks through, and refuses shapes that mean one thing here and
 * another at the upstream.
 */
export function sizeAndShape(limits: (snapshot: FrozenSnapshot) => SizeLimits): Guard {
  return {
    name: 'size-and-shape',
    kinds: ['call', 'own', 'read', 'prompt', 'completion'],
    judge(call) {
      if (!call.target.isWellFormed()) return deny('invalid_params', HALF_A_CHARACTER);
      if (call.kind !== 'call' && call.kind !== 'own') {
        const problem = findProblem(call.body, { depth: MAX_DEPTH, left: MAX_NODES });
        return problem === HALF_A_CHARACTER ? deny('invalid_params', problem) : ALLOW;
      }
      const { bodyBytes, depth } = limits(call.snapshot);
      if (call.bytes > bodyBytes)
        return deny(
          'too_large',
          `The call has ${call.bytes} bytes and the limit is ${bodyBytes}. Send less, or in parts.`,
        );
      if (!isObject(call.body)) return deny('invalid_params', 'The arguments of a tool call are one JSON object.');
      const problem = findProblem(call.body, { depth, left: MAX_NODES });
      return problem === undefined ? ALLOW : deny('invalid_params', problem);
    },
  };
}

function deny(code: 'too_large' | 'invalid_params', reason: string): Verdict {
  return { kind: 'deny', code, reason };
}

/**
 * JSON may hold half of a surrogate pair, and what programs make of it cannot be foreseen (RFC 8259 section 8.2): a policy would
 * read U+FFFD where the upstream reads something else.
 */
const HALF_A_CHARACTER =
  'The request has a text with half of a character: a surrogate such as \\ud83d without its other half. Send the whole character, or leave it out.';

interface Budget {
  readonly depth: number;
  left: number;
}

function findProblem(value: object, budget: Budget, depth = 1): string | undefined {
  if (depth > budget.depth) return `The arguments are nested deeper than ${budget.depth} levels. Send a flatter value.`;
  if (Array.isArray(value)) return findInList(value, budget, depth);
  for (const key of Object.keys(value)) {
    if (--budget.left < 0) return `The arguments have more than ${MAX_NODES} members. Send less, or in parts.`;
    if (!key.isWellFormed()) return HALF_A_CHARACTER;
    if (key.length > MAX_KEY) return `The arguments have a member whose name is longer than ${MAX_KEY} characters.`;
    const member: unknown = (value as Readonly<Record<string, unknown>>)[key];
    // Prototype pollution: harmless to us, and a way into upstreams that merge what they get. `constructor` alone is a
    // word (racing teams have one); with `prototype` in it it is an attack.
    if (key === '__proto__' || (key === 'constructor' && isObject(member) && Object.hasOwn(member, 'prototype')))
      return `The arguments have a member "${key}" that would change the objects of a program that reads it. Leave it out.`;
    const problem = findInMember(member, budget, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findInList(list: readonly unknown[], budget: Budget, depth: number): string | undefined {
  budget.left -= list.length;
  if (budget.left < 0) return `The arguments have more than ${MAX_NODES} members. Send less, or in parts.`;
  for (const element of list) {
    const problem = findInMember(element, budget, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findInMember(member: unknown, budget: Budget, depth: number): string | undefined {
  // 1e400 reads as Infinity here, as null or an error elsewhere: no two programs see the same value.
  if (typeof member === 'number' && !Number.isFinite(member))
    return 'The arguments have a number that is too large to be read. Send it as text.';
  if (typeof member === 'string') return member.isWellFormed() ? undefined : HALF_A_CHARACTER;
  return typeof member === 'object' && member !== null ? findProblem(member, budget, depth + 1) : undefined;
}
