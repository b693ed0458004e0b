import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { SEAL_KEY_FILE } from '../telemetry/audit/audit.ts';
import { type Flag, type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';

export const AUDIT_FLAGS: readonly Flag[] = [
  { flags: '--directory <folder>', meaning: 'read this audit instead of the one of the configuration' },
];

/** The folder of the audit: as given, as configured, else in the state directory. */
export function findAuditDirectory({ options, terminal }: Input): string {
  const given = textOption(options, 'directory');
  if (given !== undefined) return given;
  const stateDir = findStateDir(terminal);
  const file = findConfigFile(textOption(options, 'config'), terminal);
  // No server has this name: what is wrong with servers does not matter here.
  const snapshot = readSnapshot({ file, env: terminal.env, stateDir, version: 1, only: '' });
  return snapshot.audit?.directory ?? join(stateDir, 'audit');
}

/** The text of the key that seals: the public one in `--key`, else what the state directory keeps. @throws FaultError `config` */
export function readSealKey({ options, terminal }: Input): string {
  const file = textOption(options, 'key') ?? join(findStateDir(terminal), SEAL_KEY_FILE);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new FaultError('config', `The seal key ${file} cannot be read. Give the public key with --key.`, {
      cause: error,
    });
  }
}
