import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PolicySettings } from '../config/policy-section.ts';
import { FaultError } from '../core/errors.ts';
import { type CedarLibrary, loadCedar } from '../guard/policy/cedar.ts';
import { type CompiledPolicies, compilePolicies } from '../guard/policy/compile-policies.ts';
import { toSources } from '../guard/policy/prepare-policies.ts';
import { type Flag, type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';

/** What every policy command takes that works on policies. */
export const POLICY_FLAGS: readonly Flag[] = [
  { flags: '--set <set>', meaning: 'build on this starter set: laptop, team or locked' },
];

export interface OpenPolicies {
  readonly cedar: CedarLibrary;
  readonly compiled: CompiledPolicies;
  /** What was looked at, for people. */
  readonly names: readonly string[];
}

/**
 * The policies a command line names, or those of the configuration.
 * @throws FaultError `config` for policies that do not pass their checks, `usage`.
 */
export async function openPolicies(input: Input, files: readonly string[]): Promise<OpenPolicies> {
  const { terminal, options } = input;
  const config = findConfigFile(textOption(options, 'config'), terminal);
  const snapshot =
    config === undefined
      ? undefined
      : readSnapshot({ file: config, env: terminal.env, stateDir: findStateDir(terminal), version: 1 });
  const set = toSet(textOption(options, 'set'));
  const given =
    files.length > 0 || set !== undefined
      ? { set, files: files.map((file) => readPolicyFile(file, terminal.cwd)) }
      : snapshot?.policy;
  if (given === undefined)
    throw new FaultError(
      'usage',
      'The configuration has no section "policy", and no files were named. Name some, or give --set laptop, team or locked.',
    );
  const cedar = await loadCedar();
  const sources = toSources(given);
  const compiled = compilePolicies(cedar, sources, snapshot?.servers.keys());
  return { cedar, compiled, names: sources.map(({ file }) => file) };
}

function toSet(text: string | undefined): PolicySettings['set'] {
  if (text === undefined || text === 'laptop' || text === 'team' || text === 'locked') return text;
  throw new FaultError('usage', '--set is laptop, team or locked.');
}

function readPolicyFile(file: string, cwd: string): PolicySettings['files'][number] {
  const path = resolve(cwd, file);
  try {
    return { file, path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new FaultError('config', `The file ${path} cannot be read; correct the path.`, { cause: error });
  }
}
