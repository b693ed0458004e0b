import type { Json, JsonObject } from '../../core/json.ts';

const OF_THE_RECORD = new Set(['seq', 'prev', 'kind']);

/** A call as one object: the record of its end and, where it was admitted, of its admission; events stand as they are. */
export function toCall(admitted: JsonObject | undefined, ended: JsonObject): JsonObject {
  const kind = ended['kind'];
  if (kind !== 'outcome' && kind !== 'denied' && kind !== 'admitted') return without(ended, new Set(['prev']));
  const end = kind === 'admitted' ? { ...ended, outcome: 'unfinished' } : ended;
  const merged = new Map<string, Json>();
  // The time of a call is the one it was admitted at; the rest of the end says more.
  for (const [key, value] of [...Object.entries(end), ...Object.entries(admitted ?? {})])
    if (!OF_THE_RECORD.has(key) && (key === 'time' || !merged.has(key))) merged.set(key, value ?? null);
  return Object.fromEntries(merged);
}

function without(record: JsonObject, left: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !left.has(key)));
}
