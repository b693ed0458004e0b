import { type FailureCode, FaultError, toFault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';

/** Problem details (RFC 9457): what went wrong, for programs by `code`, for people by `detail`, which names the fix. */
export interface Problem {
  readonly status: number;
  readonly body: JsonObject;
}

const STATUS: ReadonlyMap<FailureCode, number> = new Map<FailureCode, number>([
  ['usage', 400],
  ['parse', 400],
  ['invalid_request', 400],
  ['invalid_params', 400],
  ['schema', 422],
  ['config', 422],
  ['unauthenticated', 401],
  ['denied', 403],
  ['forbidden', 403],
  ['not_found', 404],
  ['conflict', 409],
  ['media_type', 415],
  ['too_large', 413],
  ['too_many', 429],
  ['overloaded', 503],
  ['unrecorded', 503],
  ['draining', 503],
  ['unreachable', 502],
  ['upstream_unauthenticated', 502],
  ['upstream_protocol', 502],
  ['timeout', 504],
]);

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'The request is not valid'],
  [401, 'Who are you?'],
  [403, 'Not allowed'],
  [404, 'Not found'],
  [405, 'Not possible here'],
  [409, 'It has changed meanwhile'],
  [413, 'Too large'],
  [415, 'Send JSON'],
  [422, 'The value is not valid'],
  [429, 'Too many requests'],
  [500, 'Sallyport failed inside'],
  [502, 'The upstream cannot be reached'],
  [503, 'Try again later'],
  [504, 'Took too long'],
]);

export function toProblem(error: unknown): Problem {
  const fault = toFault(error);
  const status = STATUS.get(fault.code) ?? 500;
  return { status, body: toBody(status, fault.code, status === 500 ? 'The log has the cause.' : fault.forPeople) };
}

export function toBody(status: number, code: string, detail: string): JsonObject {
  return { type: `urn:sallyport:problem:${code}`, title: TITLES.get(status) ?? 'Problem', status, code, detail };
}

/** @throws FaultError `usage`. */
export function wrong(what: string): never {
  throw new FaultError('usage', what);
}
