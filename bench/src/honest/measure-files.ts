import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { compareAnswers, type Outcome } from './compare.ts';
import { startGateway } from './gateway.ts';
import type { ServerEntry } from './install-servers.ts';
import { type McpClient, openHttpClient } from './mcp-client.ts';

export interface FileRow {
  readonly table: 'files';
  readonly file: string;
  readonly outcome: Outcome;
}

const KINDS = new Set(['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.md', '.json', '.txt', '.yml', '.yaml']);
const MAX_BYTES = 256 * 1024;
const MAX_FILES = 2_000;
const AT_ONCE = 4;

/** Reads source files through the real filesystem server with a configuration of nothing but that server. */
export async function measureFiles(files: ServerEntry, root: string, folder: string): Promise<readonly FileRow[]> {
  const entry = { ...files, args: [files.args[0] ?? '', root] };
  const gateway = await startGateway(folder, { mcpServers: { files: entry } });
  try {
    const client = await openHttpClient(gateway.url, gateway.key);
    const queue = [...chooseFiles(root).entries()];
    const rows: FileRow[] = [];
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, file] = next;
        rows[at] = { table: 'files', file, outcome: await readThrough(client, join(root, file)) };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await client.close();
    return rows;
  } finally {
    await gateway.stop();
  }
}

async function readThrough(client: McpClient, path: string): Promise<Outcome> {
  const received = await client.request('tools/call', { name: 'files_read_text_file', arguments: { path } });
  const text = readFileSync(path, 'utf8');
  return compareAnswers(received, {
    result: { content: [{ type: 'text', text }], structuredContent: { content: text } },
  });
}

/** The same files for the same tree: all of them in order, then every n-th. */
function chooseFiles(root: string): readonly string[] {
  const all: string[] = [];
  const walk = (folder: string) => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = join(folder, name);
      const stat = lstatSync(join(root, path));
      if (stat.isDirectory()) walk(path);
      else if (stat.isFile() && stat.size > 0 && stat.size <= MAX_BYTES && KINDS.has(extname(name))) all.push(path);
    }
  };
  walk('');
  const step = Math.max(1, all.length / MAX_FILES);
  return Array.from({ length: Math.min(all.length, MAX_FILES) }, (_, n) => all[Math.floor(n * step)] ?? '');
}
