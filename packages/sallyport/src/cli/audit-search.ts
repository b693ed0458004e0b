import { FaultError } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import { type Api, type ApiInput, withApi } from './api.ts';
import { AUDIT_FLAGS, auditPlace } from './audit-place.ts';
import { type Command, type Flag, type Options, textOption } from './command.ts';
import { describeWho } from './describe-who.ts';
import { readTime } from './read-time.ts';
import { toTable } from './to-table.ts';

const OUTCOMES = ['ok', 'tool_error', 'error', 'denied', 'withheld', 'cancelled', 'failed', 'unfinished'] as const;
const MAX_LIMIT = 100_000;
/** Of the API. */
const MAX_PAGE = 1_000;

const FILTER_FLAGS: readonly Flag[] = [
  { flags: '--principal <id>', meaning: 'by this caller: principal, person, agent or account' },
  { flags: '--person <person>', meaning: 'by this human being' },
  { flags: '--agent <agent>', meaning: 'by this client program' },
  { flags: '--tool <name>', meaning: 'of this tool' },
  { flags: '--upstream <name>', meaning: 'of this server' },
  { flags: '--outcome <outcome>', meaning: OUTCOMES.join(', ') },
  { flags: '--guard <name>', meaning: 'refused or rewritten by this guard' },
  { flags: '--call <id>', meaning: 'this call' },
  { flags: '--text <words>', meaning: 'with this in its names, reasons or ids' },
  { flags: '--kind <kind>', meaning: 'call (default), event, or one kind of event, e.g. approval_answer' },
  { flags: '--since <time>', meaning: 'from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago' },
  { flags: '--until <time>', meaning: 'up to then' },
  { flags: '--limit <count>', meaning: 'at most so many, the newest (default: 100)' },
  { flags: '--cursor <cursor>', meaning: 'go on where "next" of --json said' },
];

type Query = NonNullable<ApiInput<'searchAudit'>['query']>;

export const auditSearch: Command = {
  name: 'audit search',
  summary: 'find calls and events in the audit',
  options: [...FILTER_FLAGS, ...AUDIT_FLAGS],
  example: 'sallyport audit search --outcome denied --since 24h',
  async run(input) {
    const filter = readFilter(input.options, Date.now());
    const limit = readLimit(textOption(input.options, 'limit'));
    const { calls, next } = await withApi(input, (api) => search(api, filter, limit), auditPlace(input));
    const screen = input.terminal.stdout.isTTY === true ? (input.terminal.stdout.columns ?? 0) : 0;
    return {
      value: { calls, next: next ?? null },
      text: calls.length === 0 ? '' : toTable(HEADINGS, calls.map(toRow), screen),
      remarks: calls.length === 0 ? ['No call matches.'] : [],
    };
  },
};

/** The newest, the oldest of them first. */
async function search(api: Api, filter: Query, limit: number) {
  const calls: JsonObject[] = [];
  let next = filter.cursor;
  do {
    const query = { ...filter, limit: Math.min(MAX_PAGE, limit - calls.length), cursor: next };
    const page = await api.call('searchAudit', { query });
    calls.push(...(page.items as unknown as JsonObject[])); // read from JSON
    next = page.next;
  } while (next !== undefined && calls.length < limit);
  return { calls: calls.reverse(), next };
}

const HEADINGS = ['time', 'call', 'principal', 'server', 'tool', 'outcome', 'ms', 'reason'];

function toRow(call: JsonObject): string[] {
  const { time, callId, principal, upstream, tool, outcome, ms, guard, reason, by } = call;
  const why = [guard, reason].filter((part) => typeof part === 'string').join(': ');
  const id = member(principal, 'id') ?? by;
  const person = member(principal, 'person') ?? call['person'];
  const who = typeof id === 'string' ? describeWho(id, typeof person === 'string' ? person : undefined) : undefined;
  return [time, callId, who, upstream, tool ?? call['method'], outcome ?? call['kind'], ms, why].map((cell) =>
    cell === undefined ? '' : String(cell),
  );
}

function readFilter(options: Options, now: number): Query {
  const named = textOption(options, 'outcome');
  const outcome = OUTCOMES.find((one) => one === named);
  if (named !== undefined && outcome === undefined)
    throw new FaultError('usage', `--outcome is one of ${OUTCOMES.join(', ')}.`);
  return {
    principal: textOption(options, 'principal'),
    person: textOption(options, 'person'),
    agent: textOption(options, 'agent'),
    tool: textOption(options, 'tool'),
    upstream: textOption(options, 'upstream'),
    outcome,
    guard: textOption(options, 'guard'),
    callId: textOption(options, 'call'),
    text: textOption(options, 'text'),
    kind: textOption(options, 'kind'),
    since: readTime('--since', textOption(options, 'since'), now),
    until: readTime('--until', textOption(options, 'until'), now),
    cursor: textOption(options, 'cursor'),
  };
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? 100 : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new FaultError('usage', `--limit is a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
