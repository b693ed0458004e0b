// Puts faults into the files that protect people, one at a time, and says which ones no unit test notices.
import { execFileSync, fork } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findFaults } from './mutants-faults.mjs';
import { createTestFinder, filesIn } from './mutants-tests.mjs';

const HELP = `Usage: npm run test:mutants -- [options]

Puts faults into the files that protect people, one at a time in a copy of this folder, and runs the unit tests that import
the file. Faults: a condition negated or constant, a call removed, a return changed, a bound shifted, a text emptied.

  --count N       how many faults (default 150)
  --seed N        which ones: the same number, the same faults (default 1)
  --only FOLDER   files below packages/sallyport/src, such as guard/taint or call/relay.ts; may be repeated
  --kind KIND     condition, call, return, bound or text; may be repeated
  --tests N       unit test files per fault, the nearest first (default 24)
  --workers N     test files at a time (default 2)
  --again FILE    only the faults that a run with --json did not notice; FILE holds what it printed
  --list          only says what would be put where
  --json          one object on stdout; the progress stays on stderr
  --help

A fault that changes nothing is listed in scripts/mutants-equivalent.json with the reason, and is not counted.
`;

const SCOPE = [
  ...['guard', 'call', 'catalog/pins', 'telemetry/audit', 'gateway/auth'],
  ...['gateway/session-store.ts', 'gateway/legacy-session.ts', 'gateway/same-caller.ts', 'gateway/parking.ts'],
  ...['storage/grants.ts', 'storage/approvals.ts', 'storage/keys.ts', 'storage/quotas.ts'],
];
/** Kinds that take a protection away are tried twice as often. */
const TURNS = ['call', 'return', 'condition', 'bound', 'call', 'return', 'condition', 'text'];
const GOAL = 92;
const DEADLINE_MS = 180_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = 'packages/sallyport/src';
const { values: options } = parseArgs({
  options: {
    ...{ count: { type: 'string', default: '150' }, seed: { type: 'string', default: '1' } },
    ...{ only: { type: 'string', multiple: true }, kind: { type: 'string', multiple: true } },
    ...{ tests: { type: 'string', default: '24' }, workers: { type: 'string', default: '2' } },
    again: { type: 'string' },
    ...{ list: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  },
});
if (options.help) process.stdout.write(HELP);
else process.exitCode = await main();

async function main() {
  const seed = toNumber('seed');
  const again = options.again === undefined ? undefined : readKeys(options.again);
  const all = allFaults();
  const faults =
    again === undefined ? pick(all, { seed, count: toNumber('count') }) : all.filter((one) => again.has(keyOf(one)));
  if (options.list) {
    if (options.json) process.stdout.write(`${JSON.stringify({ faults: faults.map(toRow) })}\n`);
    else for (const fault of faults) process.stdout.write(`${describe(fault)}\n`);
    return 0;
  }
  const copy = makeCopy();
  const runner = createRunner(copy);
  const end = () => {
    runner.close();
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
  };
  // The runner has a group of its own, so that a signal to this process does not reach it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      end();
      process.exit(1);
    });
  try {
    const results = await runAll(faults, { runner, copy });
    report(results, seed);
    return 0;
  } finally {
    end();
  }
}

function toNumber(name) {
  const number = Number(options[name]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} needs a whole number from 1 on.`);
  return number;
}

/** Every fault in scope that is not known to change nothing. */
function allFaults() {
  const equivalent = readEquivalent();
  const known = new Set();
  const scope = options.only ?? SCOPE;
  const files = scope.flatMap((path) => {
    const absolute = join(root, SOURCES, path);
    if (!existsSync(absolute)) throw new Error(`There is no ${SOURCES}/${path}.`);
    return statSync(absolute).isDirectory() ? filesIn(absolute) : [absolute];
  });
  const faults = [...new Set(files)]
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const file = relative(join(root, SOURCES), path);
      return findFaults(path, text).map((fault) => toNamed(fault, { file, text }));
    })
    .filter((fault) => {
      const key = keyOf(fault);
      if (equivalent.has(key)) known.add(key);
      return !equivalent.has(key) && (options.kind === undefined || options.kind.includes(fault.kind));
    });
  if (options.only === undefined)
    for (const key of equivalent) if (!known.has(key)) say(`mutants-equivalent.json names what is not there: ${key}`);
  return faults;
}

function toNamed(fault, { file, text }) {
  const { start, end } = fault;
  const line = text.slice(0, start).split('\n').length;
  const before = text.slice(start, end);
  return { ...fault, file, line, before, whole: text, at: text.split('\n')[line - 1].trim() };
}

function describe({ file, line, kind, before, to }) {
  return `${file}:${line} ${kind}: ${shorten(before)} -> ${shorten(to)}`;
}

function toRow({ file, line, kind, at, before, to }) {
  return { file, line, kind, at, before, to };
}

function shorten(text) {
  const one = text.replace(/\s+/g, ' ');
  return one.length > 80 ? `${one.slice(0, 77)}...` : one;
}

/** Lines move; what is written there does not. */
function keyOf({ file, at, before, to }) {
  return JSON.stringify([file, at, before, to]);
}

function readEquivalent() {
  const { faults } = JSON.parse(readFileSync(join(root, 'scripts/mutants-equivalent.json'), 'utf8'));
  return new Set(faults.map(keyOf));
}

function readKeys(path) {
  return new Set(JSON.parse(readFileSync(path, 'utf8')).missed.map(keyOf));
}

/** The kinds in turn, while there are enough of each. */
function pick(faults, { seed, count }) {
  const random = createRandom(seed);
  const byKind = new Map();
  for (const fault of faults) byKind.set(fault.kind, [...(byKind.get(fault.kind) ?? []), fault]);
  const rows = TURNS.map((kind) => byKind.get(kind) ?? []);
  const picked = [];
  while (picked.length < count && rows.some((row) => row.length > 0))
    for (const row of rows) {
      if (row.length === 0 || picked.length === count) continue;
      picked.push(...row.splice(Math.floor(random() * row.length), 1));
    }
  return picked;
}

/** Mulberry32: small, and the same everywhere. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What is tracked, and links to what is built: the folder itself is never changed. */
function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'sallyport-mutants-'));
  const list = (...flags) =>
    execFileSync('git', ['ls-files', '-z', ...flags], { cwd: root, maxBuffer: 1 << 28 })
      .toString()
      .split('\0');
  for (const path of list('-co', '--exclude-standard')) {
    if (path === '' || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const path of list('-oi', '--exclude-standard', '--directory')) {
    const target = path.replace(/\/$/, '');
    if (!/(?:^|\/)(?:node_modules|dist)$/.test(target)) continue;
    mkdirSync(dirname(join(copy, target)), { recursive: true });
    symlinkSync(join(root, target), join(copy, target));
  }
  return copy;
}

/** One process that runs tests until one takes too long; then it is ended, and the next one begins. */
function createRunner(copy) {
  const workers = options.workers;
  let child;
  const start = () =>
    new Promise((resolve, reject) => {
      child = fork(join(copy, 'scripts/mutants-runner.mjs'), [], {
        ...{ cwd: copy, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
        env: { ...process.env, MUTANTS_WORKERS: workers, NODE_ENV: 'test', VITEST: 'true' },
      });
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('Vitest did not start.')));
    });
  const close = () => {
    if (child === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
    child = undefined;
  };
  return {
    close,
    /** @returns what failed, and the file of that test; `undefined`: nothing did */
    async run(job, deadlineMs = DEADLINE_MS) {
      if (child === undefined) await start();
      const own = child;
      own.removeAllListeners();
      const { promise, resolve } = Promise.withResolvers?.() ?? withResolvers();
      const timer = setTimeout(() => resolve({ failed: { by: 'the deadline' }, isOver: true }), deadlineMs);
      own.once('message', resolve);
      own.once('exit', () => resolve({ failed: { by: 'the end of the process' }, isOver: true }));
      own.send(job);
      const { failed, isOver } = await promise;
      clearTimeout(timer);
      if (isOver === true) {
        close();
        if (job.file !== undefined) cpSync(join(root, relative(copy, job.file)), job.file);
      }
      return failed;
    },
  };
}

function withResolvers() {
  let resolve;
  const promise = new Promise((one) => {
    resolve = one;
  });
  return { promise, resolve };
}

async function runAll(faults, { runner, copy }) {
  const findTests = createTestFinder(filesIn(join(copy, 'packages/sallyport')));
  const sound = new Map();
  const results = [];
  for (const fault of faults) {
    const { file, whole, start, end, to } = fault;
    const path = join(copy, SOURCES, file);
    const text = `${whole.slice(0, start)}${to}${whole.slice(end)}`;
    const tests = findTests(path).slice(0, toNumber('tests'));
    const by = await tryOut({ file: path, text }, { tests, runner, sound, copy });
    results.push({ ...fault, by });
    const noticed = results.filter((one) => one.by !== undefined).length;
    const mark = by === undefined ? 'NOT NOTICED' : 'noticed';
    const how = by === undefined ? '' : `  [${by}]`;
    say(`${results.length}/${faults.length} (${noticed} noticed) ${mark} ${describe(fault)}${how}`);
  }
  return results;
}

/** @returns what noticed the fault; `undefined`: nothing did */
async function tryOut(fault, { tests, runner, sound, copy }) {
  for (;;) {
    const usable = tests.filter(({ test }) => sound.get(test) !== false);
    const near = usable.filter(({ distance }) => distance === 1).map(({ test }) => test);
    const far = usable.filter(({ distance }) => distance > 1).map(({ test }) => test);
    const rounds = [near, far].filter((round) => round.length > 0);
    const failed = rounds.length === 0 ? undefined : await runner.run({ ...fault, rounds });
    if (failed?.test === undefined) return failed?.by;
    // A test that fails without the fault, too, tells nothing.
    if (!sound.has(failed.test)) sound.set(failed.test, (await runner.run({ rounds: [[failed.test]] })) === undefined);
    if (sound.get(failed.test)) return failed.by;
    say(`left out, since it fails without a fault: ${relative(copy, failed.test)}`);
  }
}

function report(results, seed) {
  const noticed = results.filter(({ by }) => by !== undefined).length;
  const share = results.length === 0 ? 0 : Math.round((noticed / results.length) * 1_000) / 10;
  const missed = results.filter(({ by }) => by === undefined);
  const kinds = Object.fromEntries(
    [...new Set(results.map(({ kind }) => kind))].sort().map((kind) => {
      const all = results.filter((one) => one.kind === kind);
      return [kind, { faults: all.length, noticed: all.filter(({ by }) => by !== undefined).length }];
    }),
  );
  if (options.json) {
    const rows = missed.map(toRow);
    const figure = { name: 'mutants.noticed', value: share, unit: '%', goal: GOAL, holds: share >= GOAL };
    process.stdout.write(
      `${JSON.stringify({ figures: [figure], seed, faults: results.length, noticed, kinds, missed: rows })}\n`,
    );
    return;
  }
  for (const fault of missed) process.stdout.write(`NOT NOTICED ${describe(fault)}\n`);
  for (const [kind, { faults, noticed: some }] of Object.entries(kinds))
    process.stdout.write(`${kind}: ${some} of ${faults}\n`);
  process.stdout.write(`${noticed} of ${results.length} noticed: ${share} % (seed ${seed}, goal ${GOAL} %).\n`);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
