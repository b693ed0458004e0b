import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const SERVERS = fileURLToPath(new URL('../../../servers/', import.meta.url));
const NAMES = [
  'calculator',
  'command',
  'csv',
  'files',
  'hello-world',
  'issues',
  'lights',
  'products',
  'sql',
  'stocks',
  'weather',
];

interface Example {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** What differs between two calls of the same tool. */
const VARIES = /"created_at":"[^"]*"|\\"created_at\\":\\"[^"\\]*\\"/g;

let folder = '';
let gateway: RunningGateway;
let entries: Record<string, { command: string; args: string[]; env: Record<string, string> }> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kit-servers-'));
  for (const name of ['notes', 'drafts']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'notes/todo.md'), 'Buy milk.');
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(folder, 'sales.csv'), 'country,price\nFR,10\nDE,"5.5"\nFR,\nDE,x\nFR,-1\n');
  const database = new DatabaseSync(join(folder, 'people.db'));
  database.exec(
    "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people (name) VALUES ('Ada'), ('Grace'), ('Alan')",
  );
  database.close();
  const env = {
    ...{ FILES_ROOTS: folder, CSV_ROOTS: folder, COMMAND_ALLOWED: 'wc,echo', COMMAND_FOLDER: folder },
    ...{ SQL_FILE: join(folder, 'people.db'), WEATHER_OFFLINE: '1' },
  };
  entries = Object.fromEntries(
    NAMES.map((name) => [
      name,
      { command: process.execPath, args: [join(SERVERS, `${name}-mcp-server/dist/main.js`)], env },
    ]),
  );
  gateway = await startGateway({ mcpServers: entries });
});
afterAll(() => rmSync(folder, { recursive: true }));

function examplesOf(name: string): readonly Example[] {
  const readme = readFileSync(join(SERVERS, `${name}-mcp-server/README.md`), 'utf8');
  const blocks = [...readme.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text) as object);
  return blocks.filter((block): block is Example => 'tool' in block);
}

describe.each(NAMES)('%s through the gateway, with default settings', (name) => {
  it('lists and answers as it does without it: nothing altered, held or asked', async () => {
    const direct = new Client({ name: 'direct', version: '1.0.0' });
    const entry = entries[name]!;
    await direct.connect(
      new StdioClientTransport({ ...entry, env: { ...process.env, ...entry.env } as never, stderr: 'ignore' }),
    );
    const client = await new PlainClient(gateway, gateway.servers[name]).initialize();
    const { tools } = await direct.listTools();
    expect((await client.request('tools/list', {})).result).toMatchObject({ tools });
    const examples = examplesOf(name);
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const { tool, input } of examples) {
      const plain = await direct.callTool({ name: tool, arguments: input });
      const { result, error } = await client.request('tools/call', { name: tool, arguments: input });
      // Arguments that break the schema are refused by the gateway, in its own words.
      if (plain.isError === true && /The arguments of \w+ do not fit/.test(JSON.stringify(plain.content))) {
        expect(error ?? result).toMatchObject(error === undefined ? { isError: true } : { code: -32602 });
        continue;
      }
      const show = ({ content, structuredContent, isError }: typeof plain) =>
        JSON.stringify({ content, structuredContent, isError }).replaceAll(VARIES, '');
      expect(show(result as never), tool).toBe(show(plain));
    }
    await direct.close();
  });

  it('is clean under the linter', async () => {
    const entry = entries[name]!;
    const env = Object.entries(entry.env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const { stdout, exit } = await cli([
      'lint',
      '--fail-on',
      'warning',
      '--call',
      ...env,
      '--',
      entry.command,
      ...entry.args,
    ]);
    expect({ exit, stdout: exit === 0 ? '' : stdout }).toEqual({ exit: 0, stdout: '' });
  });
});
