import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { STARTER_SETS } from '../src/config/policy-section.ts';
import { isPromised } from '../src/drill/promises.ts';
import { SCENARIOS } from '../src/drill/scenarios.ts';
import { DRILL_SETS, type SettingsName } from '../src/drill/settings.ts';
import { atTheEnd } from './at-the-end.ts';
import { descendantsOf } from './process-table.ts';
import { newTestFolder } from './running-sallyport.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/threats.md', import.meta.url));
/** Some 25 Sallyports for each settings; a machine may be busy with other tests. */
const PATIENCE_MS = 400_000;

interface Outcome {
  readonly name: string;
  readonly threat: string;
  readonly contained: boolean;
  readonly honest_works: boolean;
  readonly contained_with: readonly SettingsName[];
  readonly plain: { readonly harmed: boolean };
  readonly guarded: { readonly harmed: boolean; readonly guard: string | null; readonly rule: string | null };
}

interface Report {
  readonly set: string;
  readonly settings: object;
  readonly threats: readonly Outcome[];
  readonly contained: number;
  readonly honest_works: number;
  readonly of: number;
}

/** Flags -> what docs/threats.md calls these settings. */
const SETTINGS: readonly (readonly [name: SettingsName, flags: readonly string[], settings: object])[] = [
  ['laptop', [], {}],
  ['team', ['--set', 'team'], { policy: { set: 'team' } }],
  ['locked', ['--set', 'locked'], { policy: { set: 'locked' } }],
  ['guide-team', ['--guide-team'], { pins: { mode: 'team' }, policy: { set: 'team' } }],
];

/** `sallyport drill` as a process; what it leaves in the temporary folder is seen. */
function startDrill(...words: string[]) {
  return startDrillIn(newTestFolder(), ...words);
}

function startDrillIn(temporary: string, ...words: string[]) {
  const folder = newTestFolder();
  const child = spawn(process.execPath, [MAIN, 'drill', ...words], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr }));
  atTheEnd(async () => {
    // It ends what it started.
    child.kill('SIGTERM');
    await ended;
  });
  return { child, folder: temporary, ended };
}

/** The rows of the table of docs/threats.md. */
function readRows(): readonly { readonly name: string; readonly guard: string; readonly rule: string }[] {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([a-z-]+)` \|[^|]+\| `([\w-]+)` \| ([^|]+) \|/gm)];
  return rows.map(([, name = '', guard = '', rule = '']) => ({ name, guard, rule: rule.trim().replaceAll('`', '') }));
}

describe.each(SETTINGS)('every threat with %s', (settings, flags, sections) => {
  let whole: ReturnType<typeof startDrill> | undefined;
  // Once for all tests here, and not at all where none of them is run.
  const runAll = () => {
    whole ??= startDrill(...flags, '--json');
    return whole.ended;
  };

  test.for(SCENARIOS.map(({ name }) => name))(
    '%s harms plain MCP, and here what the table says',
    { timeout: PATIENCE_MS },
    async (name) => {
      const { stdout, stderr } = await runAll();
      const outcome = readReport(stdout, stderr).threats.find((one) => one.name === name);
      const promised = isPromised(name, settings);
      expect(outcome?.plain, stderr).toEqual({ harmed: true });
      expect(outcome?.contained, stderr).toBe(promised.contained);
      if (promised.honest) expect(outcome?.honest_works, stderr).toBe(true);
      if (settings !== 'guide-team') return;
      const row = readRows().find((one) => one.name === name);
      expect(outcome?.guarded.guard, stderr).toBe(row?.guard);
      expect(toWords(outcome?.guarded.rule), stderr).toContain(toWords(row?.rule));
    },
  );

  test('prints exactly what is promised, and leaves nothing behind', { timeout: PATIENCE_MS }, async () => {
    const { code, stdout, stderr } = await runAll();
    const report = readReport(stdout, stderr);
    expect(Object.keys(report)).toEqual(['set', 'settings', 'threats', 'contained', 'honest_works', 'of']);
    expect(report).toMatchObject({ set: settings === 'guide-team' ? 'team' : settings, settings: sections });
    const outcomes = report.threats;
    expect(outcomes.map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
    // Progress goes the way of the table, whichever of those at once ends first.
    const told = [...stderr.matchAll(/^(?:ok {2}|BAD |harm) ([a-z-]+)$/gm)].map(([, name]) => name);
    expect(told).toEqual(SCENARIOS.map(({ name }) => name));
    for (const one of outcomes) {
      const keys = ['name', 'threat', 'contained', 'honest_works', 'contained_with', 'plain', 'guarded'];
      expect(Object.keys(one)).toEqual(keys);
      expect(Object.keys(one.plain)).toEqual(['harmed']);
      expect(Object.keys(one.guarded)).toEqual(['harmed', 'guard', 'rule']);
    }
    expect(report.contained).toBe(outcomes.filter(({ contained }) => contained).length);
    expect(report.of).toBe(SCENARIOS.length);
    const isKept = outcomes.every(({ name, contained, honest_works }) => {
      const promised = isPromised(name, settings);
      return (!promised.contained || contained) && (!promised.honest || honest_works);
    });
    expect(code, stderr).toBe(isKept ? 0 : 1);
    expect(readdirSync(whole?.folder ?? '')).toEqual([]);
  });
});

test('every threat is in docs/threats.md, in this order', () => {
  expect(readRows().map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
});

test('the drill knows every set, and a new user has most threats contained', () => {
  expect(DRILL_SETS).toEqual(STARTER_SETS);
  expect(SCENARIOS.filter(({ name }) => isPromised(name, 'laptop').contained).length).toBeGreaterThanOrEqual(14);
  for (const { name } of SCENARIOS) expect(isPromised(name, 'guide-team').contained, name).toBe(true);
});

/** Whole words are compared: `conceals` is another rule than `conceals-from-user`. */
function toWords(rule: string | null | undefined): string {
  return ` ${(rule ?? 'no rule').split(/[ ,.:;()]+/).join(' ')} `;
}

function readReport(stdout: string, stderr: string): Report {
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout) as Report;
}

test(
  'Ctrl-C ends every process and removes the folder',
  async () => {
    const { child, folder, ended } = startDrill('--only', 'replayed-approval');
    const pid = child.pid ?? 0;
    // The servers run, and Sallyport has begun to.
    while (child.exitCode === null && descendantsOf(pid).length < 2)
      await once(child.stderr, 'data', { signal: AbortSignal.timeout(100) }).catch(() => {});
    const started = descendantsOf(pid);
    expect(started.length).toBeGreaterThan(1);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(started.filter((one) => descendantsOf(1).includes(one))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  },
  PATIENCE_MS,
);

test('a threat that does not exist is a mistake that names those that do', async () => {
  const { code, stderr } = await startDrill('--only', 'nothing').ended;
  expect(code).toBe(1);
  expect(stderr).toContain('capability-injection');
});

test('a temporary folder that is not there is a mistake that names TMPDIR', async () => {
  const missing = join(newTestFolder(), 'missing');
  const { code, stderr } = await startDrillIn(missing, '--only', 'shadowing').ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    `sallyport: The drill cannot make its folder in ${missing} (ENOENT). Set TMPDIR to a folder that exists and can be written to.\n`,
  );
});
