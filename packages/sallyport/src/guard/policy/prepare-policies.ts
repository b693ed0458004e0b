import { listGroups } from '../../config/allowed.ts';
import { type PolicySettings, policiesOf } from '../../config/policy-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import { createPause, type Pause, runPaced } from '../../core/pace.ts';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import type { KnownNames } from './check-names.ts';
import { compileInSteps } from './compile-policies.ts';
import { PolicySlices } from './policy-slices.ts';
import { type PolicySource, toStarterSource } from './starter-sets.ts';

/** Policies that passed every check, and what evaluates them. */
export interface PreparedPolicies {
  readonly cedar: CedarLibrary;
  readonly slices: PolicySlices;
  /** Those that are only tried, beside the others; left out: none. */
  readonly candidate?: { readonly cedar: CedarLibrary; readonly slices: PolicySlices } | undefined;
}

const prepared = new WeakMap<PolicySettings, PreparedPolicies>();

/**
 * Checks the policies of a configuration before it is published, so that a bad file leaves the old ones in force, and
 * makes them ready in steps of a few milliseconds between which calls are served.
 * @throws FaultError `config` with every problem.
 */
export async function preparePolicies(snapshot: Snapshot): Promise<PreparedPolicies | undefined> {
  const settings = policiesOf(snapshot);
  if (settings === undefined) return undefined;
  const known = prepared.get(settings);
  if (known !== undefined) return known;
  const cedar = await loadCedar();
  const names = toKnownNames(snapshot);
  const pause = createPause();
  const servers = [...snapshot.servers.keys()];
  const make = (sources: readonly PolicySource[]) => makeSlices(cedar, sources, { names, servers, pause });
  const slices = await make(toSources(settings));
  const tried = settings.shadow ?? [];
  const ready: PreparedPolicies = {
    cedar,
    slices,
    ...(tried.length === 0 ? {} : { candidate: { cedar, slices: await make([...toSources(settings), ...tried]) } }),
  };
  prepared.set(settings, ready);
  return ready;
}

async function makeSlices(
  cedar: CedarLibrary,
  sources: readonly PolicySource[],
  using: { readonly names: KnownNames; readonly servers: readonly string[]; readonly pause: Pause },
): Promise<PolicySlices> {
  const compiled = await runPaced(compileInSteps(cedar, sources, using.names), using.pause);
  const slices = new PolicySlices(cedar, compiled);
  await slices.prepare(using.servers, using.pause);
  return slices;
}

/** What `preparePolicies` gave for these very settings; `undefined`: it was not asked. */
export function findPrepared(settings: PolicySettings): PreparedPolicies | undefined {
  return prepared.get(settings);
}

export function toSources({ set, files }: Pick<PolicySettings, 'set' | 'files'>): readonly PolicySource[] {
  return set === undefined ? files : [toStarterSource(set), ...files];
}

/** What policies may name, as far as the configuration knows. */
export function toKnownNames(snapshot: Snapshot): KnownNames {
  const { policy, servers, gateway } = snapshot;
  const { mtls } = typeof gateway.auth === 'string' ? {} : gateway.auth;
  const groups = [
    ...listGroups(snapshot),
    ...(mtls?.identities ?? []).flatMap((one) => one.groups),
    ...(policy?.set === 'team' ? ['writers', 'admin'] : []),
    ...(policy?.groups ?? []),
  ];
  return {
    servers: new Set([...servers.keys(), ...(policy?.idleServers ?? [])]),
    groups: { names: new Set(groups), isWhole: policy?.groups !== undefined },
  };
}
