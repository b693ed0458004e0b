import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { withApi } from './api.ts';
import { AUDIT_FLAGS, auditPlace } from './audit-place.ts';
import { type Command, isSet, textOption } from './command.ts';
import { toPlainText } from './plain-text.ts';
import { readTime } from './read-time.ts';
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
    // With --json the one value is the list; the formats are for streams.
    const asJson = isSet(options, 'json');
    const query = { format: asJson ? 'chained' : format, since, until } as const;
    return withApi(
      input,
      async (api) => {
        const pieces = await api.read('exportAudit', { query });
        if (asJson) return { value: { records: await collect(pieces) } };
        const isTerminal = terminal.stdout.isTTY === true;
        for await (const piece of pieces) await write(terminal.stdout, isTerminal ? toPlainText(piece) : piece);
        return undefined;
      },
      auditPlace(input),
    );
  },
};

async function collect(pieces: AsyncIterable<string>): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) records.push(JSON.parse(line) as JsonObject);
    if (records.length > MAX_JSON)
      throw new FaultError('usage', `More than ${MAX_JSON} records: leave --json out, or narrow with --since.`);
  }
  return records;
}
