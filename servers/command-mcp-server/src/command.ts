import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineServer, defineTool, fail, field, openRoots, type Roots, runProgram, z } from '@sallyport/kit';

export interface CommandOptions {
  /** Names of programs; each is looked for in PATH once, at the start. */
  readonly allowed: readonly string[];
  /** Where programs run. */
  readonly folder: string;
  readonly timeoutMs?: number;
}

const MAX_BYTES = 10_000;

/** @throws Error when the folder or a program does not exist */
export async function command({ allowed, folder, timeoutMs = 30_000 }: CommandOptions) {
  const roots = await openRoots([folder]);
  const [cwd = folder] = roots.folders;
  const programs = new Map(allowed.map((name) => [name, findProgram(name)]));
  const execute = defineTool({
    name: 'execute_command',
    title: 'Run a program',
    description: `Runs one of these programs in the folder of the server, without a shell: ${allowed.join(', ')}. Arguments cannot name files outside that folder. Returns its output and exit code.`,
    input: {
      program: field('The program', z.enum(allowed as [string, ...string[]])),
      args: field(
        'Its arguments, one by one, for example ["-l"]; quotes and wildcards have no meaning',
        z.array(z.string().max(10_000)).max(100).default([]),
      ),
    },
    output: {
      exit_code: field('0 as a rule means success; left out when the program was killed', z.number().optional()),
      stdout: field('What it printed', z.string()),
      stderr: field('What it printed about errors', z.string()),
      is_cut: field('Whether it printed more than is shown', z.boolean()),
      is_timed_out: field(`Whether it was stopped after ${timeoutMs / 1000} seconds`, z.boolean()),
    },
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    timeoutMs: timeoutMs + 5_000,
    async run({ program, args }, { signal }) {
      for (const arg of args) await assertInside(roots, arg);
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: cwd };
      const result = await runProgram(program, args, {
        allowed: programs,
        cwd,
        signal,
        timeoutMs,
        maxBytes: MAX_BYTES,
        env,
      });
      return {
        ...(result.exitCode === undefined ? {} : { exit_code: result.exitCode }),
        ...{ stdout: result.stdout, stderr: result.stderr, is_cut: result.isCut, is_timed_out: result.isTimedOut },
      };
    },
  });
  return defineServer({ name: 'command-mcp-server', version: '1.0.0', tools: [execute] });
}

/** An argument can be a path whole, after an option (`-f…`, `--file=…`) or after an `@`. @throws ToolFailure for one outside */
async function assertInside(roots: Roots, arg: string): Promise<void> {
  const paths = [arg, arg.slice(arg.indexOf('=') + 1), arg.replace(/^@/, ''), arg.replace(/^-\w/, '')];
  for (const path of new Set(paths))
    if (!(await roots.contains(path)))
      fail(`"${arg}" names a file outside the folder of this server.`, `Use a path inside ${roots.folders.join()}.`);
}

function findProgram(name: string): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next folder may have it.
    }
  }
  throw new Error(`There is no program "${name}" in PATH. Remove it from COMMAND_ALLOWED, or install it.`);
}
