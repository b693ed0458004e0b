import type { PolicySettings } from '../../config/policy-section.ts';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import { type CompiledPolicies, compilePolicies } from './compile-policies.ts';
import { type PolicySource, toStarterSource } from './starter-sets.ts';

/** Policies that passed every check, and what evaluates them. */
export interface PreparedPolicies {
  readonly cedar: CedarLibrary;
  readonly compiled: CompiledPolicies;
}

const prepared = new WeakMap<PolicySettings, PreparedPolicies>();

/**
 * Checks the policies of a configuration before it is published, so that a bad file leaves the old ones in force.
 * @throws FaultError `config` with every problem.
 */
export async function preparePolicies(settings: PolicySettings, servers: Iterable<string>): Promise<PreparedPolicies> {
  const known = prepared.get(settings);
  if (known !== undefined) return known;
  const cedar = await loadCedar();
  const ready = { cedar, compiled: compilePolicies(cedar, toSources(settings), servers) };
  prepared.set(settings, ready);
  return ready;
}

/** What `preparePolicies` gave for these very settings; `undefined`: it was not asked. */
export function findPrepared(settings: PolicySettings): PreparedPolicies | undefined {
  return prepared.get(settings);
}

export function toSources({ set, files }: Pick<PolicySettings, 'set' | 'files'>): readonly PolicySource[] {
  return set === undefined ? files : [toStarterSource(set), ...files];
}
