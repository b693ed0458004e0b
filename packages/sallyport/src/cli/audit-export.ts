import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { readRecords } from '../telemetry/audit/read-records.ts';
import { readTime } from './audit-search.ts';
import { type Command, isSet, textOption } from './command.ts';
import { AUDIT_FLAGS, findAuditDirectory } from './find-audit.ts';
import { write } from './terminal.ts';

/** One JSON value is held whole. */
const MAX_JSON = 100_000;

export const auditExport: Command = {
  name: 'audit export',
  summary: 'print every record, as JSON lines or as CSV',
  options: [
    { flags: '--format <format>', meaning: 'jsonl (default): the records as they stand; csv: one column per member' },
    { flags: '--since <time>', meaning: 'from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago' },
    { flags: '--until <time>', meaning: 'up to then' },
    ...AUDIT_FLAGS,
  ],
  example: 'sallyport audit export --format csv --since 7d > audit.csv',
  async run(input) {
    const { options, terminal } = input;
    const format = textOption(options, 'format') ?? 'jsonl';
    if (format !== 'jsonl' && format !== 'csv') throw new FaultError('usage', '--format is jsonl or csv.');
    const since = readTime('--since', textOption(options, 'since'), Date.now());
    const until = readTime('--until', textOption(options, 'until'), Date.now());
    const all: JsonObject[] = [];
    // With --json the one value is the list; the formats are for streams.
    const asJson = isSet(options, 'json');
    if (format === 'csv' && !asJson) await write(terminal.stdout, `${COLUMNS.join(',')}\r\n`);
    for await (const { chain, line, value } of readRecords(findAuditDirectory(input), input.signal)) {
      const time = String(value['time']);
      if ((since !== undefined && time < since) || (until !== undefined && time > until)) continue;
      if (asJson && all.length >= MAX_JSON)
        throw new FaultError('usage', `More than ${MAX_JSON} records: leave --json out, or narrow with --since.`);
      if (asJson) all.push({ chain, ...value });
      else await write(terminal.stdout, format === 'csv' ? toCsv(chain, value) : `${line}\n`);
    }
    return asJson ? { value: { records: all } } : undefined;
  },
};

const COLUMNS = [
  ...['chain', 'seq', 'time', 'kind', 'callId', 'method', 'principal', 'principalKind', 'person', 'agent', 'account'],
  ...[
    'actors',
    'client',
    'upstream',
    'tool',
    'toolDigest',
    'snapshot',
    'arguments',
    'requestBytes',
    'verdict',
    'guard',
  ],
  ...['reason', 'approval', 'outcome', 'ms', 'resultBytes', 'result', 'prev'],
] as const;

function toCsv(chain: string, value: JsonObject): string {
  const principal = toObject(value['principal']);
  const cells: JsonObject = {
    ...value,
    chain,
    principal: principal['id'] ?? null,
    principalKind: principal['kind'] ?? null,
    person: principal['person'] ?? null,
    agent: principal['agent'] ?? null,
    account: principal['account'] ?? null,
    actors: Array.isArray(principal['actors']) ? principal['actors'].join(' ') : null,
    client: toObject(value['client'])['name'] ?? null,
  };
  return `${COLUMNS.map((column) => toCell(cells[column])).join(',')}\r\n`;
}

function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** RFC 4180; a cell that a spreadsheet would run as a formula is quoted as text, since strangers choose names. */
function toCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
