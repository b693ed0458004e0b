// Lints real servers of npm and writes the table in docs/lint.md. Needs the build and the npm registry; run by hand:
// node scripts/lint-scores.mjs
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { replaceSection } from './docs-section.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const sallyport = join(root, 'packages/sallyport/bin/sallyport.js');
const WITHIN_MS = 90_000;

/** Package -> what its program needs to start and list its tools without a network. No value is a real key. */
const SERVERS = {
  '@modelcontextprotocol/server-everything': {},
  '@modelcontextprotocol/server-filesystem': { args: ['.'] },
  '@modelcontextprotocol/server-memory': {},
  '@modelcontextprotocol/server-sequential-thinking': {},
  '@modelcontextprotocol/server-github': { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' } },
  '@brave/brave-search-mcp-server': { env: { BRAVE_API_KEY: 'none' } },
  '@cyanheads/git-mcp-server': { env: { MCP_TRANSPORT_TYPE: 'stdio' } },
  '@hubspot/mcp-server': { env: { PRIVATE_APP_ACCESS_TOKEN: 'pat-none' } },
  '@notionhq/notion-mcp-server': { env: { NOTION_TOKEN: 'none' } },
  '@playwright/mcp': {},
  '@upstash/context7-mcp': {},
  '@wonderwhy-er/desktop-commander': {},
  'chrome-devtools-mcp': {},
  'exa-mcp-server': { env: { EXA_API_KEY: 'none' } },
  'figma-developer-mcp': { args: ['--stdio', '--figma-api-key', 'none'] },
  'firecrawl-mcp': { env: { FIRECRAWL_API_KEY: 'fc-none' } },
  'mcp-server-kubernetes': {},
  'mongodb-mcp-server': {},
  'tavily-mcp': { env: { TAVILY_API_KEY: 'tvly-none' } },
};

const folder = mkdtempSync(join(tmpdir(), 'lint-scores-'));
try {
  const rows = [];
  for (const [name, how] of Object.entries(SERVERS)) {
    try {
      rows.push(await lint(name, how));
    } catch (error) {
      process.stderr.write(`${name}: ${String(error.stderr || error.message).slice(0, 400)}\n`);
    }
  }
  rows.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  const page = join(root, 'docs/lint.md');
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), 'scores', toTable(rows)));
  process.stderr.write(`${rows.length} of ${Object.keys(SERVERS).length} servers\n`);
} finally {
  rmSync(folder, { recursive: true });
}

async function lint(name, { args = [], env = {} }) {
  // Each in a folder of its own, as npx does: beside others, a server may get another version of a library and lose descriptions.
  const own = join(folder, name.replace('/', '+'));
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--prefix',
    own,
    name,
  ]);
  const home = join(own, 'node_modules', name);
  const { bin, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const program = typeof bin === 'string' ? bin : (bin[name.split('/').at(-1)] ?? Object.values(bin)[0]);
  const flags = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const command = [process.execPath, join(home, program), ...args];
  const { stdout } = await run(
    process.execPath,
    [sallyport, 'lint', '--json', '--fail-on', 'none', '--timeout', '60s', ...flags, '--', ...command],
    { cwd: own, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 },
  );
  const [{ tools, score, findings }] = JSON.parse(stdout).reports;
  if (tools.length === 0) throw new Error('it lists no tools');
  const count = (level) => findings.filter((finding) => finding.level === level).length;
  return {
    name,
    version,
    tools: tools.length,
    errors: count('error'),
    warnings: count('warning'),
    notes: count('note'),
    score,
  };
}

function toTable(rows) {
  const date = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return [
    `From \`node scripts/lint-scores.mjs\`, ${date}, with placeholders for keys.`,
    '',
    '| server | tools | errors | warnings | notes | score |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| \`${row.name}\` ${row.version} | ${row.tools} | ${row.errors} | ${row.warnings} | ${row.notes} | ${row.score} |`,
    ),
  ].join('\n');
}
