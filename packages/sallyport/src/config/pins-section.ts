import { join, resolve } from 'node:path';
import { z } from 'zod';

/** `pins` as people write it. */
export const pinsSchema = z.strictObject({
  mode: z
    .enum(['laptop', 'team', 'locked', 'off'])
    .default('laptop')
    .describe(
      'laptop: what a server offers at first sight is approved and named in the log. team: it is quarantined until someone approves it. locked: only what the lock file names may be used. A changed definition is quarantined in all three. off: no definition and no program is compared with what was approved before, so a server may change what its tools say at any time; for servers you write yourself. laptop suits one person, who would approve what was just added anyway; a team sets team.',
    ),
  lockFile: z
    .string()
    .min(1)
    .optional()
    .describe('Written by "sallyport pin lock". Left out: sallyport.lock.json beside this file.'),
  programs: z
    .boolean()
    .optional()
    .describe(
      'Whether what stdio commands run (package, file, image) is looked at before each start and held to what was approved. Default: true. Turn it off for servers you are writing yourself and build all the time.',
    ),
});

export type PinMode = 'laptop' | 'team' | 'locked' | 'off';

/** Which definitions of tools, prompts, resources, instructions and server information may be used. */
export interface PinSettings {
  readonly mode: PinMode;
  /** Absolute. */
  readonly lockFile: string;
  /** Left out: what stdio commands run is looked at. */
  readonly programs?: boolean;
}

/** `undefined`: the defaults. */
export function resolvePins(written: z.output<typeof pinsSchema> | undefined, directory: string): PinSettings {
  const { mode = 'laptop', lockFile, programs } = written ?? {};
  return {
    ...(programs === undefined ? {} : { programs }),
    mode,
    lockFile: lockFile === undefined ? join(directory, 'sallyport.lock.json') : resolve(directory, lockFile),
  };
}

/** Where no file was written, the lock file stands in the state directory. */
/** Whose pins they are: servers of one name in two files are two servers. */
export function pinOwnerOf({ file }: { readonly file: string | undefined }): string {
  return file ?? 'none';
}

export function pinsOf({ pins, stateDir }: { readonly pins?: PinSettings; readonly stateDir: string }): PinSettings {
  return pins ?? resolvePins(undefined, stateDir);
}
