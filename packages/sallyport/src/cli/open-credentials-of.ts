import { type OpenCredentials, openCredentials } from '../call/open-credentials.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';

/** What a command line proves itself with to servers: the tokens of the person at this machine. Read when it is needed. */
export function openCredentialsOf({ terminal, options }: Input): OpenCredentials {
  const stateDir = findStateDir(terminal);
  const { env } = terminal;
  // Only the one key at the top is wanted here: whatever is wrong with the servers is for others to say.
  const keyRef = () => {
    const file = findConfigFile(textOption(options, 'config'), terminal);
    return readSnapshot({ file, env, stateDir, version: 1, only: '' }).tokenKeyRef;
  };
  return openCredentials({ stateDir, keyRef, env, clock: systemClock, log: silentLog });
}
