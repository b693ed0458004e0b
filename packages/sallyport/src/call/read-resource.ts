import type { ResourceOwner } from '../catalog/contract.ts';
import { isArtifactUri } from '../core/artifact.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { findTokens } from '../guard/secrets/vault.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { readArtifactContents } from './read-artifact.ts';
import { isRefused, toRefusal } from './refusal.ts';
import { relay } from './relay.ts';
import { readRequest, writeRequest } from './request-forms.ts';
import { refuseUnreachable } from './unreachable.ts';

/** MCP resources#error-handling; servers of different revisions use either code for "no such resource". */
const NOT_FOUND_CODES = new Set([-32002, -32602]);

/**
 * The way of one resources/read. A listed URI has one owner; one that only a template or a scheme explains may have
 * several candidates, asked in order until one knows it. One that may not have what is masked in it is passed over: the
 * value may be of the next.
 */
export async function readResource(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, view, snapshot, endpoint } = inbound;
  const owners = resourceOwners(inbound);
  const asked = String(member(request.params, 'uri'));
  if (isArtifactUri(asked) && ports.largeResults?.isOn(snapshot, endpoint) === true)
    return readArtifactContents(ports, inbound);
  let last: Answer | undefined;
  const passedOver: PassedOver[] = [];
  const unknowing: string[] = [];
  for (const owner of owners) {
    let answer: Answer;
    try {
      answer = await readAt(ports, inbound, owner);
    } catch (error) {
      if (!isOfToken(error, owner)) throw error;
      // What is said of every server alike, as of a value that is not kept, is asked and recorded no further.
      if (passedOver.some(({ fault }) => fault.message === error.message)) break;
      passedOver.push({ upstream: owner.upstream, fault: error });
      continue;
    }
    if (answer.errorCode === undefined || !NOT_FOUND_CODES.has(answer.errorCode)) return answer;
    // The best owner says what the answer is, also where that is a refusal.
    if (passedOver.length === 0) last ??= answer;
    else unknowing.push(owner.upstream);
  }
  if (last !== undefined) return last;
  const [first, ...others] = passedOver;
  if (first !== undefined) return refuseUnread(inbound, first, { others, unknowing });
  const held = view.whyHeld('resources', asked);
  if (held !== undefined) throw new FaultError('denied', held);
  return relay(ports, inbound, (_about, passing) => {
    refuseUnreachable(passing, asked);
    throw new FaultError('resource_not_found', `Resource not found: ${asked.slice(0, 256)}`, { data: { uri: asked } });
  });
}

function readAt(ports: CallPorts, given: Inbound, owner: ResourceOwner): Promise<Answer> {
  return relay(ports, given, ({ inbound }) => {
    const { request, exchange } = inbound;
    const named = owner.isListed ? undefined : owner.uri;
    return {
      kind: 'read',
      upstream: owner.upstream,
      target: owner.uri,
      publicTarget: String(member(request.params, 'uri')),
      item: 'resource',
      ...readRequest('read', request, { named, isSealed: exchange.exclusive === true }),
      write: (own, sent) => writeRequest('read', own, sent),
    };
  });
}

/** An owner that may not have what is masked in the URI. */
interface PassedOver {
  readonly upstream: string;
  readonly fault: FaultError;
}

/** What else the guard may have refused, such as a key beside the token, is judged anew for the next owner. */
function isOfToken(error: unknown, { uri }: ResourceOwner): error is FaultError {
  if (!(error instanceof FaultError) || isRefused(error) !== 'secrets') return false;
  return findTokens(uri).length > 0;
}

interface Unread {
  readonly others: readonly PassedOver[];
  readonly unknowing: readonly string[];
}

/** Why it was not read, and what became of the other owners. @throws FaultError `denied` */
function refuseUnread({ request }: Inbound, { fault }: PassedOver, { others, unknowing }: Unread): Answer {
  if (others.length === 0 && unknowing.length === 0) throw fault;
  const either = toNames(others.map(({ upstream }) => upstream));
  const reason = [
    fault.message,
    ...(others.length === 0 ? [] : [`With what is masked in it the URI may not go to ${either} either.`]),
    ...(unknowing.length === 0 ? [] : [`Asked instead, without finding it: ${toNames(unknowing)}.`]),
  ].join(' ');
  const verdict = { kind: 'deny', code: 'denied', reason } as const;
  return toRefusal({ verdict, guard: 'secrets', rewritten: undefined, cause: undefined }, { request, kind: 'read' });
}

const MAX_NAMED = 5;

function toNames(upstreams: readonly string[]): string {
  const more = upstreams.length - MAX_NAMED;
  const named = upstreams.slice(0, MAX_NAMED).map((one) => `"${one}"`);
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @throws FaultError `invalid_params` when there is no URI. */
export function resourceOwners({ request, view }: Inbound): readonly ResourceOwner[] {
  const uri = member(request.params, 'uri');
  if (typeof uri !== 'string') throw new FaultError('invalid_params', `${request.method} needs "uri": a string.`);
  return view.resource(uri);
}
