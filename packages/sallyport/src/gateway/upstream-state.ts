import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { objectMembers } from '../core/json-scan.ts';
import { Answer, parseMessage, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { Response } from '../core/response.ts';
import { toRequestDigest } from './request-digest.ts';
import { isSameCaller } from './same-caller.ts';
import type { Seal } from './seal.ts';

/** As long as a parked call waits for its client. Milliseconds. */
const GOOD_FOR_MS = 600_000;

interface Ports {
  readonly seal: Seal;
  readonly clock: Clock;
}

/**
 * An upstream's `requestState` on its way to the client, sealed for this caller and this request. The upstream cannot
 * bind it to a principal: behind one credential all our callers are one (MCP 2026-07-28 mrtr#server-requirements).
 */
export function sealUpstreamState(
  response: Response,
  request: Request,
  principal: Principal,
  { seal, clock }: Ports,
): Response {
  if (!(response instanceof Answer) || !response.hasMember('requestState')) return response;
  const found = objectMembers(response.bytes, response.bodySpan.start).find(({ key }) => key === 'requestState');
  const state = response.resultMember('requestState');
  if (found === undefined || typeof state !== 'string') return response;
  const sealed = seal.seal({
    state,
    sub: principal.id,
    ...(principal.agent === undefined ? {} : { agent: principal.agent }),
    request: toRequestDigest(request),
    until: clock.now() + GOOD_FOR_MS,
  });
  return response.edit([{ ...found, text: JSON.stringify(sealed) }]);
}

/**
 * The request with the state as its upstream wrote it.
 * @throws FaultError `invalid_params` for a state that is not ours, is too old, another caller's or another request's
 */
export function openUpstreamState(request: Request, principal: Principal, { seal, clock }: Ports): Request {
  const sealed = member(request.params, 'requestState');
  if (sealed === undefined) return request;
  const payload = typeof sealed === 'string' ? seal.open(sealed) : undefined;
  const state = payload?.['state'];
  if (payload === undefined || typeof state !== 'string')
    throw new FaultError('invalid_params', 'This requestState was not given out here. Start the request anew.');
  if (!(Number(payload['until']) > clock.now()))
    throw new FaultError('invalid_params', 'This requestState has expired. Start the request anew if that is safe.');
  const owner = { id: payload['sub'], agent: payload['agent'] } as Principal; // only these two are compared
  if (!isSameCaller(owner, principal) || payload['request'] !== toRequestDigest(request))
    throw new FaultError('invalid_params', 'This requestState belongs to another request.');
  const text = request.write(request.id, [request.setParam('requestState', JSON.stringify(state))]);
  const opened = parseMessage(Buffer.from(text, 'latin1'));
  if (!(opened instanceof Request)) throw new FaultError('internal', 'The request with its state is no request.');
  return opened;
}
