import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { findSinks } from '../../guard/sinks/sink-floor.ts';
import type { ControlPorts } from '../ports.ts';
import { wrong } from '../problem.ts';
import { objectOf, type Schema, TEXT, TEXTS } from '../route.ts';
import { readKnownTools } from './known-tools.ts';
import { openPolicySet, POLICIES } from './policy-set.ts';
import { createReplay, type Replayed } from './replay.ts';

const COUNT: Schema = { type: 'integer' };

export const SHADOW_REQUEST: Schema = {
  type: 'object',
  properties: {
    policies: POLICIES,
    since: { type: 'string', description: 'ISO time: calls from then on.' },
    until: { type: 'string', description: 'ISO time: calls up to then.' },
    limit: { type: 'integer', minimum: 1, maximum: 100000, default: 10000, description: 'Most calls, the newest.' },
  },
};

export const SHADOW_RESULT: Schema = objectOf({
  version: { type: 'string', description: 'Of the policies that were tried.' },
  calls: { type: 'integer', description: 'Recorded calls that were looked at.' },
  same: { type: 'integer', description: 'Calls with the same verdict.' },
  changed: { type: 'integer', description: 'Calls with another verdict.' },
  changes: {
    type: 'array',
    description: 'The newest of them, at most 1,000.',
    items: objectOf({
      callId: TEXT,
      time: TEXT,
      principal: TEXT,
      method: TEXT,
      target: { type: 'string', description: 'server/name' },
      did: TEXT,
      would: TEXT,
      reason: TEXT,
      policies: TEXTS,
    }),
  },
  unknown: {
    description: 'Calls that could not be decided, by cause.',
    ...objectOf({
      arguments: { type: 'integer', description: 'Their arguments would decide, and are recorded as a digest only.' },
      policies: { ...TEXTS, description: 'The policies that read those arguments.' },
      earlier: { type: 'integer', description: 'Another guard stopped them before the policies were asked.' },
      target: { type: 'integer', description: 'The record does not say what was called.' },
    }),
  },
  assumed: {
    description: 'Calls decided although something a policy reads is not recorded.',
    ...objectOf({
      effects: {
        ...COUNT,
        description: 'Decided by the effects of the definition, without those arguments tell of.',
      },
      labels: { type: 'boolean', description: 'A policy reads labels, which were taken to be none.' },
    }),
  },
});

const PAGE = 500;
const MAX_CHANGES = 1_000;

/** What policies would have said about the calls of the audit, the newest first. */
export async function shadowCalls(ports: ControlPorts, body: Json | undefined): Promise<Json> {
  const { since, until, limit } = readRange(body);
  const snapshot = ports.snapshot();
  const set = await openPolicySet(member(body, 'policies'), snapshot);
  const known = await readKnownTools(ports);
  const replay = createReplay(set, {
    sinksOf: (call) => findSinks(call, snapshot.sinks),
    definitionOf: (server, tool) => known.get(server)?.get(tool),
  });
  const tally = createTally();
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await ports.recordedCalls({ since, until }, Math.min(PAGE, left), cursor);
    for (const record of page.items) tally.add(record, replay(record));
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
  const readsLabels = set.compiled.policies.some(({ reads }) => reads.has('labels'));
  return {
    version: set.compiled.version,
    ...tally.result(),
    assumed: { effects: tally.assumed(), labels: readsLabels },
  };
}

function createTally() {
  const unknown = { arguments: 0, earlier: 0, target: 0 };
  const readers = new Set<string>();
  const changes: JsonObject[] = [];
  let calls = 0;
  let same = 0;
  let changed = 0;
  let assumed = 0;
  return {
    add(record: JsonObject, replayed: Replayed): void {
      calls++;
      if (replayed.kind === 'earlier') unknown.earlier++;
      else if (replayed.kind === 'unknown') unknown.target++;
      else if (replayed.kind === 'arguments') {
        unknown.arguments++;
        for (const id of replayed.policies) readers.add(id);
      } else {
        if (replayed.isAssumed) assumed++;
        if (replayed.did === replayed.decision.effect) same++;
        else {
          changed++;
          if (changes.length < MAX_CHANGES) changes.push(toChange(record, replayed));
        }
      }
    },
    assumed: () => assumed,
    result: () => ({ calls, same, changed, changes, unknown: { ...unknown, policies: [...readers].sort() } }),
  };
}

function toChange(record: JsonObject, { did, decision }: Extract<Replayed, { kind: 'decided' }>): JsonObject {
  return {
    callId: String(record['callId']),
    time: String(record['time']),
    principal: String(member(record['principal'], 'id')),
    method: String(record['method']),
    target: `${record['upstream']}/${record['tool']}`,
    did,
    would: decision.effect,
    reason: decision.reason,
    policies: decision.policies,
  };
}

function readRange(body: Json | undefined) {
  if (body !== undefined && !isObject(body)) wrong('The body is an object.');
  const limit = member(body, 'limit') ?? 10_000;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > 100_000)
    return wrong('"limit" is a whole number from 1 to 100000.');
  return { since: readTime(body, 'since'), until: readTime(body, 'until'), limit };
}

function readTime(body: Json | undefined, name: string): string | undefined {
  const text = member(body, name);
  if (text === undefined) return undefined;
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? wrong(`"${name}" is an ISO time.`) : new Date(at).toISOString();
}
