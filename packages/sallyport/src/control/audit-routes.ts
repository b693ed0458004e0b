import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../config/settings.ts';
import type { AuditFilter } from '../core/audit-index.ts';
import { FaultError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { createAuditIndex } from '../storage/audit-index.ts';
import { DIGEST_KEY_FILE } from '../telemetry/audit/audit.ts';
import { type AuditReader, createAuditReader, type PlacedRecord } from '../telemetry/audit/audit-reader.ts';
import { createHideValues, isUri } from '../telemetry/audit/hide-values.ts';
import { createKeyedDigest } from '../telemetry/audit/keyed-digest.ts';
import { RecordFollower } from '../telemetry/audit/read-records.ts';
import { auditDirectory, readTimes, TIMES } from './audit-file-routes.ts';
import { readLimit } from './page.ts';
import { createPolling } from './polling.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import {
  objectOf,
  PAGE_PARAMETERS,
  type Parameter,
  pageOf,
  type Role,
  type Route,
  type Schema,
  TEXT,
  TIME,
} from './route.ts';

const OUTCOMES = ['ok', 'tool_error', 'error', 'denied', 'withheld', 'cancelled', 'failed', 'unfinished'];

const FILTERS: readonly Parameter[] = [
  {
    name: 'kind',
    description: 'call (default), event for all that is no call, or one kind of event, e.g. approval_answer.',
    schema: TEXT,
  },
  {
    name: 'principal',
    description: 'Id, person, agent or account of the caller, or who brought it about.',
    schema: TEXT,
  },
  { name: 'person', description: 'The human being.', schema: TEXT },
  { name: 'agent', description: 'The client program, as whoever vouches for it names it.', schema: TEXT },
  { name: 'tool', description: "The server's own name of it, or <server>_<tool>.", schema: TEXT },
  { name: 'upstream', description: 'The server.', schema: TEXT },
  { name: 'outcome', description: 'How it ended.', schema: { enum: OUTCOMES } },
  { name: 'guard', description: 'Who refused or rewrote.', schema: TEXT },
  { name: 'callId', description: 'As the log names it.', schema: TEXT },
  { name: 'text', description: 'Words of names, reasons and ids; upper and lower case are one.', schema: TEXT },
  ...TIMES,
];

const CALL: Schema = {
  description: 'A call as one object, or an event: the members of its records.',
  ...objectOf({ chain: TEXT, seq: { type: 'integer' }, time: TIME }),
};

const RECORD: Schema = objectOf({
  chain: TEXT,
  segment: TEXT,
  offset: { type: 'integer', description: 'Where the line begins. Bytes.' },
  record: { type: 'object' },
});

/** How often new records are looked for while somebody follows them. Milliseconds. */
const LOOK_MS = 250;

/** The record of who did what: found by its index, read from its segments. */
export function auditRoutes(ports: ControlPorts): readonly Route[] {
  const { database } = ports;
  const directory = () => auditDirectory(ports);
  let reader: { readonly directory: string; readonly opened: Promise<AuditReader> } | undefined;
  const open = (): Promise<AuditReader> => {
    const now = directory();
    if (reader?.directory !== now) {
      const opened = database().then((one) => createAuditReader({ directory: now, index: createAuditIndex(one) }));
      reader = { directory: now, opened };
      opened.catch(() => {
        reader = undefined;
      });
    }
    return reader.opened;
  };
  const polling = createFollowing(directory);
  return [
    {
      method: 'GET',
      path: '/audit/calls',
      id: 'searchAudit',
      summary: 'Calls and events of the record, the newest first; values of arguments and results for operators only',
      role: 'viewer',
      query: [...PAGE_PARAMETERS, ...FILTERS],
      result: pageOf(CALL),
      problems: [503],
      handle: async ({ query, role }) => {
        const cursor = query.get('cursor') ?? undefined;
        const filter = readFilter(query);
        const tool = filter.tool && (await toRecorded(ports.sections(), filter.tool));
        const found = await ports.recordedCalls({ ...filter, tool }, readLimit(query), cursor);
        const items = found.items.map((call) => toVisible(call, role));
        return found.next === undefined ? { items } : { items, next: found.next };
      },
    },
    {
      method: 'GET',
      path: '/audit/calls/{callId}',
      id: 'showAuditCall',
      summary: 'Every record of one call, and where it stands',
      role: 'viewer',
      result: pageOf(RECORD),
      problems: [404, 503],
      handle: async ({ path, role }) => {
        const callId = path.get('callId') ?? '';
        const records = await (await open()).recordsOf(callId);
        if (records.length === 0) throw new FaultError('not_found', `No record is of a call "${callId.slice(0, 64)}".`);
        return { items: records.map((one) => toPlaced(one, role)) };
      },
    },
    {
      method: 'POST',
      path: '/audit/index',
      id: 'rebuildAuditIndex',
      summary: 'Forgets the index of the record and makes it anew from the segments',
      role: 'admin',
      result: objectOf({ records: { type: 'integer' }, segments: { type: 'integer' } }),
      handle: async () => ({ ...(await (await open()).rebuild()) }),
    },
    {
      method: 'GET',
      path: '/audit/events',
      id: 'followAudit',
      summary: 'Records as they are written; values of arguments and results for operators only',
      role: 'viewer',
      handle: ({ role }) => ({
        follow: (emit) =>
          polling.follow((records) => {
            for (const { record } of records) emit('record', toVisible(record, role));
          }),
      }),
    },
  ];
}

/** A URI is recorded as its digest where values are. */
async function toRecorded({ stateDir, audit }: Pick<Snapshot, 'stateDir' | 'audit'>, tool: string): Promise<string> {
  if (audit?.values === 'full' || !isUri(tool)) return tool;
  const key = await readFile(join(stateDir, DIGEST_KEY_FILE), 'utf8');
  return createHideValues(createKeyedDigest(Buffer.from(key.trim(), 'hex'))).target(tool, '');
}

/** What is written from now on. The first look finds where that is. */
function createFollowing(directory: () => string) {
  let follower: RecordFollower | undefined;
  return createPolling(async (isFirst) => {
    if (isFirst || follower === undefined) follower = new RecordFollower(directory());
    return (await follower.next()).map(({ value }) => ({ record: value }));
  }, LOOK_MS);
}

function readFilter(query: URLSearchParams): AuditFilter {
  const get = (name: string) => query.get(name) ?? undefined;
  const outcome = get('outcome');
  if (outcome !== undefined && !OUTCOMES.includes(outcome)) wrong(`outcome is one of ${OUTCOMES.join(', ')}.`);
  return {
    kind: get('kind'),
    principal: get('principal'),
    person: get('person'),
    agent: get('agent'),
    tool: get('tool'),
    upstream: get('upstream'),
    outcome,
    guard: get('guard'),
    callId: get('callId'),
    text: get('text'),
    ...readTimes(query),
  };
}

/** Where the operator has values recorded, they are for operators. */
function toVisible(record: JsonObject, role: Role): JsonObject {
  if (role !== 'viewer') return record;
  const { argumentsValue: _, resultValue: __, ...rest } = record;
  return rest;
}

function toPlaced({ record, ...place }: PlacedRecord, role: Role): Json {
  return { ...place, record: toVisible(record, role) };
}
