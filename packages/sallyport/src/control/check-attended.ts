import { NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import { FaultError } from '../core/errors.ts';
import { type Json, member } from '../core/json.ts';
import type { ControlPorts } from './ports.ts';

/**
 * A command without a terminal may be an agent's, which would answer for its own call: the configuration in force decides,
 * not one that the command line names.
 * @throws FaultError `forbidden`.
 */
export function checkAttended({ sections }: Pick<ControlPorts, 'sections'>, body: Json | undefined): void {
  if (member(body, 'unattended') !== true) return;
  if ((sections().approvals ?? NO_APPROVAL_RULES).unattended) return;
  throw new FaultError(
    'forbidden',
    'The configuration does not permit --unattended. Run this at a terminal, or set "approvals": {"unattended": true}.',
  );
}
