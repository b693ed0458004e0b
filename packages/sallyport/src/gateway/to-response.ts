import { type FailureCode, FaultError, toFault } from '../core/errors.ts';
import { Answer } from '../core/message.ts';
import { toText } from '../core/response.ts';

/** A fault as a JSON-RPC error. `id` is JSON text; `null` where the request's id could not be read. */
function toErrorAnswer(id: string, error: unknown): Answer {
  const fault = toFault(error);
  return Answer.error(id, fault.failure.rpc, fault.message, fault.data);
}

/** Faults of the HTTP exchange itself; everything else is a JSON-RPC error inside a successful exchange. */
const HTTP_FAULTS = new Set<FailureCode>([
  'parse',
  'invalid_request',
  'header_mismatch',
  'missing_capability',
  'unsupported_version',
  'unauthenticated',
  'forbidden',
  'session_not_found',
  'media_type',
  'not_acceptable',
  'conflict',
  'too_large',
  'too_many',
  'overloaded',
  'not_ready',
  'draining',
]);

export function toStatus(error: unknown): number {
  return error instanceof FaultError && HTTP_FAULTS.has(error.code) ? error.failure.http : 200;
}

/** An error answer as a binary string; an error about an unreadable message has a null id (JSON-RPC 2.0 section 5). */
export function toErrorText(id: string | undefined, error: unknown): string {
  const answer = toErrorAnswer('0', error);
  return toText(answer.write(id ?? 'null'));
}
