import type { Principal } from '../core/principal.ts';

/** A person's two programs are two callers: one must not go on with the conversation of the other. */
export function isSameCaller(one: Principal, other: Principal): boolean {
  return one === other || (one.id === other.id && one.agent === other.agent);
}

/**
 * Whether a caller who comes back may do all it could before: a conversation must not keep rights that are gone. More
 * scopes are the outcome of a step-up (2026-07-28 authorization, "Step-Up Authorization Flow"), which continues what it
 * was asked for in. Another group or attribute makes it another member of the house, who begins anew.
 */
export function keepsRights(before: Principal, now: Principal): boolean {
  if (before === now) return true;
  const place = ({ groups, attributes }: Principal) =>
    JSON.stringify([[...groups].sort(), Object.entries(attributes ?? {}).sort()]);
  return hasAll(before.scopes, now.scopes) && place(before) === place(now);
}

/** No scopes at all is no limit; an empty list allows nothing. */
function hasAll(before: readonly string[] | undefined, now: readonly string[] | undefined): boolean {
  if (now === undefined) return true;
  return before?.every((scope) => now.includes(scope)) === true;
}
