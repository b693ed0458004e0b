import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// The Inspector needs a newer Node than ours.
import { findNode24 } from '../../../scripts/node24.mjs';
import type { Fields } from './matrix/cells.ts';
import { conformanceServer, createScratch, type Running, sallyport, start } from './matrix/set-up.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const program = join(manifest, '..', 'clients', 'launcher', 'build', 'index.js');
const runWithinMs = 60_000;

let node: string;
let scratch: ReturnType<typeof createScratch>;
let up: Running;
let home: string;

beforeAll(async () => {
  node = await findNode24();
  home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const child = (era: string) => ({ command: process.execPath, args: [conformanceServer, '--era', era] });
  scratch = createScratch({ mcpServers: { old: child('legacy'), new: child('modern') } });
  const log = ['--no-call-log', '--log-level', 'warn'];
  up = await start([sallyport, 'up', '--config', scratch.config, '--port', '0', '--json', ...log], scratch.env);
}, 300_000);

afterAll(async () => {
  await up?.stop();
  scratch?.remove();
  rmSync(home, { recursive: true, force: true });
});

/** How the Inspector is told where we are. */
function toTarget(front: string): string[] {
  const header = ['--header', `Authorization: Bearer ${String(up.facts['key'])}`];
  if (front === 'http') return ['--transport', 'http', '--server-url', String(up.facts['url']), ...header];
  if (front === 'sse') return ['--transport', 'sse', '--server-url', String(up.facts['sse']), ...header];
  const state = `SALLYPORT_STATE=${scratch.env['SALLYPORT_STATE']}`;
  // What stands after the bare dashes is the server's command line.
  return ['--transport', 'stdio', '-e', state, '--', process.execPath, sallyport, 'stdio', '--config', scratch.config];
}

async function inspect(front: string, era: string, flags: readonly string[]): Promise<Fields> {
  const args = [program, '--cli', '--protocol-era', era, '--format', 'json', '--quiet', ...flags, ...toTarget(front)];
  const env = { PATH: process.env['PATH'], HOME: home, MCP_CATALOG_PATH: join(home, 'catalog.json') };
  const { stdout } = await promisify(execFile)(node, args, { env, timeout: runWithinMs, maxBuffer: 16 * 1024 * 1024 });
  return (JSON.parse(stdout) as { result: Fields }).result;
}

describe.each([
  ['http', 'legacy'],
  ['http', 'auto'],
  ['http', 'modern'],
  ['sse', 'legacy'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
])('the Inspector over %s, %s', (front, era) => {
  it('lists and calls the tools of every server', async () => {
    const { tools } = (await inspect(front, era, ['--method', 'tools/list'])) as { tools: { name: string }[] };
    for (const server of ['old', 'new']) expect(tools.map(({ name }) => name)).toContain(`${server}_test_echo`);
    const call = ['--method', 'tools/call', '--tool-name', 'new_test_echo', '--tool-args-json', '{"message":"ä ✓"}'];
    const { structuredContent } = await inspect(front, era, call);
    expect(structuredContent).toEqual({ message: 'ä ✓' });
  });

  it('reads resources and gets prompts', async () => {
    const uri = 'old+test://static-text';
    const read = await inspect(front, era, ['--method', 'resources/read', '--uri', uri]);
    expect(read['contents']).toMatchObject([{ uri, text: 'This is the content of the static text resource.' }]);
    const get = ['--method', 'prompts/get', '--prompt-name', 'old_test_prompt_with_arguments'];
    const prompt = await inspect(front, era, [...get, '--prompt-args', 'arg1=x', 'arg2=y']);
    expect(prompt['messages']).toMatchObject([{ content: { text: "Prompt with arguments: arg1='x', arg2='y'" } }]);
  });
});
