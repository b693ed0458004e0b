import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { fromOpenApi, type KitServer } from '@sallyport/kit';
import { connectTestClient } from '@sallyport/kit/testing';
import { atLeast, atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { descendants, usageOf } from '../process/process-tree.ts';
import { type EchoServer, type Maker, startEcho, type Via } from './echo-server.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const VIAS: readonly Via[] = ['http', 'stdio'];
const MAKERS: readonly Maker[] = ['kit', 'sdk'];
const AT_ONCE = 16;

/** Lines of the first server in the README, which a test of the kit runs. */
export async function measureHello(): Promise<FaultMeasure> {
  const readme = readFileSync(join(ROOT, 'packages/kit/README.md'), 'utf8');
  const lines = /^```js\n([\s\S]*?)^```$/m.exec(readme)?.[1]?.trim().split('\n').length ?? Number.NaN;
  return { figures: [atMost('kit.hello_lines', lines, { goal: 12, unit: 'lines' })], rows: [] };
}

/** Calls per CPU second of the echo server, in turns; the worse of the two transports. */
export async function measureCalls({ progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const rounds = quick ? 3 : 7;
  const rows: { via: Via; kit: number; sdk: number; ratio: number }[] = [];
  for (const via of VIAS) {
    const servers = new Map<Maker, EchoServer>();
    for (const maker of MAKERS) servers.set(maker, await startEcho(maker, via));
    try {
      for (const server of servers.values()) await callMany(server, 500);
      for (let round = 0; round < rounds; round++) {
        const perSecond = new Map<Maker, number>();
        for (const maker of round % 2 === 0 ? MAKERS : [...MAKERS].reverse()) {
          const server = servers.get(maker) as EchoServer;
          perSecond.set(maker, await callMany(server, 2_000));
        }
        const [kit, sdk] = [perSecond.get('kit') ?? 0, perSecond.get('sdk') ?? 1];
        rows.push({ via, kit: Math.round(kit), sdk: Math.round(sdk), ratio: kit / sdk });
        progress(`${via}: ${Math.round(kit)} calls a CPU second on the kit, ${Math.round(sdk)} on the SDK`);
      }
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  }
  const worst = Math.min(...VIAS.map((via) => median(rows.filter((row) => row.via === via).map(({ ratio }) => ratio))));
  return { figures: [atLeast('kit.call_vs_sdk', worst, { goal: 0.9, unit: 'x' })], rows };
}

async function callMany({ pid, client }: EchoServer, count: number): Promise<number> {
  const before = usageOf([pid]).cpuUs;
  let left = count;
  const caller = async () => {
    while (left-- > 0)
      await client.callTool({ name: 'bench_echo_text', arguments: { text: 'a text of usual length' } });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return count / ((usageOf([pid]).cpuUs - before) / 1e6);
}

/** From the start of the process to the first list, in turns. */
export async function measureKitStart({ progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const rows: { via: Via; kit: number; sdk: number }[] = [];
  for (const via of VIAS) {
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      const ms = new Map<Maker, number>();
      for (const maker of round % 2 === 0 ? MAKERS : [...MAKERS].reverse()) {
        const server = await startEcho(maker, via);
        ms.set(maker, server.startMs);
        await server.stop();
      }
      rows.push({ via, kit: ms.get('kit') ?? 0, sdk: ms.get('sdk') ?? 0 });
    }
    progress(`${via}: ${rows.filter((row) => row.via === via).length} starts of each`);
  }
  const of = (via: Via, maker: Maker) => median(rows.filter((row) => row.via === via).map((row) => row[maker]));
  const worst = Math.max(...VIAS.map((via) => of(via, 'kit') / of(via, 'sdk')));
  return { figures: [atMost('kit.start_ms_vs_sdk', worst, { goal: 1.15, unit: 'x' })], rows };
}

interface Api {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly required?: readonly string[] };
}

const HEAVIEST = 19;

/** The heaviest operations of a real API, before and as tools; each keeps its required parameters. */
export async function measureOpenApi(data: string | undefined): Promise<FaultMeasure> {
  if (data === undefined)
    throw new Error('kit.openapi_tokens needs --data DIR, the folder with catalog-aliyun-zh.jsonl');
  const lines = readFileSync(join(data, 'catalog-aliyun-zh.jsonl'), 'utf8').trim().split('\n');
  const apis = lines.map((line) => JSON.parse(line) as Api).filter(({ server }) => server === 'ecs');
  const size = (api: Api) => JSON.stringify(api).length;
  const heaviest = apis.sort((a, b) => size(b) - size(a)).slice(0, HEAVIEST);
  const paths = Object.fromEntries(
    heaviest.map(({ name, description, inputSchema: schema }) => [
      `/${name}`,
      {
        post: {
          ...{ operationId: name, summary: description, description, responses: {} },
          requestBody: { required: true, content: { 'application/json': { schema } } },
        },
      },
    ]),
  );
  const document = {
    openapi: '3.1.0',
    info: { title: 'ECS', version: '1' },
    servers: [{ url: 'https://ecs.example' }],
    paths,
  };
  const { tools, report } = fromOpenApi(document, { service: 'ecs' });
  const lost = tools.flatMap(({ inputSchema }, index) => {
    const { required = [] } = inputSchema['~standard'].jsonSchema.input({
      target: 'draft-2020-12',
    }) as Api['inputSchema'];
    return (heaviest[index]?.inputSchema.required ?? []).filter((name) => !required.includes(name));
  });
  const tokens = lost.length > 0 ? Number.NaN : report.reduce((sum, { after }) => sum + after, 0);
  return {
    figures: [atMost('kit.openapi_tokens', tokens, { goal: 8_000, unit: 'tokens' })],
    rows: [...report, { lost }],
  };
}

const DEFINITIONS = 1_000;

/** The whole command, start included, on as many real definitions. */
export async function measureLint(data: string | undefined, { folder, quick }: FaultPlace): Promise<FaultMeasure> {
  if (data === undefined) throw new Error('kit.lint_ms needs --data DIR, the folder with catalog-aliyun-zh.jsonl');
  const lines = readFileSync(join(data, 'catalog-aliyun-zh.jsonl'), 'utf8').trim().split('\n').slice(0, DEFINITIONS);
  const file = join(folder, 'tools.json');
  writeFileSync(file, `{"tools":[${lines.join(',')}]}`);
  const rows: { ms: number }[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const startedAt = performance.now();
    const args = [join(ROOT, 'packages/sallyport/bin/sallyport.js'), 'lint', file, '--fail-on', 'none', '--json'];
    await promisify(execFile)(process.execPath, args, { maxBuffer: 256 * 1024 * 1024 });
    rows.push({ ms: Math.round(performance.now() - startedAt) });
  }
  return { figures: [atMost('kit.lint_ms', median(rows.map(({ ms }) => ms)), { goal: 1_000, unit: 'ms' })], rows };
}

const PAGES = 40;

/** How much memory grows while many rows are paged through: the worse of the csv server and the sql server. */
export async function measurePages(place: FaultPlace): Promise<FaultMeasure> {
  const megabytes = place.quick ? 100 : 1_000;
  const rows = [await pageCsv(place, megabytes), await pageSql(place, megabytes)];
  const most = Math.max(...rows.map(({ growth }) => growth));
  return { figures: [atMost('kit.page_mb', most, { goal: 20, unit: 'MB' })], rows };
}

async function pageCsv({ folder, progress }: FaultPlace, megabytes: number) {
  const { csv } = (await import(pathToFileURL(join(ROOT, 'servers/csv-mcp-server/dist/csv.js')).href)) as {
    readonly csv: (folders: readonly string[]) => Promise<KitServer>;
  };
  await writeRows(join(folder, 'rows.csv'), megabytes);
  progress(`${megabytes} MB of rows are written`);
  return pageThrough(await csv([folder]), async (call) => {
    for (let index = 0; index <= PAGES; index++) {
      await call('csv_list_rows', { path: 'rows.csv', limit: 100, offset: index * 100 });
    }
    const { rows } = await call('analyze_csv', { path: 'rows.csv', column: 'n' });
    progress(`csv: ${String(rows)} rows analysed`);
  });
}

/** SQLite, where the pages are read in a process beside the server: its memory counts, too. */
async function pageSql({ folder, progress }: FaultPlace, megabytes: number) {
  const { sql } = (await import(pathToFileURL(join(ROOT, 'servers/sql-mcp-server/dist/sql.js')).href)) as {
    readonly sql: (options: { file: string; isWritable?: boolean; timeoutMs?: number }) => Promise<KitServer>;
  };
  const file = join(folder, 'rows.db');
  const count = megabytes * 10_000;
  // SQLite makes a database of an empty file.
  writeFileSync(file, '');
  const writer = await sql({ file, isWritable: true, timeoutMs: 150_000 });
  const client = await connectTestClient(writer);
  await client.call('sql_execute_statement', { statement: 'CREATE TABLE rows (n INTEGER PRIMARY KEY, text TEXT)' });
  await client.call('sql_execute_statement', {
    statement: `WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x < ?) INSERT INTO rows SELECT x, '${'x'.repeat(90)}' FROM c`,
    parameters: [count - 1],
  });
  await client.close();
  await writer.close();
  progress(`${count} rows are in the database`);
  return pageThrough(await sql({ file }), async (call) => {
    for (let index = 0; index <= PAGES; index++) {
      const offset = Math.floor((index / PAGES) * (count - 100));
      await call('sql_run_query', { query: 'SELECT * FROM rows', limit: 100, offset });
    }
    const { items } = await call('sql_run_query', { query: 'SELECT count(*) AS rows, sum(n) AS sum FROM rows' });
    progress(`sql: ${JSON.stringify(items)}`);
  });
}

type Call = (name: string, input: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** Megabytes that this process and its children grow by, from the first call on. */
async function pageThrough(server: KitServer, work: (call: Call) => Promise<void>) {
  const memory = () => usageOf([process.pid, ...descendants(process.pid).map(({ pid }) => pid)]).rssBytes;
  const client = await connectTestClient(server);
  let before: number | undefined;
  let most = 0;
  try {
    await work(async (name, input) => {
      const result = await client.call(name, input);
      if (before === undefined) gc();
      before ??= memory();
      most = Math.max(most, memory());
      return result;
    });
    return { server: server.definition.name, growth: (most - (before ?? most)) / 1e6 };
  } finally {
    await client.close();
    await server.close();
  }
}

async function writeRows(file: string, megabytes: number): Promise<void> {
  const out = createWriteStream(file);
  out.write('n,text\n');
  const text = 'x'.repeat(90);
  for (let written = 0, n = 0; written < megabytes * 1e6; n++) {
    const row = `${n},${text}\n`;
    written += row.length;
    if (!out.write(row)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

function gc(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
