import type { IndexedRecord } from '../../core/audit-index.ts';
import { isObject, type JsonObject } from '../../core/json.ts';

/** Longer ones are found by their beginning. Characters. */
const MAX_WORDS = 2_000;
const MAX_TEXT = 500;

/** Of no interest to anybody who searches: signatures over what stands there anyway. */
const LEFT_OUT = new Set(['seal']);
/** What no free text is looked for in: places of the chain and digests. */
const NO_WORDS = new Set([
  'seq',
  'prev',
  'time',
  'principal',
  'client',
  'snapshot',
  'toolDigest',
  'arguments',
  'result',
]);

/** What the index keeps of a line of a segment; `undefined`: nothing. What is no record is for `audit verify` to name. */
export function toIndexed(line: string, place: Pick<IndexedRecord, 'offset' | 'bytes'>): IndexedRecord | undefined {
  const record = readRecord(line);
  if (record === undefined) return undefined;
  const { seq, time, kind, callId, principal, upstream, tool, outcome, guard } = record;
  if (typeof seq !== 'number' || typeof time !== 'string' || typeof kind !== 'string') return undefined;
  if (LEFT_OUT.has(kind)) return undefined;
  const who = isObject(principal) ? principal : {};
  return {
    seq,
    time: time.slice(0, 30),
    kind: kind.slice(0, MAX_TEXT),
    callId: toText(callId),
    // An event names who brought it about as `by`.
    principal: toText(who['id'] ?? record['by']),
    person: toText(who['person'] ?? record['person']),
    agent: toText(who['agent']),
    account: toText(who['account']),
    upstream: toText(upstream),
    tool: toText(tool),
    outcome: kind === 'admitted' ? 'unfinished' : toText(outcome),
    guard: toText(guard),
    words: toWords(record, who),
    ...place,
  };
}

/** `undefined`: the line is no JSON object. */
export function readRecord(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : null;
}

function toWords(record: JsonObject, who: JsonObject): string {
  const client = isObject(record['client']) ? record['client'] : {};
  const texts = [who['id'], who['person'], who['agent'], who['account'], client['name']];
  for (const [name, value] of Object.entries(record))
    if (!NO_WORDS.has(name) && !name.endsWith('Value')) texts.push(value);
  return texts
    .filter((text) => typeof text === 'string')
    .join(' ')
    .slice(0, MAX_WORDS)
    .toLowerCase();
}
