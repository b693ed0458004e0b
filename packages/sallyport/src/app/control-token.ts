import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { loadOrCreateSecret } from '../storage/state-file.ts';

/**
 * What a command line shows the control socket. A child of the same user could open the socket; the token stands in
 * the state directory, which children do not see, and in no environment.
 */
export function loadControlToken(stateDir: string): Promise<string> {
  return loadOrCreateSecret(toFile(stateDir), () => randomBytes(32).toString('base64url'));
}

/** Of the Sallyport that runs. @throws FaultError `config`. */
export async function readControlToken(stateDir: string): Promise<string> {
  const file = toFile(stateDir);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const text = `The control token ${file} cannot be read. Give this user access to it; if the file is missing, restart Sallyport, which makes it.`;
    throw new FaultError('config', text, { cause });
  }
}

function toFile(stateDir: string): string {
  return join(stateDir, 'control-token');
}
