/** Freezes plain objects, arrays and Maps all the way down: a call keeps the snapshot it began with. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    for (const member of value.values()) freeze(member);
    // Object.freeze does not reach a Map's entries.
    value.set = refuse;
    value.delete = refuse;
    value.clear = refuse;
  } else {
    for (const member of Object.values(value)) freeze(member);
  }
  return Object.freeze(value);
}

function refuse(): never {
  throw new TypeError('A snapshot does not change; load a new one.');
}
