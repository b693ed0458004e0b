// Runs the official conformance suite against a URL and compares two runs check by check.
//
//   node scripts/conformance.mjs direct  --suite alpha12|0.1 --revision 2025-11-25 --url URL [--json]
//   node scripts/conformance.mjs compare --suite alpha12|0.1 --revision 2025-11-25 --url URL --against URL [--json]
//
// `direct` fails on every check that is a failure or a warning. `compare` fails when a check that passes at --url does
// not pass at --against: totals are not enough, because a lost check can turn into a warning and exit code 0.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNode24 } from './node24.mjs';

const modernRevision = '2026-07-28';
const revisions = new Map([
  ['alpha12', ['2025-06-18', '2025-11-25', modernRevision]],
  ['0.1', ['2025-06-18', '2025-11-25']],
]);
const packages = new Map([
  ['alpha12', '@modelcontextprotocol/conformance'],
  ['0.1', 'conformance-0-1'],
]);
const runWithinMs = 300_000;

/** Checks that only record traffic: how many there are differs between two runs of the same server. */
const records = new Set(['outgoing-request', 'incoming-response', 'incoming-sse-event', 'stream-closed']);

/**
 * Runs one suite at one revision. Resolves with `{ key, scenario, id, status, message }` for each check; `key` is the
 * same in every run. `only` limits the run to these scenarios.
 */
export async function runSuite({ suite, revision, url, only }) {
  if (!revisions.get(suite)?.includes(revision)) throw new Error(`suite ${suite} has no revision ${revision}`);
  const program = await findProgram(suite);
  const output = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    for (const choice of await toChoices(program, suite, revision, only)) {
      await run(program, ['server', '--url', url, '--output-dir', output, ...choice]);
    }
    return await readChecks(output);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** The checks that pass in `first` and do not in `second`, each with what became of it. */
export function findLost(first, second) {
  const statuses = new Map(second.map((check) => [check.key, check]));
  return first
    .filter((check) => check.status === 'SUCCESS' && statuses.get(check.key)?.status !== 'SUCCESS')
    .map((check) => {
      const found = statuses.get(check.key);
      return { key: check.key, became: found?.status ?? 'missing', message: found?.message };
    });
}

async function findProgram(suite) {
  const require = createRequire(new URL('../servers/conformance-mcp-server/package.json', import.meta.url));
  const name = packages.get(suite);
  const manifest = require.resolve(`${name}/package.json`);
  return { node: await findNode24(), script: join(manifest, '..', 'dist', 'index.js') };
}

/** One list of flags per run of the suite's program. */
async function toChoices(program, suite, revision, only) {
  if (only !== undefined) return only.map((name) => ['--scenario', name, ...toVersion(name, revision)]);
  const all = [['--suite', 'all', '--spec-version', revision]];
  if (suite !== 'alpha12' || revision !== modernRevision) return all;
  // Scenarios of extensions stand on no revision's list and are refused together with --spec-version.
  const listed = await run(program, ['list', '--server']);
  const tasks = [...listed.matchAll(/^ *- (tasks-\S+) \[extension\]$/gm)].map((match) => match[1]);
  if (tasks.length < 10)
    throw new Error(`the suite lists ${tasks.length} scenarios of the Tasks extension instead of ten`);
  return [...all, ...tasks.map((name) => ['--scenario', name])];
}

function toVersion(name, revision) {
  return name.startsWith('tasks-') ? [] : ['--spec-version', revision];
}

/** Resolves with what the program printed; its exit code says nothing about single checks. */
function run({ node, script }, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'], timeout: runWithinMs });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal === null && code !== null) resolve(printed);
      else reject(new Error(`the suite was ended by ${signal} after ${runWithinMs / 1000} s: ${args.join(' ')}`));
    });
  });
}

async function readChecks(output) {
  const checks = [];
  const seen = new Map();
  for (const folder of (await readdir(output)).sort()) {
    const scenario = /^server-(.*)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(folder)?.[1];
    if (scenario === undefined) throw new Error(`unexpected folder ${folder} among the results`);
    // A scenario that dies leaves its folder without the file: that is a failure, not an absence.
    const text = await readFile(join(output, folder, 'checks.json'), 'utf8').catch(() => undefined);
    const found =
      text === undefined ? [{ id: 'scenario-ran', name: 'ScenarioRan', status: 'FAILURE' }] : JSON.parse(text);
    for (const { id, name, status, errorMessage } of found) {
      if (records.has(id) && status === 'INFO') continue;
      const same = `${scenario}/${toStable(id)}/${toStable(name)}`;
      const times = (seen.get(same) ?? 0) + 1;
      seen.set(same, times);
      checks.push({ key: times === 1 ? same : `${same}#${times}`, scenario, id, status, message: errorMessage });
    }
  }
  if (checks.length === 0) throw new Error('the suite wrote no results');
  return checks;
}

/** Takes out what changes from run to run: UUIDs, timestamps, ports. */
function toStable(text) {
  return text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi, '<uuid>')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replace(/(localhost|127\.0\.0\.1):\d+/g, '$1:<port>');
}

function countStatuses(checks) {
  const counts = {};
  for (const { status } of checks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      suite: { type: 'string', default: 'alpha12' },
      revision: { type: 'string', default: modernRevision },
      url: { type: 'string' },
      against: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    },
  });
  const [mode] = positionals;
  const { suite, revision, url, against, scenario: only, json } = values;
  if ((mode !== 'direct' && mode !== 'compare') || url === undefined || (mode === 'compare' && against === undefined)) {
    throw new Error(
      'usage: conformance.mjs direct|compare --suite alpha12|0.1 --revision DATE --url URL [--against URL]',
    );
  }
  const first = await runSuite({ suite, revision, url, only });
  const passed = first.filter((check) => check.status === 'SUCCESS').length;
  if (mode === 'direct') {
    const failed = first.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING');
    if (json) return report({ suite, revision, counts: countStatuses(first), checks: first }, failed.length);
    for (const check of failed) console.log(`${check.status} ${check.key}: ${check.message ?? ''}`);
    console.log(`suite ${suite} at ${revision}: ${JSON.stringify(countStatuses(first))}`);
    return finish(passed, failed.length);
  }
  const second = await runSuite({ suite, revision, url: against, only });
  const lost = findLost(first, second);
  if (json)
    return report({ suite, revision, kept: passed - lost.length, lost, counts: countStatuses(second) }, lost.length);
  for (const check of lost) console.log(`LOST ${check.key} became ${check.became}: ${check.message ?? ''}`);
  console.log(`suite ${suite} at ${revision}: ${passed} pass at ${url}, ${lost.length} of them are lost at ${against}`);
  finish(passed - lost.length, lost.length);
}

function report(value, failed) {
  console.log(JSON.stringify(value));
  process.exitCode = failed > 0 ? 1 : 0;
}

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
