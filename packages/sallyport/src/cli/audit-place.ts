import { resolve } from 'node:path';
import type { ApiPlace } from './api.ts';
import { type Flag, type Input, textOption } from './command.ts';

export const AUDIT_FLAGS: readonly Flag[] = [
  { flags: '--directory <folder>', meaning: 'read this audit instead of the one of the configuration' },
];

/** Where the record is that a command line means. */
export function auditPlace({ options, terminal }: Input): ApiPlace {
  const read = (name: string): string | undefined => {
    const given = textOption(options, name);
    return given === undefined ? undefined : resolve(terminal.cwd, given);
  };
  return { auditDirectory: read('directory'), auditAnchor: read('anchor') };
}
