import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { member } from '../core/json.ts';
import { readRecords } from '../telemetry/audit/read-records.ts';
import { type CallFilter, searchCalls } from '../telemetry/audit/search-calls.ts';
import { type Command, type Flag, type Options, textOption } from './command.ts';
import { AUDIT_FLAGS, findAuditDirectory } from './find-audit.ts';
import { toTable } from './to-table.ts';

const OUTCOMES = ['ok', 'tool_error', 'error', 'denied', 'cancelled', 'failed', 'unfinished'];
const MAX_LIMIT = 100_000;

const FILTER_FLAGS: readonly Flag[] = [
  { flags: '--principal <id>', meaning: 'by this caller: principal, person, agent or account' },
  { flags: '--tool <name>', meaning: 'of this tool' },
  { flags: '--upstream <name>', meaning: 'of this server' },
  { flags: '--outcome <outcome>', meaning: OUTCOMES.join(', ') },
  { flags: '--call <id>', meaning: 'this call' },
  { flags: '--since <time>', meaning: 'from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago' },
  { flags: '--until <time>', meaning: 'up to then' },
  { flags: '--limit <count>', meaning: 'at most so many, the newest (default: 100)' },
];

export const auditSearch: Command = {
  name: 'audit search',
  summary: 'find calls in the audit',
  options: [...FILTER_FLAGS, ...AUDIT_FLAGS],
  example: 'sallyport audit search --outcome denied --since 24h',
  async run(input) {
    const filter = readFilter(input.options, Date.now());
    const limit = readLimit(textOption(input.options, 'limit'));
    const calls = await searchCalls(readRecords(findAuditDirectory(input), input.signal), filter, limit);
    const screen = input.terminal.stdout.isTTY === true ? (input.terminal.stdout.columns ?? 0) : 0;
    return {
      value: { calls },
      text: calls.length === 0 ? '' : toTable(HEADINGS, calls.map(toRow), screen),
      remarks: calls.length === 0 ? ['No call matches.'] : [],
    };
  },
};

const HEADINGS = ['time', 'call', 'principal', 'server', 'tool', 'outcome', 'ms', 'reason'];

function toRow(call: JsonObject): string[] {
  const { time, callId, principal, upstream, tool, outcome, ms, guard, reason } = call;
  const why = [guard, reason].filter((part) => typeof part === 'string').join(': ');
  const who = member(principal, 'person') ?? member(principal, 'id');
  return [time, callId, who, upstream, tool ?? call['method'], outcome, ms, why].map((cell) =>
    cell === undefined ? '' : String(cell),
  );
}

function readFilter(options: Options, now: number): CallFilter {
  const outcome = textOption(options, 'outcome');
  if (outcome !== undefined && !OUTCOMES.includes(outcome))
    throw new FaultError('usage', `--outcome is one of ${OUTCOMES.join(', ')}.`);
  return {
    principal: textOption(options, 'principal'),
    tool: textOption(options, 'tool'),
    upstream: textOption(options, 'upstream'),
    outcome,
    callId: textOption(options, 'call'),
    since: readTime('--since', textOption(options, 'since'), now),
    until: readTime('--until', textOption(options, 'until'), now),
  };
}

const AGO: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** ISO text of a time, or of so long ago. @throws FaultError `usage` */
export function readTime(flag: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = unit === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now - Number(count) * (AGO.get(unit) ?? 0);
  if (Number.isNaN(at))
    throw new FaultError(
      'usage',
      `${flag} is a date, a time like 2026-01-31T12:00:00Z, or 30m, 12h, 7d for so long ago.`,
    );
  return new Date(at).toISOString();
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? 100 : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new FaultError('usage', `--limit is a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
