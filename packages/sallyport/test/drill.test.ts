import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SCENARIOS } from '../src/drill/scenarios.ts';
import { atTheEnd } from './at-the-end.ts';
import { descendantsOf } from './process-table.ts';
import { newTestFolder } from './running-sallyport.ts';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/threats.md', import.meta.url));
/** Some 25 Sallyports; a machine may be busy with other tests. */
const PATIENCE_MS = 400_000;

interface Outcome {
  readonly name: string;
  readonly threat: string;
  readonly plain: { readonly harmed: boolean };
  readonly guarded: { readonly harmed: boolean; readonly guard: string | null; readonly rule: string | null };
  readonly honest: { readonly passed: boolean };
}

/** `sallyport drill` as a process; what it leaves in the temporary folder is seen. */
function startDrill(...words: string[]) {
  const folder = newTestFolder();
  const child = spawn(process.execPath, [MAIN, 'drill', ...words], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  atTheEnd(() => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr }));
  return { child, folder, ended };
}

/** The rows of the table of docs/threats.md. */
function readRows(): readonly { readonly name: string; readonly guard: string; readonly rule: string }[] {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([a-z-]+)` \|[^|]+\| `([\w-]+)` \| ([^|]+) \|/gm)];
  return rows.map(([, name = '', guard = '', rule = '']) => ({ name, guard, rule: rule.trim().replaceAll('`', '') }));
}

describe('every threat', () => {
  const drill = startDrill('--json');
  const outcomes = async (): Promise<readonly Outcome[]> => {
    const { stdout, stderr } = await drill.ended;
    expect(stdout, stderr).toMatch(/^\{/);
    return (JSON.parse(stdout) as { scenarios: Outcome[] }).scenarios;
  };
  const outcomeOf = async (name: string) => {
    const { stderr } = await drill.ended;
    const found = (await outcomes()).find((one) => one.name === name);
    return { ...found, stderr } as Outcome & { stderr: string };
  };

  test.each(SCENARIOS.map(({ name }) => name))(
    '%s harms plain MCP, not Sallyport, and its twin passes',
    async (name) => {
      const { plain, guarded, honest, stderr } = await outcomeOf(name);
      expect({ plain, harmed: guarded.harmed, honest }, stderr).toEqual({
        plain: { harmed: true },
        harmed: false,
        honest: { passed: true },
      });
      expect(guarded.guard, stderr).toMatch(/^[a-zA-Z-]+$/);
      expect(guarded.rule, stderr).toMatch(/\S/);
    },
    PATIENCE_MS,
  );

  test(
    'prints exactly what is promised, ends with 0 and leaves nothing behind',
    async () => {
      const { code, stdout, stderr } = await drill.ended;
      expect(code, stderr).toBe(0);
      expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['scenarios']);
      for (const one of await outcomes()) {
        expect(Object.keys(one)).toEqual(['name', 'threat', 'plain', 'guarded', 'honest']);
        expect(Object.keys(one.plain)).toEqual(['harmed']);
        expect(Object.keys(one.guarded)).toEqual(['harmed', 'guard', 'rule']);
        expect(Object.keys(one.honest)).toEqual(['passed']);
      }
      expect(readdirSync(drill.folder)).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    'is in docs/threats.md with the guard and the rule that stopped it',
    async () => {
      const rows = readRows();
      expect(rows.map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
      for (const { name, guard, rule } of rows) {
        const { guarded } = await outcomeOf(name);
        expect(guarded.guard, name).toBe(guard);
        expect(guarded.rule, name).toContain(rule);
      }
    },
    PATIENCE_MS,
  );
});

test(
  'Ctrl-C ends every process and removes the folder',
  async () => {
    const { child, folder, ended } = startDrill('--only', 'replayed-approval');
    const pid = child.pid ?? 0;
    // Sallyport runs already, and what it is to stand before.
    while (descendantsOf(pid).length < 3)
      await once(child.stderr, 'data', { signal: AbortSignal.timeout(100) }).catch(() => {});
    const started = descendantsOf(pid);
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
