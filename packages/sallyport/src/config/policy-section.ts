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
});

export interface PolicySettings {
  readonly set: 'laptop' | 'team' | 'locked' | undefined;
  /** As written, with what they hold. */
  readonly files: readonly PolicyFile[];
  readonly mode: 'enforce' | 'shadow';
}

export interface PolicyFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** Reads the files a policy section names; their syntax is checked by whoever evaluates them. */
export function resolvePolicy(
  { set, files, mode }: z.output<typeof policySchema>,
  from: { readonly directory: string; readonly readText: ((path: string) => string) | undefined },
  report: (path: Path, message: string) => void,
): PolicySettings {
  const read = files.flatMap((file, index): PolicyFile[] => {
    const path = resolvePath(from.directory, file);
    if (files.indexOf(file) !== index) report(['files', index], 'named twice; remove one');
    try {
      if (from.readText === undefined) throw new Error('no files here');
      return [{ file, path, text: from.readText(path) }];
    } catch {
      report(['files', index], `cannot read ${path}; correct the path`);
      return [];
    }
  });
  return { set, files: read, mode };
}
