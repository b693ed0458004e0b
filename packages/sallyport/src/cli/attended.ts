import { FaultError } from '../core/errors.ts';
import { type Flag, type Input, isSet } from './command.ts';
import { isInteractive } from './terminal.ts';

export const UNATTENDED_FLAG: Flag = {
  flags: '--unattended',
  meaning: 'there is no terminal: a script answers; approvals.unattended of the configuration has to permit it',
};

/**
 * What a command that stands in for a person says of itself: an agent that runs commands must not allow its own calls.
 * @throws FaultError `forbidden`: no terminal, and nobody said that this is meant.
 */
export function readUnattended({ terminal, options }: Input): true | undefined {
  if (isSet(options, 'unattended')) return true;
  if (isInteractive(terminal)) return undefined;
  throw new FaultError(
    'forbidden',
    'This is answered by a person at a terminal. A script writes --unattended, and the configuration has to permit that: "approvals": {"unattended": true}.',
  );
}
