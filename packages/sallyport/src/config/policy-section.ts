import { resolve as resolvePath } from 'node:path';
import { z } from 'zod';
import type { Path } from './parse-file.ts';

/** The section `policy` of the file: as people write it, and as the program runs on it. */
export const policySchema = z.strictObject({
  set: z
    .enum(['laptop', 'team', 'locked'])
    .optional()
    .describe(
      'A starter set to build on. laptop: everything but what nobody known asks for. team: reading for all, writing for the groups writers and admin, dangerous effects ask. locked: nothing but what files permit. Left out: files alone decide, and what they do not permit is denied.',
    ),
  files: z
    .array(z.string().min(1))
    .default([])
    .describe('Cedar policies, beside the set; relative paths start at this file.'),
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

/** The sets an operator can name instead of writing rules; files may be added to each. */
export type StarterSet = 'laptop' | 'team' | 'locked';

export interface PolicySettings {
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

/** Reads the files a policy section names; their syntax is checked by whoever evaluates them. */
export function resolvePolicy(
  { set, files, mode, shadow, groups }: z.output<typeof policySchema>,
  from: {
    readonly directory: string;
    readonly readText: ((path: string) => string) | undefined;
    /** Of the file, those that are switched off included. */
    readonly servers: readonly string[];
  },
  report: (path: Path, message: string) => void,
): PolicySettings {
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
  if (shadow.length > 0 && set === undefined && files.length === 0)
    report(
      ['shadow'],
      'stands alone, and without a set or files everything is denied; add them, or try these as files with mode "shadow"',
    );
  return {
    set,
    files: files.flatMap(read('files', 0)),
    mode,
    shadow: shadow.flatMap(read('shadow', files.length)),
    idleServers: from.servers,
    ...(groups === undefined ? {} : { groups }),
  };
}
