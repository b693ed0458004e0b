import { FaultError } from '../core/errors.ts';
import { type Options, textOption } from './command.ts';

/** Characters. The API has the same bounds. */
const SHORTEST = 3;
const LONGEST = 500;

export const REASON_MEANING = `why, in ${SHORTEST} to ${LONGEST} characters; it stands in the audit`;

/**
 * Why a person decides so about a quarantined result.
 * @throws FaultError `usage`.
 */
export function readReason(options: Options): string {
  const reason = textOption(options, 'reason');
  if (reason === undefined) throw new FaultError('usage', 'Say why with --reason; it stands in the audit.');
  const { length } = [...reason];
  if (length < SHORTEST || length > LONGEST)
    throw new FaultError(
      'usage',
      `--reason has ${SHORTEST} to ${LONGEST} characters, and this one ${length}: it stands in the audit, where others read it.`,
    );
  return reason;
}
