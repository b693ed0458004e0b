// Everything CI checks, on an installed clone: lint, types, tests, the official conformance suites, a second Node.
// Ends with one plain line: "N passed, N failed". Arguments are names of steps; without any all of them run.
// `npm test` names the steps that take minutes, `npm run test:more` the rest, `npm run test:quick` the first few.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode24 } from './node24.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'sallyport-check-'));
const only = new Set(process.argv.slice(2));
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Said again at the very end: whoever reads only the tail of a long log must find what failed there. */
const remarks = [];

/** name -> how it is run; `count` reads the numbers of tests out of what it left or printed, else a step counts as one. */
const steps = [
  { name: 'lint', command: [bin('biome'), 'check', '--error-on-warnings'] },
  { name: 'build', command: [bin('tsc'), '-b'] },
  { name: 'bundle', command: [process.execPath, join(root, 'scripts/bundle.mjs')] },
  vitest('unit'),
  vitest('e2e'),
  vitest('more'),
  { name: 'node24', command: async () => [await findNode24(), ...toVitest('unit'), '--reporter=dot'] },
  { name: 'conformance', command: [process.execPath, join(root, 'scripts/conformance-all.mjs')], count: lastCount },
  {
    name: 'conformance-client',
    command: [process.execPath, join(root, 'scripts/conformance-client.mjs')],
    count: lastCount,
  },
];

let passed = 0;
let failed = 0;
for (const name of only) if (!steps.some((step) => step.name === name)) throw new Error(`there is no step ${name}`);
for (const step of steps) {
  if (only.size > 0 && !only.has(step.name)) continue;
  const started = Date.now();
  process.stdout.write(`\n── ${step.name}\n`);
  const { status, output } = await run(typeof step.command === 'function' ? await step.command() : step.command);
  let counted;
  try {
    counted = step.count?.(output);
  } catch {
    counted = undefined;
  }
  const good = status === 0;
  passed += counted?.passed ?? (good ? 1 : 0);
  failed += counted === undefined ? (good ? 0 : 1) : Math.max(counted.failed, good ? 0 : 1);
  if (!good) remarks.push(`failed: step ${step.name}`);
  process.stdout.write(
    `── ${step.name}: ${good ? 'ok' : `failed (exit ${status})`}, ${Math.round((Date.now() - started) / 1000)} s\n`,
  );
}
rmSync(scratch, { recursive: true });
for (const remark of remarks) process.stdout.write(`\n${remark}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function toVitest(project) {
  return [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project];
}

/** The step of one project of vitest.config.ts. */
function vitest(project) {
  const report = join(scratch, `${project}.json`);
  return {
    name: project,
    command: [
      process.execPath,
      ...toVitest(project),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    count: () => {
      const results = JSON.parse(readFileSync(report, 'utf8'));
      const { numPassedTests, numFailedTests, numFailedTestSuites } = results;
      remarks.push(...results.testResults.flatMap(toFailures));
      return { passed: numPassedTests, failed: numFailedTests || (numFailedTestSuites > 0 ? 1 : 0) };
    },
  };
}

function run([command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      output = (output + chunk).slice(-65_536);
    });
    child.on('close', (status) => resolve({ status, output }));
    child.on('error', (error) => resolve({ status: String(error), output }));
  });
}

function toFailures({ name, message, status, assertionResults }) {
  const failed = assertionResults.filter((one) => one.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`failed: ${relative(root, name)}: ${message}`] : [];
  return failed.map((one) => `failed: ${relative(root, name)} > ${one.fullName}\n${one.failureMessages.join('\n')}`);
}

function lastCount(output) {
  const match = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  if (match === undefined) throw new Error('no count');
  return { passed: Number(match[1]), failed: Number(match[2]) };
}
