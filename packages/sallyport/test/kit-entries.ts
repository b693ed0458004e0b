import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';

const SERVERS = fileURLToPath(new URL('../../../servers/', import.meta.url));

/** The servers of this repository that are written with the kit. */
export const KIT_SERVERS = [
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
] as const;

export interface KitEntry {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** Their entries in a configuration, and a folder with what the examples in their READMEs read. */
export function createKitEntries(): { readonly entries: Readonly<Record<string, KitEntry>>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'kit-servers-'));
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
  const entries = Object.fromEntries(
    KIT_SERVERS.map((name): [string, KitEntry] => [
      name,
      { command: process.execPath, args: [join(SERVERS, `${name}-mcp-server/dist/main.js`)], env },
    ]),
  );
  return { entries, remove: () => rmSync(folder, { recursive: true }) };
}

export interface KitExample {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** Those in its README. */
export function examplesOf(name: string): readonly KitExample[] {
  const readme = readFileSync(join(SERVERS, `${name}-mcp-server/README.md`), 'utf8');
  const blocks = [...readme.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text) as object);
  return blocks.filter((block): block is KitExample => 'tool' in block);
}
