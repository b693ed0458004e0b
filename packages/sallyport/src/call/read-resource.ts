import type { ResourceOwner } from '../catalog/contract.ts';
import { definePage, isPage } from '../catalog/pins/define-item.ts';
import { type Report, whyBlocked } from '../catalog/pins/inspection.ts';
import { FaultError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { PAGE_RULES_VERSION, readPage } from '../guard/scan/results/read-page.ts';
import { findTokens } from '../guard/secrets/vault.ts';
import type { Inbound } from './inbound.ts';
import { isBehindHandles } from './kept-servers.ts';
import { toRefusal } from './planned.ts';
import type { CallPorts } from './ports.ts';
import { toPublicNames } from './public-names.ts';
import { type ResourcePlace, readRefusal } from './resource-door.ts';
import { sendRecorded } from './send-recorded.ts';
import { findUnreachableOwner } from './unreachable.ts';

/** MCP resources#error-handling; servers of different revisions use either code for "no such resource". */
const NOT_FOUND_CODES = new Set([-32002, -32602]);

/**
 * The life of one resources/read. A listed URI has one owner; one that only a template or a scheme explains may have
 * several candidates, asked in order until one knows it. One that may not have what is masked in it is passed over: the
 * value may be of the next.
 */
export async function readResource(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, view } = inbound;
  const owners = resourceOwners(inbound);
  const asked = String(member(request.params, 'uri'));
  let last: Answer | undefined;
  const passedOver: PassedOver[] = [];
  const unknowing: string[] = [];
  for (const owner of owners) {
    if (isPage(owner.uri) && isBehindHandles(inbound.snapshot, owner.upstream))
      throw new FaultError('denied', `Texts of "${owner.upstream}" are kept, so that its pages cannot be shown.`);
    const edits = owner.uri === asked ? [] : [request.setParam('uri', JSON.stringify(owner.uri))];
    let answer: Answer;
    try {
      answer = await sendRecorded(ports, inbound, {
        upstream: owner.upstream,
        edits,
        target: owner.uri,
        isListed: owner.isListed,
        offer: 'resource',
        use: { kind: 'resource', name: asked, arguments: {} },
        enter: () => ports.resources?.enter(inbound, owner),
      });
    } catch (error) {
      if (!isOfToken(error, owner)) throw error;
      // What is said of every server alike, as of a value that is not kept, is asked and recorded no further.
      if (passedOver.some(({ fault }) => fault.message === error.message)) break;
      passedOver.push({ upstream: owner.upstream, fault: error });
      continue;
    }
    const passed = isPage(owner.uri) ? releasePage(ports, owner, answer) : answer;
    const shown = inbound.endpoint.kind !== 'server' ? toPublicNames(passed, view, owner.upstream) : passed;
    if (answer.outcome.kind === 'result' || !NOT_FOUND_CODES.has(answer.outcome.error.code)) return shown;
    // The best owner says what the answer is, also where that is a refusal.
    if (passedOver.length === 0) last ??= shown;
    else unknowing.push(owner.upstream);
  }
  if (last !== undefined) return last;
  const [first, ...others] = passedOver;
  if (first !== undefined) throw toUnread(first, others, unknowing);
  const held = view.whyHeld('resources', asked);
  if (held !== undefined) throw new FaultError('denied', held);
  throw (
    findUnreachableOwner(inbound, asked, ports.texts) ??
    new FaultError('resource_not_found', `Resource not found: ${asked.slice(0, 256)}`, { data: { uri: asked } })
  );
}

/** An owner that may not have what is masked in the URI. */
interface PassedOver {
  readonly upstream: string;
  readonly fault: FaultError;
}

/** What else the guard may have refused, such as a key beside the token, is judged anew for the next owner. */
function isOfToken(error: unknown, { uri }: ResourcePlace): error is FaultError {
  if (!(error instanceof FaultError) || readRefusal(error)?.guard !== 'secrets') return false;
  return findTokens(uri).length > 0;
}

/** Why it was not read, and what became of the other owners. */
function toUnread({ fault }: PassedOver, others: readonly PassedOver[], unknowing: readonly string[]): FaultError {
  if (others.length === 0 && unknowing.length === 0) return fault;
  const either = toNames(others.map(({ upstream }) => upstream));
  const reason = [
    fault.message,
    ...(others.length === 0 ? [] : [`With what is masked in it the URI may not go to ${either} either.`]),
    ...(unknowing.length === 0 ? [] : [`Asked instead, without finding it: ${toNames(unknowing)}.`]),
  ].join(' ');
  return toRefusal('secrets', { kind: 'deny', code: 'denied', reason });
}

const MAX_NAMED = 5;

function toNames(upstreams: readonly string[]): string {
  const more = upstreams.length - MAX_NAMED;
  const named = upstreams.slice(0, MAX_NAMED).map((one) => `"${one}"`);
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @throws FaultError `denied` for a page that is not the approved one. */
function releasePage(ports: CallPorts, { upstream, uri }: ResourcePlace, answer: Answer): Answer {
  const { result } = answer;
  if (result === undefined || ports.pages === undefined) return answer;
  const read = { version: PAGE_RULES_VERSION, report: () => toReport(readPage(result)) };
  const held = ports.pages.meetPage(upstream, uri, { ...definePage(result), read });
  if (held !== undefined) throw new FaultError('denied', held);
  // Written anew: of a member that stands twice the client would read another one than was judged.
  return answer.withResult(result);
}

function toReport(findings: readonly Finding[]): Report {
  const hold = whyBlocked(findings);
  const report = { findings, score: hold === undefined ? 0 : 1, risky: findings.length > 0 };
  return hold === undefined ? report : { ...report, hold };
}

/** @throws FaultError `invalid_params` when there is no URI. */
export function resourceOwners({ request, view }: Inbound): readonly ResourceOwner[] {
  const uri = member(request.params, 'uri');
  if (typeof uri !== 'string') throw new FaultError('invalid_params', `${request.method} needs "uri": a string.`);
  return view.resource(uri);
}
