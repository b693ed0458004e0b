// The official conformance suites, directly against our conformance server and through Sallyport in front of it: no
// check that passes directly may be lost on the way. Ends with one plain line: "N passed, N failed".
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findLost, runSuite } from './conformance.mjs';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const server = path('servers/conformance-mcp-server/dist/main.js');

const runs = [
  { suite: 'alpha12', revision: '2025-06-18' },
  { suite: 'alpha12', revision: '2025-11-25' },
  { suite: 'alpha12', revision: '2026-07-28' },
  { suite: '0.1', revision: '2025-06-18' },
  { suite: '0.1', revision: '2025-11-25' },
];

/**
 * What a modern suite asks for and a legacy server cannot give to anybody, so that there is nothing to lose: the Tasks
 * extension, which is modern only, and two scenarios that expect question keys chosen by the server, which legacy
 * questions do not have.
 */
const modernOnly = /^(tasks-|input-required-result-(basic-elicitation|ignore-extra-params)\/)/;

const children = [];
const scratch = await mkdtemp(join(tmpdir(), 'sallyport-conformance-'));
let passed = 0;
let failed = 0;
try {
  const [both, legacy, modern] = await Promise.all(
    ['both', 'legacy', 'modern'].map((era) => start([server, '--transport', 'http', '--era', era])),
  );
  const config = join(scratch, 'sallyport.json');
  await writeFile(
    config,
    JSON.stringify({
      mcpServers: {
        'http-modern': { url: modern.url },
        'http-legacy': { url: legacy.url },
        'http-both': { url: both.url },
        stdio: { command: process.execPath, args: [server, '--transport', 'stdio', '--era', 'both'] },
      },
      // The suites cannot send a key. Polling is off by default; a suite scenario is about nothing else.
      gateway: { port: 0, auth: 'none', pollAfterMs: 20 },
    }),
  );
  const sallyport = await start(
    [
      path('packages/sallyport/bin/sallyport.js'),
      'up',
      '--config',
      config,
      '--json',
      '--log-level',
      'error',
      '--no-call-log',
    ],
    {
      SALLYPORT_STATE: join(scratch, 'state'),
    },
  );
  for (const run of runs) {
    const direct = await runSuite({ ...run, url: both.url });
    const good = direct.filter((check) => check.status === 'SUCCESS');
    const bad = direct.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING');
    report(
      `${run.suite} ${run.revision} direct`,
      good.length,
      bad.map((check) => ({ key: check.key, became: check.status, message: check.message })),
    );
    // One after the other: the suite is one client, and what it was told by one server counts in what it tells the next.
    for (const [name, url] of Object.entries(sallyport.servers)) {
      const through = await runSuite({ ...run, url });
      const gone = (check) => name === 'http-legacy' && run.revision === '2026-07-28' && modernOnly.test(check.key);
      const lost = findLost(direct, through).filter((check) => !gone(check));
      report(
        `${run.suite} ${run.revision} through ${name}`,
        good.filter((check) => !gone(check)).length - lost.length,
        lost,
      );
    }
  }
} finally {
  await Promise.all(children.map(end));
  await rm(scratch, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function report(name, good, problems) {
  passed += good;
  failed += problems.length;
  process.stdout.write(`${name}: ${good} checks pass, ${problems.length} do not\n`);
  for (const { key, became, message } of problems)
    process.stdout.write(`  ${key} became ${became}: ${message ?? ''}\n`);
}

/** Starts a program that says where it listens in one JSON line. */
async function start(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error(`${args[0]} ended without saying where it listens`);
}

function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  child.kill('SIGTERM');
  return new Promise((resolve) => child.once('exit', resolve));
}
