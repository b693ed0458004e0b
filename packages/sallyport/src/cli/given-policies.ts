import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { STARTER_SETS, type StarterSet } from '../config/policy-section.ts';
import { FaultError } from '../core/errors.ts';
import { type Flag, type Input, textOption } from './command.ts';

/** What every policy command takes that works on policies. */
export const POLICY_FLAGS: readonly Flag[] = [
  { flags: '--set <set>', meaning: 'build on this starter set: laptop, team or locked' },
];

export interface GivenPolicies {
  set?: StarterSet;
  files?: { file: string; text: string }[];
}

/** The policies a command line names, as the API takes them; `undefined`: those of the configuration. @throws FaultError `usage`, `config` */
export function readGivenPolicies({ terminal, options }: Input, files: readonly string[]): GivenPolicies | undefined {
  const set = readSet(options);
  if (set === undefined && files.length === 0) return undefined;
  const read = files.map((file) => ({ file, text: readPolicyFile(file, terminal.cwd) }));
  return { ...(set === undefined ? {} : { set }), files: read };
}

/** The set that `--set` names. @throws FaultError `usage` */
export function readSet(options: Input['options']): StarterSet | undefined {
  const written = textOption(options, 'set');
  const set = STARTER_SETS.find((one) => one === written);
  if (written !== undefined && set === undefined) throw new FaultError('usage', '--set is laptop, team or locked.');
  return set;
}

function readPolicyFile(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new FaultError('config', `The file ${path} cannot be read; correct the path.`, { cause: error });
  }
}
