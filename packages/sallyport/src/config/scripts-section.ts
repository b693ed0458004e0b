import { z } from 'zod';
import { fitsLister, type Lister, listerRule } from './lister-rule.ts';

const mode = z.enum(['on', 'off']);

/** The section `scripts` of the file. */
export const scriptsSchema = z.strictObject({
  mode: mode
    .default('off')
    .describe(
      'Whether callers are offered run_script. off, because one script makes many calls where a model would stop and look after each.',
    ),
  rules: z
    .array(z.strictObject({ ...listerRule, mode: mode.describe('What holds for them in place of scripts.mode.') }))
    .max(1_000)
    .default([])
    .describe(
      'Who gets another mode; the first that fits counts. A client chooses its own name: to withhold scripts from somebody, name callers or groups.',
    ),
  timeoutMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .default(120_000)
    .describe(
      'A script ends after this long; waiting for people does not count. 2 min: tools are slow, clients are not patient.',
    ),
  computeMs: z
    .int()
    .min(10)
    .max(60_000)
    .default(5_000)
    .describe(
      'How long a script itself may compute; waiting for tools does not count. 5 s: parsing and sorting megabytes takes one.',
    ),
  memoryMb: z
    .int()
    .min(8)
    .max(1_024)
    .default(64)
    .describe('Memory of one script. One result of a tool may take an eighth of it: it is held as text and as values.'),
  calls: z.int().min(1).max(10_000).default(200).describe('Calls of tools that one script may make.'),
  parallel: z.int().min(1).max(64).default(8).describe('Calls of one script in flight at once; more wait in line.'),
  outputCharacters: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(25_000)
    .describe(
      'What a script returns is cut after so many characters. 25,000: more would fill the context that scripts are there to spare.',
    ),
  consoleCharacters: z
    .int()
    .min(0)
    .max(100_000)
    .default(4_000)
    .describe('What a script writes to the console is cut after so many characters.'),
  atOnce: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe(
      'Scripts that run or wait for people in this process; of what others leave, one caller gets at most seven eighths.',
    ),
});

export type ScriptSettings = Readonly<z.output<typeof scriptsSchema>>;

export const DEFAULT_SCRIPTS: ScriptSettings = Object.freeze(scriptsSchema.parse({}));

/** Is this caller offered scripts? */
export function offersScripts({ mode, rules }: ScriptSettings, lister: Lister): boolean {
  return (rules.find((one) => fitsLister(one, lister))?.mode ?? mode) === 'on';
}
