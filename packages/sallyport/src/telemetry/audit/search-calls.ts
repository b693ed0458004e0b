import type { Json, JsonObject } from '../../core/json.ts';
import { member } from '../../core/json.ts';
import type { AuditRecord } from './read-records.ts';

/** What is left out matches everything. */
export interface CallFilter {
  readonly principal?: string | undefined;
  readonly tool?: string | undefined;
  readonly upstream?: string | undefined;
  /** Of `AuditOutcome`, or `unfinished`: admitted and not ended, because it runs still or Sallyport was killed. */
  readonly outcome?: string | undefined;
  readonly callId?: string | undefined;
  /** ISO time, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Calls whose end has not been read yet: more than can be in flight. */
const MAX_OPEN = 100_000;

/** The newest calls that match, oldest first; admission and end of a call are one. */
export async function searchCalls(
  records: AsyncIterable<AuditRecord>,
  filter: CallFilter,
  limit: number,
): Promise<JsonObject[]> {
  const open = new Map<string, JsonObject>();
  let found: JsonObject[] = [];
  const take = (call: JsonObject) => {
    if (!matches(call, filter)) return;
    found.push(call);
    if (found.length >= 2 * limit + 1_000) found = newest(found, limit);
  };
  for await (const { value } of records) {
    const { kind, callId } = value;
    if (typeof callId !== 'string') continue;
    if (kind === 'admitted') {
      if (open.size < MAX_OPEN) open.set(callId, value);
    } else if (kind === 'outcome' || kind === 'denied') {
      take(toCall(open.get(callId), value));
      open.delete(callId);
    }
  }
  for (const value of open.values()) take(toCall(value, { outcome: 'unfinished' }));
  return newest(found, limit);
}

function newest(found: JsonObject[], limit: number): JsonObject[] {
  return found.sort((a, b) => (String(a['time']) < String(b['time']) ? -1 : 1)).slice(-limit);
}

const OF_THE_RECORD = new Set(['seq', 'prev', 'kind']);

function toCall(admitted: JsonObject | undefined, ended: JsonObject): JsonObject {
  const entries = [...Object.entries(ended), ...Object.entries(admitted ?? {})].filter(
    ([key]) => !OF_THE_RECORD.has(key),
  );
  const merged = new Map<string, Json>();
  // The time of a call is the one it was admitted at; the rest of the end says more.
  for (const [key, value] of entries) if (key === 'time' || !merged.has(key)) merged.set(key, value ?? null);
  return Object.fromEntries(merged);
}

function matches(call: JsonObject, filter: CallFilter): boolean {
  const { principal, tool, upstream, outcome, callId, since, until } = filter;
  const time = String(call['time']);
  return (
    (principal === undefined || isBy(call['principal'] ?? null, principal)) &&
    (tool === undefined || call['tool'] === tool || `${call['upstream']}_${call['tool']}` === tool) &&
    (upstream === undefined || call['upstream'] === upstream) &&
    (outcome === undefined || call['outcome'] === outcome) &&
    (callId === undefined || call['callId'] === callId) &&
    (since === undefined || time >= since) &&
    (until === undefined || time <= until)
  );
}

function isBy(principal: Json, wanted: string): boolean {
  return ['id', 'person', 'agent', 'account'].some((key) => member(principal, key) === wanted);
}
