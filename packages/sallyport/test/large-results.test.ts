import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** Results larger than a client takes, end to end: cut, stored, and read in parts by whoever got them. */

const ROWS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}`, note: 'n'.repeat(id % 40) }));
const LOG = Array.from({ length: 5_000 }, (_, i) => `2026-11-25 line ${i} "quoted" 中文`).join('\n');
const PICTURE = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 31) & 255));
const OUTPUT = {
  type: 'object',
  properties: { rows: { type: 'array', items: { type: 'object' } } },
  required: ['rows'],
  additionalProperties: false,
};
const TOOLS = ['log', 'rows', 'picture', 'short'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
  ...(name === 'rows' ? { outputSchema: OUTPUT } : {}),
}));
const RESULTS = new Map<string, unknown>([
  ['log', { content: [{ type: 'text', text: LOG }] }],
  ['rows', { content: [{ type: 'text', text: JSON.stringify({ rows: ROWS }) }], structuredContent: { rows: ROWS } }],
  ['picture', { content: [{ type: 'image', mimeType: 'image/png', data: PICTURE.toString('base64') }] }],
  ['short', { content: [{ type: 'text', text: 'short' }] }],
]);

function behave(message: Incoming, response: ServerResponse): boolean {
  const result =
    message.method === 'tools/list'
      ? { tools: TOOLS }
      : message.method === 'tools/call'
        ? RESULTS.get(message.params?.name ?? '')
        : undefined;
  if (result === undefined) return false;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  return true;
}

interface Result {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: { readonly rows: unknown[] };
  readonly isError?: boolean;
}

let gateway: RunningGateway;
let legacy: PlainClient;
let modern: PlainClient;

beforeAll(async () => {
  const upstream = await startHttpUpstream({ behave });
  const servers = { web: { url: upstream.url, era: 'legacy' } };
  const results = { characters: 8_000, binaryBytes: 20_000 };
  gateway = await startGateway({ mcpServers: servers, results } as Parameters<typeof startGateway>[0]);
  legacy = await new PlainClient(gateway).initialize();
  modern = new PlainClient(gateway);
});

type Call = (name: string, given?: Record<string, unknown>) => Promise<Result>;
const ways: Record<string, Call> = {
  legacy: async (name, given) => (await legacy.call(name, given)).result as unknown as Result,
  modern: async (name, given) => (await modern.callModern(name, given)).result as unknown as Result,
};

function linkIn(result: Result): string {
  const uri = result.content.find(({ type }) => type === 'resource_link')?.['uri'];
  if (typeof uri !== 'string') throw new Error(`no link: ${JSON.stringify(result).slice(0, 500)}`);
  return uri;
}

describe.each(['legacy', 'modern'])('a %s client', (era) => {
  const call: Call = (name, given) => (ways[era] as Call)(name, given);

  test('gets the beginning and the end of a text, and reads the rest by range, line and search', async () => {
    const cut = await call('web_log');
    expect(String(cut.content[0]?.['text']).length).toBeLessThan(8_000);
    expect(String(cut.content[1]?.['text'])).toContain('The tool ran');
    const artifact = linkIn(cut);
    const range = await call('read_artifact', { artifact, offset: 50_000, length: 500 });
    expect(LOG).toContain(range.content[0]?.['text']);
    expect(range.content[1]?.['text']).toMatch(/^Characters \d+ to \d+ of \d+\. Next: \{"offset":\d+\}\.$/);
    const line = await call('read_artifact', { artifact, line: 4_001, length: 20 });
    expect(line.content[0]?.['text']).toMatch(/^2026-11-25 line 4000\b/);
    const found = await call('read_artifact', { artifact, search: 'LINE 4321 ' });
    expect(found.content[0]?.['text']).toMatch(/^line 4322, offset \d+: /);
  });

  test('gets structured content that keeps its schema, the same as text, and reads the rest by path', async () => {
    const cut = await call('web_rows');
    const rows = cut.structuredContent?.rows ?? [];
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThan(500);
    expect(Object.keys(cut.structuredContent ?? {})).toEqual(['rows']);
    expect(JSON.parse(String(cut.content[0]?.['text']))).toEqual(cut.structuredContent);
    const artifact = linkIn(cut);
    const slice = await call('read_artifact', { artifact, path: '$.rows[1500:1503]' });
    expect(JSON.parse(String(slice.content[0]?.['text']))).toEqual(ROWS.slice(1500, 1503));
    const wrong = await call('read_artifact', { artifact, path: '$..rows' });
    expect(wrong).toMatchObject({ isError: true });
  });

  test('gets a link for a large picture, and the picture by it', async () => {
    const uri = linkIn(await call('web_picture'));
    const client = era === 'legacy' ? legacy : modern;
    const read = await client[era === 'legacy' ? 'request' : 'requestModern']('resources/read', { uri });
    expect(read.result).toMatchObject({ contents: [{ uri, mimeType: 'image/png', blob: PICTURE.toString('base64') }] });
  });

  test('gets what fits byte for byte', async () => {
    expect(await call('web_short')).toMatchObject({ content: [{ type: 'text', text: 'short' }] });
  });
});

test('on the endpoint of one server nothing is cut, since its list is its own', async () => {
  const client = await new PlainClient(gateway, `${gateway.origin}/servers/web/mcp`).initialize();
  expect((await client.call('log')).result).toEqual(RESULTS.get('log'));
  expect((await client.ask('tools/list')).body).not.toContain('read_artifact');
  expect((await legacy.ask('tools/list')).body).toContain('read_artifact');
});

test('the bytes are sealed in the state directory, and another process on it reads them', async () => {
  const uri = linkIn(await (ways['legacy'] as Call)('web_log'));
  const folder = join(gateway.process.stateDir, 'artifacts');
  const id = uri.slice(uri.lastIndexOf('/') + 1);
  expect(readdirSync(folder)).toContain(id);
  expect(readFileSync(join(folder, id)).includes('2026-11-25 line')).toBe(false);
  const other = await startGateway(JSON.parse(readFileSync(gateway.process.configFile, 'utf8')), [], {
    SALLYPORT_STATE: gateway.process.stateDir,
  });
  const client = await new PlainClient(other).initialize();
  const { result } = await client.call('read_artifact', { artifact: uri, length: 100 });
  expect(LOG.startsWith(String((result as unknown as Result).content[0]?.['text']))).toBe(true);
});

test('a caller with another key reads nothing, and is told the same as of what is not there', async () => {
  const uri = linkIn(await (ways['legacy'] as Call)('web_log'));
  const other = new PlainClient(await keyHolder(gateway, 'other', []));
  const read = async (artifact: string) =>
    ((await other.callModern('read_artifact', { artifact })).result as unknown as Result).content[0]?.['text'];
  const unknown = uri.replace(/[0-9a-f]{32}$/, '0'.repeat(32));
  for (const artifact of [uri, unknown])
    expect(await read(artifact)).toBe(`There is no artifact "${artifact}" for this caller. It may have expired.`);
});
