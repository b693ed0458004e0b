import { STARTER_SETS } from '../../config/policy-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import { isObject, type Json, member } from '../../core/json.ts';
import { createPause, runPaced } from '../../core/pace.ts';
import { type CedarLibrary, loadCedar } from '../../guard/policy/cedar.ts';
import type { KnownNames } from '../../guard/policy/check-names.ts';
import { type CompiledPolicies, compileInSteps } from '../../guard/policy/compile-policies.ts';
import { toKnownNames, toSources } from '../../guard/policy/prepare-policies.ts';
import type { PolicySource } from '../../guard/policy/starter-sets.ts';
import { wrong } from '../problem.ts';
import { objectOf, type Schema } from '../route.ts';

/** What a request says which policies are meant; those of the configuration where it says nothing. */
export const POLICIES: Schema = {
  title: 'GivenPolicies',
  type: 'object',
  properties: {
    set: { enum: [...STARTER_SETS] },
    files: {
      type: 'array',
      items: objectOf({ file: { type: 'string' }, text: { type: 'string' } }),
    },
  },
  description:
    'The policies that are meant: a starter set, texts in Cedar, or both. Left out: those of the configuration.',
};

export interface PolicySet {
  readonly cedar: CedarLibrary;
  readonly compiled: CompiledPolicies;
  readonly sources: readonly PolicySource[];
}

/** @throws FaultError `config` for policies that do not pass their checks, `usage`. */
export async function openPolicySet(
  given: Json | undefined,
  snapshot: Snapshot,
  tools?: KnownNames['tools'],
): Promise<PolicySet> {
  const sources = readSources(given) ?? toSources(snapshot.policy ?? { set: snapshot.set, files: [] });
  const cedar = await loadCedar();
  // Without a configuration there is nothing that names could be wrong about.
  const names: KnownNames = snapshot.file === undefined ? {} : { ...toKnownNames(snapshot), tools };
  const compiled = await runPaced(compileInSteps(cedar, sources, names), createPause());
  return { cedar, compiled, sources };
}

const MAX_FILES = 1_000;

function readSources(given: Json | undefined): readonly PolicySource[] | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) return wrong('"policies" is an object with "set", "files" or both.');
  const named = member(given, 'set');
  const set = STARTER_SETS.find((one) => one === named);
  if (named !== undefined && set === undefined) wrong(`"set" is one of ${STARTER_SETS.join(', ')}.`);
  const files = member(given, 'files') ?? [];
  if (!Array.isArray(files) || files.length > MAX_FILES) return wrong(`"files" is a list of at most ${MAX_FILES}.`);
  const read = (files as readonly Json[]).map((one) => {
    const file = member(one, 'file');
    const text = member(one, 'text');
    if (typeof file !== 'string' || typeof text !== 'string') return wrong('A file has "file" and "text", both texts.');
    return { file, path: file, text };
  });
  return set === undefined && read.length === 0 ? undefined : toSources({ set, files: read });
}
