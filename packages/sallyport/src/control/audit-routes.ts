import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditFilter } from '../core/audit-index.ts';
import { FaultError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { createAuditIndex } from '../storage/audit-index.ts';
import { SEAL_KEY_FILE } from '../telemetry/audit/audit.ts';
import { type AuditReader, createAuditReader, type PlacedRecord } from '../telemetry/audit/audit-reader.ts';
import { exportRecords } from '../telemetry/audit/export-records.ts';
import { RecordFollower } from '../telemetry/audit/read-records.ts';
import { readPublicKey, toKeyId } from '../telemetry/audit/sealer.ts';
import { readExpectation, verifyAudit } from '../telemetry/audit/verify-audit.ts';
import { readLimit } from './page.ts';
import { createPolling } from './polling.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { PAGE_PARAMETERS, type Parameter, pageOf, type Role, type Route, type Schema } from './route.ts';

const TEXT: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const OUTCOMES = ['ok', 'tool_error', 'error', 'denied', 'cancelled', 'failed', 'unfinished'];

const TIMES: readonly Parameter[] = [
  { name: 'since', description: 'From then on.', schema: TIME },
  { name: 'until', description: 'Up to then.', schema: TIME },
];

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
  type: 'object',
  required: ['chain', 'seq', 'time'],
  properties: { chain: TEXT, seq: { type: 'integer' }, time: TIME },
  description: 'A call as one object, or an event: the members of its records.',
};

const RECORD: Schema = {
  type: 'object',
  required: ['chain', 'segment', 'offset', 'record'],
  properties: {
    chain: TEXT,
    segment: TEXT,
    offset: { type: 'integer', description: 'Where the line begins. Bytes.' },
    record: { type: 'object' },
  },
};

const HEAD: Schema = {
  type: 'object',
  required: ['seq', 'hash'],
  properties: { seq: { type: 'integer' }, hash: TEXT },
};

const CHAIN: Schema = {
  type: 'object',
  required: ['chain', 'segments', 'records', 'seals', 'first', 'last', 'unsealed', 'bad'],
  properties: {
    chain: TEXT,
    segments: { type: 'integer' },
    records: { type: 'integer' },
    seals: { type: 'integer' },
    first: { type: 'integer' },
    last: HEAD,
    unsealed: { type: 'integer', description: 'Records after the last seal.' },
    bad: {
      type: ['object', 'null'],
      required: ['seq', 'segment', 'problem'],
      properties: { seq: { type: 'integer' }, segment: TEXT, problem: TEXT },
    },
  },
};

/** How often new records are looked for while somebody follows them. Milliseconds. */
const LOOK_MS = 250;

/** The record of who did what: found by its index, read from its segments. */
export function auditRoutes(ports: ControlPorts): readonly Route[] {
  const { sections, database } = ports;
  const directory = (): string => {
    const { stateDir, audit } = sections();
    return audit?.directory ?? join(stateDir, 'audit');
  };
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
        const audit = await open();
        const found = await audit.search(readFilter(query), readLimit(query), query.get('cursor') ?? undefined);
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
      method: 'GET',
      path: '/audit/export',
      id: 'exportAudit',
      summary: 'Every record, as JSON lines as they stand, or as CSV',
      role: 'admin',
      query: [{ name: 'format', description: 'jsonl (default) or csv.', schema: { enum: ['jsonl', 'csv'] } }, ...TIMES],
      text: ['application/jsonl', 'text/csv'],
      handle: ({ query }) => {
        const format = query.get('format') ?? 'jsonl';
        if (format !== 'jsonl' && format !== 'csv') wrong('format is jsonl or csv.');
        const pieces = exportRecords(directory(), { format, ...readTimes(query) });
        return { type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl', pieces };
      },
    },
    {
      method: 'GET',
      path: '/audit/verification',
      id: 'verifyAudit',
      summary: 'Whether a record was changed, cut, moved or put in; the first bad one of each chain',
      role: 'admin',
      query: [{ name: 'expect', description: 'A state that must still be part of it: chain:seq:hash.', schema: TEXT }],
      result: {
        type: 'object',
        required: ['ok', 'key', 'directory', 'chains'],
        properties: {
          ok: { type: 'boolean' },
          key: { type: 'string', description: 'Of the key whose seals count.' },
          directory: TEXT,
          chains: { type: 'array', items: CHAIN },
        },
      },
      problems: [404],
      handle: async ({ query }) => {
        const expect = query.get('expect');
        const key = await readKey(sections().stateDir);
        const chains = await verifyAudit(directory(), key, expect === null ? undefined : readExpectation(expect));
        return {
          ok: chains.every(({ bad }) => bad === undefined),
          key: toKeyId(key),
          directory: directory(),
          chains: chains.map(({ bad, last, ...rest }) => ({
            ...rest,
            last: { ...last },
            bad: bad === undefined ? null : { ...bad },
          })),
        };
      },
    },
    {
      method: 'POST',
      path: '/audit/index',
      id: 'rebuildAuditIndex',
      summary: 'Forgets the index of the record and makes it anew from the segments',
      role: 'admin',
      result: {
        type: 'object',
        required: ['records', 'segments'],
        properties: { records: { type: 'integer' }, segments: { type: 'integer' } },
      },
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

function readTimes(query: URLSearchParams): Pick<AuditFilter, 'since' | 'until'> {
  const read = (name: string): string | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) wrong(`${name} is a date, or a time like 2026-01-31T12:00:00Z.`);
    return new Date(at).toISOString();
  };
  return { since: read('since'), until: read('until') };
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

async function readKey(stateDir: string) {
  const file = join(stateDir, SEAL_KEY_FILE);
  try {
    return readPublicKey(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new FaultError('config', `The seal key ${file} cannot be read.`, { cause });
  }
}
