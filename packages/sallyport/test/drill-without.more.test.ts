import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Outcome, runDrill } from '../src/drill/drill.ts';
import type { Scenario } from '../src/drill/scenario.ts';
import { atTheEnd } from './at-the-end.ts';
import { newTestFolder } from './running-sallyport.ts';

// What the drill says is worth something only if it can say the opposite: with the guard that stops a threat switched off,
// another one holds, and with that one off as well the harm is there.

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** Some 30 Sallyports; a machine may be busy with other tests. */
const PATIENCE_MS = 900_000;

type Change = Pick<Scenario, 'config' | 'entries' | 'isCareless'>;

/** How each guard is switched off. `pin` has no switch: its operator approves everything. */
const OFF = {
  pin: { isCareless: true },
  taint: { config: { taint: { mode: 'off' } } },
  policy: { config: { policy: undefined, sinks: { floor: {} } } },
  'scan-result': { config: { scan: { results: 'off' } } },
  'argument-safety': { config: { argumentSafety: { enabled: false } } },
  addresses: { config: { scan: { results: 'off', resources: { private: true, unlisted: 'allow' } } } },
  bindings: { config: { bindings: [] }, entries: {} },
} satisfies Record<string, Change>;

type Guard = keyof typeof OFF;

/** What is switched off, one after the other; behind each but the last the next one holds. */
const ROWS: Readonly<Record<string, readonly Guard[]>> = {
  'capability-injection': ['pin', 'taint', 'policy'],
  shadowing: ['pin'],
  'poisoned-description': ['pin', 'argument-safety', 'taint'],
  'poisoned-schema': ['pin', 'taint'],
  'injected-result': ['scan-result', 'taint'],
  'rug-pull': ['pin', 'taint'],
  'name-squat': ['pin'],
  'exfiltration-by-argument': ['taint'],
  'exfiltration-by-url': ['taint'],
  'exfiltration-by-image': ['scan-result'],
  'exfiltration-by-encoding': ['taint'],
  'exfiltration-in-pieces': ['taint'],
  'sampling-abuse': ['scan-result', 'taint'],
  'sampling-exfiltration': ['taint'],
  'resource-link': ['addresses'],
  'confused-deputy': ['bindings'],
  'over-broad-token': ['policy'],
  'out-of-scope-parameters': ['pin', 'taint'],
  'replayed-approval': ['policy'],
};

async function loadDrill(): Promise<{ run: typeof runDrill; scenarios: readonly Scenario[] }> {
  // The built one: it starts the program beside it.
  const load = (file: string) => import(/* @vite-ignore */ join(PACKAGE, 'dist/drill', file));
  return { run: (await load('drill.js')).runDrill, scenarios: (await load('scenarios.js')).SCENARIOS };
}

function without(scenario: Scenario, guards: readonly Guard[]): Scenario {
  const changes: readonly Change[] = guards.map((guard) => OFF[guard]);
  const config = Object.assign({}, scenario.config, ...changes.map((one) => one.config));
  return Object.assign({}, scenario, ...changes, { config });
}

/** Every row that has so many guards, or one of them, with these switched off. */
async function runWithout(count: number, only?: string): Promise<ReadonlyMap<string, Outcome>> {
  const { run, scenarios } = await loadDrill();
  const rows = scenarios.filter(({ name }) => (ROWS[name]?.length ?? 0) >= count);
  const chosen = only === undefined ? rows : rows.filter(({ name }) => name === only);
  const changed = chosen.map((one) => without(one, ROWS[one.name]?.slice(0, count) ?? []));
  const signal = new AbortController().signal;
  const outcomes = await run(changed, { settings: { kind: 'guide' }, signal, onOutcome: () => undefined });
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
}

describe('without the guards that are named', () => {
  const runs = new Map<number, Promise<ReadonlyMap<string, Outcome>>>();
  const rows = Object.entries(ROWS).flatMap(([name, guards]) =>
    guards.map((guard, at) => ({ name, guard, count: at + 1, next: guards[at + 1] })),
  );

  // A second try acts it out alone: beside the others a busy machine may be too late for a deadline.
  test.for(rows)(
    '$name without $guard, the guard $count of its row',
    { timeout: PATIENCE_MS },
    async ({ name, count, next }, { task }) => {
      const isAgain = (task.result?.retryCount ?? 0) > 0;
      const outcomes = isAgain ? runWithout(count, name) : (runs.get(count) ?? runWithout(count));
      if (!isAgain) runs.set(count, outcomes);
      const { plain, guarded, trouble } = (await outcomes).get(name) ?? expect.fail('not acted out');
      // A play that broke off counts as harm in a drill, and shows nothing here.
      expect(trouble.filter((one) => /^(?:guarded|plain attack):/.test(one))).toEqual([]);
      expect(plain.harmed).toBe(true);
      expect(guarded, trouble.join('\n')).toMatchObject(
        next === undefined ? { harmed: true } : { harmed: false, guard: next },
      );
    },
  );
});

test(
  'a form that asks for a password harms when neither it nor its answer is read, and the exit code says so',
  async () => {
    const folder = newTestFolder();
    const dist = join(folder, 'package', 'dist');
    cpSync(join(PACKAGE, 'dist'), dist, { recursive: true });
    cpSync(join(PACKAGE, 'package.json'), join(folder, 'package', 'package.json'));
    symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'package', 'node_modules'));
    symlinkSync(join(PACKAGE, '../../node_modules'), join(folder, 'node_modules'));
    replaceIn(join(dist, 'guard/approve/elicitation-secrets.js'), [
      'export function findSecretQuestion(',
      'export function findSecretQuestion() { return undefined; }\nfunction unused(',
    ]);
    replaceIn(join(dist, 'call/client-responses.js'), [
      '    if (guards.length === 0)\n',
      '    if (guards.length >= 0)\n',
    ]);
    const child = spawn(process.execPath, [
      ...[join(dist, 'cli/main.js'), 'drill', '--only', 'elicitation-for-secrets', '--json'],
    ]);
    atTheEnd(() => void child.kill('SIGTERM'));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    const [code] = await once(child, 'close');
    expect(JSON.parse(stdout)).toMatchObject({ threats: [{ plain: { harmed: true }, guarded: { harmed: true } }] });
    expect(code).toBe(1);
  },
  PATIENCE_MS,
);

function replaceIn(file: string, [before, after]: readonly [string, string]): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(before);
  writeFileSync(file, text.replace(before, after));
}
