import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** One column per member of a record. */
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

export const CSV_HEADING = `${COLUMNS.join(',')}\r\n`;

/** One record as a line of CSV. */
export function toCsvLine(chain: string, value: JsonObject): string {
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
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
