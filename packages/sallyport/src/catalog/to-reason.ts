import { type FailureCode, toFault } from '../core/errors.ts';

/** What a server says when it fails is shown where a call failed, never among instructions. */
export function toReason(error: unknown): { reason: string; told: string } {
  const { message, code, isOurs } = toFault(error);
  return { reason: message, told: isOurs ? message : (TOLD.get(code) ?? 'it does not answer as an MCP server does') };
}

const TOLD: ReadonlyMap<FailureCode, string> = new Map([
  ['timeout', 'it does not answer'],
  ['unreachable', 'it cannot be reached or has ended'],
  ['upstream_unauthenticated', 'the operator has to sign in there'],
  ['denied', 'its program waits for the approval of a person'],
]);
