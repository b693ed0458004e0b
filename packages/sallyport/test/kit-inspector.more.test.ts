import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
// The Inspector needs a newer Node than ours.
import { findNode24 } from '../../../scripts/node24.mjs';
import { createKitEntries, KIT_SERVERS } from './kit-entries.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const program = join(manifest, '..', 'clients', 'launcher', 'build', 'index.js');

const { entries, remove } = createKitEntries();
const home = mkdtempSync(join(tmpdir(), 'inspector-'));
let node = '';
beforeAll(async () => {
  node = await findNode24();
}, 300_000);
afterAll(() => {
  remove();
  rmSync(home, { recursive: true, force: true });
});

it.each(KIT_SERVERS)('the schemas of %s pass the strict check of the Inspector', async (name) => {
  const { command, args, env } = entries[name]!;
  const given = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  const flags = ['--cli', '--method', 'tools/list', '--strict', '--format', 'json', '--transport', 'stdio', ...given];
  const { stdout, stderr } = await promisify(execFile)(node, [program, ...flags, '--', command, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, MCP_CATALOG_PATH: join(home, 'catalog.json') },
    timeout: 60_000,
  });
  expect((JSON.parse(stdout) as { result: { tools: unknown[] } }).result.tools.length).toBeGreaterThan(0);
  expect(stderr).not.toMatch(/portability (?:error|warning)/i);
});
