import type { JsonObject } from '../core/json.ts';
import type { UseRow } from '../storage/tables.ts';
import { createTokenUse, toDay } from '../storage/token-use.ts';
import { describePage, pageOfItems, readWord } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { NULLABLE_TEXT, objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TIME } from './route.ts';

const COUNT: Schema = { type: 'integer' };
const BY = ['tool', 'server', 'day'] as const;
type By = (typeof BY)[number];

const USE: Schema = objectOf({
  day: { ...NULLABLE_TEXT, description: 'The day (UTC); null unless asked for by day.' },
  server: NULLABLE_TEXT,
  tool: { ...NULLABLE_TEXT, description: 'A tool, or the method of what is no call; "other": calls that failed.' },
  calls: COUNT,
  requestTokens: { ...COUNT, description: 'Estimated from bytes.' },
  resultTokens: { ...COUNT, description: 'Estimated from bytes.' },
});

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** One token of JSON in UTF-8: 3.9 Latin characters, or 1.4 Chinese ones of three bytes each. */
const BYTES_PER_TOKEN = 4;

/** What calls cost in the contexts of models, over time. */
export function tokenRoutes({ database, clock }: Pick<ControlPorts, 'database' | 'clock'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/tokens/use',
      id: 'listTokenUse',
      summary: 'About how many tokens calls and their results took, by tool, server or day',
      role: 'viewer',
      query: [
        ...PAGE_PARAMETERS,
        { name: 'since', description: `From that day (UTC) on; left out: ${DEFAULT_DAYS} days.`, schema: TIME },
        { name: 'by', description: 'What is added up.', schema: { enum: [...BY], default: 'tool' } },
      ],
      result: pageOf(USE),
      handle: async ({ query }) => {
        const by = readWord(query, 'by', BY) ?? 'tool';
        const since = query.get('since');
        const at = since === null ? clock.now() - DEFAULT_DAYS * DAY_MS : Date.parse(since);
        if (Number.isNaN(at)) wrong('since is a time, e.g. 2026-01-31T00:00:00Z.');
        const rows = await createTokenUse(await database(), clock).read(toDay(at));
        return describePage(pageOfItems(addUp(rows, by), query, keyOf), (use) => use);
      },
    },
  ];
}

function addUp(rows: readonly UseRow[], by: By): JsonObject[] {
  const sums = new Map<string, { place: JsonObject; calls: number; request: number; result: number }>();
  for (const { day, upstream, target, calls, request_bytes, result_bytes } of rows) {
    const place = {
      day: by === 'day' ? day : null,
      server: by === 'day' ? null : upstream,
      tool: by === 'tool' ? target : null,
    };
    const key = keyOf(place);
    let sum = sums.get(key);
    if (sum === undefined) {
      sum = { place, calls: 0, request: 0, result: 0 };
      sums.set(key, sum);
    }
    sum.calls += calls;
    sum.request += request_bytes;
    sum.result += result_bytes;
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { place, calls, request, result }]) => ({
      ...place,
      calls,
      requestTokens: Math.round(request / BYTES_PER_TOKEN),
      resultTokens: Math.round(result / BYTES_PER_TOKEN),
    }));
}

function keyOf({ day, server, tool }: JsonObject): string {
  return [day, server, tool].map((part) => encodeURIComponent(String(part ?? ''))).join('~');
}
