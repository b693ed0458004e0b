// The client suites of the official conformance suite against Sallyport's upstream side: for each scenario a Sallyport
// with the scenario's server as its one upstream, driven once by a legacy and once by a modern client.
// A failing or warning check fails the run, and so does a skipped one, unless it stands below with its reason.
// Ends with one plain line: "N passed, N failed".
//
//   node scripts/conformance-client.mjs [--scenario NAME]… [--verbose]
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNode24 } from './node24.mjs';

const suites = [
  { suite: 'alpha12', package: '@modelcontextprotocol/conformance', revisions: ['2025-11-25', '2026-07-28'] },
  { suite: '0.1', package: 'conformance-0-1', revisions: ['2025-11-25'] },
];
const fronts = ['legacy', 'modern'];

/** Scenarios that are not run, by the beginning of their names. */
const excluded = [
  {
    suite: '0.1',
    prefix: 'auth/2025-03-26-oauth-metadata-backcompat',
    reason:
      'in this old suite the metadata names an issuer other than the one it is fetched for, which RFC 8414 section 3.3 forbids to use; the newer suite has the same scenario without that mistake, and it runs',
  },
  { prefix: 'sep-2640-', reason: 'skills are verified by the host that loads them, and are no part of the trunk' },
];

/** Checks that need not pass: names as the suite writes them, and the status they may have instead. */
const exceptions = [
  {
    scenario: 'http-standard-headers',
    names: ['ClientMcpMethodHeader_initialize', 'ClientMcpMethodHeader_notifications_initialized'],
    status: 'SKIPPED',
    reason: 'the server speaks 2026-07-28, which has no handshake, and Sallyport finds that out without one',
  },
  ...[
    ['http-standard-headers', 'FAILURE', ['ClientMcpMethodHeader_initialize']],
    ['request-metadata', 'FAILURE', ['ClientSendsVersionHeader', 'ClientPopulatesMeta']],
    ['request-metadata', 'WARNING', ['ClientSendsClientInfo']],
  ].map(([scenario, status, names]) => ({
    ...{ scenario, status, names, front: 'legacy' },
    reason:
      'for a legacy client Sallyport tries the handshake first (docs/decisions/0018), whose request has no metadata of 2026-07-28',
  })),
];

/** Scenarios that measure time or open many connections: nothing else runs meanwhile. */
const alone = new Set([
  'sse-retry',
  'elicitation-sep1034-client-defaults',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
]);

const atOnce = 2;
const clientWithinMs = 20_000;
const runWithinMs = 40_000;
/** The suite's own diary of what it saw and sent, no verdict. */
const record = 'INFO';

const driver = fileURLToPath(new URL('../packages/sallyport/test/conformance-client/client.mjs', import.meta.url));
const require = createRequire(new URL('../servers/conformance-mcp-server/package.json', import.meta.url));

async function main() {
  const { values } = parseArgs({
    options: { scenario: { type: 'string', multiple: true }, verbose: { type: 'boolean', default: false } },
  });
  const node = await findNode24();
  const output = await mkdtemp(join(tmpdir(), 'conformance-client-'));
  try {
    const jobs = [];
    for (const suite of suites) jobs.push(...(await toJobs({ ...suite, node, output }, values.scenario)));
    if (jobs.length === 0) throw new Error('no scenario was found');
    const quiet = jobs.filter(({ scenario }) => alone.has(scenario));
    const rest = jobs.filter(({ scenario }) => !alone.has(scenario));
    const outcomes = [...(await runAll(rest, atOnce)), ...(await runAll(quiet, 1))];
    report(outcomes, values.verbose);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** One job for each scenario of the suite at each revision, in front of each client. */
async function toJobs({ suite, package: name, revisions, node, output }, only) {
  const script = join(require.resolve(`${name}/package.json`), '..', 'dist', 'index.js');
  const { printed } = await run(node, [script, 'list', '--client']);
  const listed = [...printed.matchAll(/^ *- (\S+) \[([^\]]+)\]$/gm)];
  const jobs = [];
  for (const [, scenario, versions] of listed) {
    if (excluded.some((one) => scenario.startsWith(one.prefix) && (one.suite ?? suite) === suite)) continue;
    // What an old suite has for a revision yet to come stands in the newer one as it came.
    if (versions === 'draft') continue;
    if (only !== undefined && !only.includes(scenario)) continue;
    // An extension applies to every revision; one is enough to see it work.
    const applicable =
      versions === 'extension'
        ? revisions.slice(-1)
        : revisions.filter((revision) => versions.split(',').includes(revision));
    // The old way to find an authorization server has its scenarios at the revision it is of, and only there.
    if (applicable.length === 0 && scenario.startsWith('auth/')) applicable.push(...versions.split(',').slice(-1));
    if (applicable.length === 0)
      throw new Error(`${scenario} of suite ${suite} applies to ${versions} only: exclude it`);
    for (const revision of applicable)
      for (const front of fronts) jobs.push({ suite, scenario, revision, front, node, script, output });
  }
  if (jobs.length === 0 && only === undefined) throw new Error(`suite ${suite} lists no client scenario`);
  return jobs;
}

/** Runs the jobs, `places` at a time; resolves in their order. */
async function runAll(jobs, places) {
  const outcomes = new Array(jobs.length);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < jobs.length; index = next++) outcomes[index] = await runJob(jobs[index]);
  };
  await Promise.all(Array.from({ length: places }, work));
  return outcomes;
}

async function runJob(job) {
  const { suite, scenario, revision, front, node, script, output } = job;
  const folder = await mkdtemp(join(output, 'job-'));
  // The suite starts the command through a shell.
  const command = [process.execPath, driver, front].map((word) => `"${word}"`).join(' ');
  const started = performance.now();
  const { code, printed } = await run(node, [
    ...[script, 'client', '--command', command, '--scenario', scenario, '--spec-version', revision],
    ...['--timeout', String(clientWithinMs), '--output-dir', folder],
    // Extensions are on no revision's list.
    ...(suite === 'alpha12' ? ['--force'] : []),
  ]);
  const ms = Math.round(performance.now() - started);
  const key = `${suite} ${revision} ${front} ${scenario}`;
  // A scenario with a slash in its name lies a folder deeper.
  const [found] = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('checks.json'));
  const results = found === undefined ? undefined : dirname(found);
  const read = (file) => (results === undefined ? '' : readFile(join(folder, results, file), 'utf8').catch(() => ''));
  const text = await read('checks.json');
  const checks = text === '' ? [] : JSON.parse(text).filter(({ status }) => status !== record);
  const judged = checks.map((check) => ({ ...check, verdict: judge(job, check) }));
  // The suite fails a client that ended badly without a check of its own saying so.
  if (judged.length === 0 || (code !== 0 && judged.every(({ verdict }) => verdict === 'passed'))) {
    const errorMessage = `the suite ended with ${code}: ${printed.slice(-500)}`;
    judged.push({
      id: 'client-ended-well',
      name: 'ClientEndedWell',
      status: 'FAILURE',
      errorMessage,
      verdict: 'failed',
    });
  }
  return { key, ms, checks: judged, log: await read('stderr.txt') };
}

function judge({ scenario, front }, { name, status }) {
  if (status === 'SUCCESS') return 'passed';
  const excused = exceptions.some(
    (one) =>
      one.scenario === scenario &&
      one.names.includes(name) &&
      one.status === status &&
      (one.front === undefined || one.front === front),
  );
  return excused ? 'excused' : 'failed';
}

function report(outcomes, verbose) {
  const counts = { passed: 0, failed: 0, excused: 0 };
  for (const { key, ms, checks, log } of outcomes) {
    const own = { passed: 0, failed: 0, excused: 0 };
    for (const { verdict } of checks) {
      own[verdict]++;
      counts[verdict]++;
    }
    const aside = own.excused > 0 ? `, ${own.excused} excused` : '';
    console.log(`${key}: ${own.passed} checks pass, ${own.failed} do not${aside} (${ms} ms)`);
    for (const { id, name, status, errorMessage, verdict } of checks)
      if (verdict === 'failed' || verbose) console.log(`  ${status} ${id} ${name}: ${errorMessage ?? ''}`);
    if (own.failed > 0 && log !== '') console.log(`  the client's log:\n${log.slice(-4000)}`);
  }
  for (const { scenario, names, status, reason } of exceptions)
    console.log(`excused: ${scenario} ${names.join(', ')} may be ${status} (${reason})`);
  for (const { suite, prefix, reason } of excluded)
    console.log(`not run: ${suite === undefined ? '' : `suite ${suite} `}${prefix}* (${reason})`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

/** Resolves with the exit code and everything the program printed. */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: runWithinMs,
      killSignal: 'SIGKILL',
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal, printed }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
