import type { Principal } from '../core/principal.ts';

/** A person's two programs are two callers: one must not go on with the conversation of the other. */
export function isSameCaller(one: Principal, other: Principal): boolean {
  return one === other || (one.id === other.id && one.agent === other.agent);
}

/** Whether a caller may still do exactly what it could when its conversation began. */
export function hasSameRights(one: Principal, other: Principal): boolean {
  if (one === other) return true;
  const rights = ({ groups, scopes, attributes }: Principal) =>
    // No scopes at all is no limit; an empty list allows nothing.
    JSON.stringify([[...groups].sort(), scopes && [...scopes].sort(), Object.entries(attributes ?? {}).sort()]);
  return rights(one) === rights(other);
}
