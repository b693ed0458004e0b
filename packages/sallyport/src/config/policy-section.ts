import { resolve as resolvePath } from 'node:path';
import { z } from 'zod';
import type { Path } from './parse-file.ts';

/** The sets an operator can name instead of writing rules; files may be added to each. */
export const STARTER_SETS = ['laptop', 'team', 'locked'] as const;
export type StarterSet = (typeof STARTER_SETS)[number];

/** The section `policy` of the file: as people write it, and as the program runs on it. */
export const policySchema = z.strictObject({
  set: z
    .enum(STARTER_SETS)
    .optional()
    .describe(
      'The set in force, for permissions and for every door whose section is left out; `sallyport policy sets` lists what each does. laptop: every call of a known caller is permitted. team: reading for all, writing for the groups writers and admin, dangerous effects need an approval. locked: only what files permit. Left out: laptop; if files are given, they alone decide what is permitted.',
    ),
  files: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Cedar policies, added to the set; without a set they alone decide what is permitted. Relative paths start at this file.',
    ),
  mode: z
    .enum(['enforce', 'shadow'])
    .default('enforce')
    .describe(
      'shadow: decisions are noted and logged, and stop nothing. enforce, because a rule that stops nothing is none.',
    ),
  shadow: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Cedar policies that are only tried: what they would decide, beside the set and the files, is noted and never carried out.',
    ),
  groups: z
    .array(z.string().min(1).max(256))
    .optional()
    .describe(
      'Every group that keys, tokens and certificates bring. Given: a policy that names another one is refused. Left out: only one that is nearly called like a group of this file.',
    ),
});

/** Whoever configures nothing works alone: protection must hold without asking about honest work. */
const DEFAULT_SET: StarterSet = 'laptop';

/** The set that is in force for every door whose section is left out. */
export function setInForce(written: z.output<typeof policySchema> | undefined): StarterSet {
  return written?.set ?? DEFAULT_SET;
}

export interface PolicySettings {
  /** Whose permissions hold beside the files; `undefined`: the files alone decide. */
  readonly set: StarterSet | undefined;
  /** As written, with what they hold. */
  readonly files: readonly PolicyFile[];
  readonly mode: 'enforce' | 'shadow';
  /** Only tried; left out: none. */
  readonly shadow?: readonly PolicyFile[];
  /** Servers that policies may name beside those in use: switched off, they are no mistake. */
  readonly idleServers?: readonly string[];
  /** Every group there is; `undefined`: keys and tokens may bring others than the configuration names. */
  readonly groups?: readonly string[] | undefined;
}

export interface PolicyFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/**
 * The policies that have to be evaluated; `undefined`: there are none, because laptop alone permits every call of a known
 * caller. An open endpoint has callers that nobody knows.
 */
export function policiesOf(snapshot: {
  readonly policy?: PolicySettings;
  readonly gateway: { readonly auth: unknown };
}): PolicySettings | undefined {
  const { policy, gateway } = snapshot;
  if (policy?.set !== 'laptop' || policy.files.length > 0 || (policy.shadow ?? []).length > 0) return policy;
  return gateway.auth === 'none' ? policy : undefined;
}

/** Reads the files a policy section names; their syntax is checked by whoever evaluates them. */
export function resolvePolicy(
  written: z.output<typeof policySchema> | undefined,
  from: {
    readonly directory: string;
    readonly readText: ((path: string) => string) | undefined;
    /** Of the file, those that are switched off included. */
    readonly servers: readonly string[];
  },
  report: (path: Path, message: string) => void,
): PolicySettings {
  const { files, mode, shadow, groups } = written ?? policySchema.parse({});
  const all = [...files, ...shadow];
  const read = (key: 'files' | 'shadow', before: number) => (file: string, index: number) => {
    const path = resolvePath(from.directory, file);
    if (all.indexOf(file) !== before + index) report([key, index], 'named twice; remove one');
    try {
      if (from.readText === undefined) throw new Error('no files here');
      return [{ file, path, text: from.readText(path) }];
    } catch {
      report([key, index], `cannot read ${path}; correct the path`);
      return [];
    }
  };
  return {
    set: files.length > 0 ? written?.set : setInForce(written),
    files: files.flatMap(read('files', 0)),
    mode,
    shadow: shadow.flatMap(read('shadow', files.length)),
    idleServers: from.servers,
    ...(groups === undefined ? {} : { groups }),
  };
}
