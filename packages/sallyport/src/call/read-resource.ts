import type { ResourceOwner } from '../catalog/contract.ts';
import { definePage, isPage } from '../catalog/pins/define-item.ts';
import { type Report, whyBlocked } from '../catalog/pins/inspection.ts';
import { FaultError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { PAGE_RULES_VERSION, readPage } from '../guard/scan/results/read-page.ts';
import type { Inbound } from './inbound.ts';
import { isBehindHandles } from './kept-servers.ts';
import type { CallPorts } from './ports.ts';
import { toPublicNames } from './public-names.ts';
import type { ResourcePlace } from './resource-door.ts';
import { sendRecorded } from './send-recorded.ts';
import { findUnreachableOwner } from './unreachable.ts';

/** MCP resources#error-handling; servers of different revisions use either code for "no such resource". */
const NOT_FOUND_CODES = new Set([-32002, -32602]);

/**
 * The life of one resources/read. A listed URI has one owner; one that only a template or a scheme explains may have
 * several candidates, asked in order until one knows it.
 */
export async function readResource(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, view } = inbound;
  const owners = resourceOwners(inbound);
  const asked = String(member(request.params, 'uri'));
  let last: Answer | undefined;
  for (const owner of owners) {
    if (isPage(owner.uri) && isBehindHandles(inbound.snapshot, owner.upstream))
      throw new FaultError('denied', `Texts of "${owner.upstream}" are kept, so that its pages cannot be shown.`);
    const edits = owner.uri === asked ? [] : [request.setParam('uri', JSON.stringify(owner.uri))];
    const answer = await sendRecorded(ports, inbound, {
      upstream: owner.upstream,
      edits,
      target: owner.uri,
      isListed: owner.isListed,
      offer: 'resource',
      use: { kind: 'resource', name: asked, arguments: {} },
      enter: () => ports.resources?.enter(inbound, owner),
    });
    const passed = isPage(owner.uri) ? releasePage(ports, owner, answer) : answer;
    const shown = inbound.endpoint.kind !== 'server' ? toPublicNames(passed, view, owner.upstream) : passed;
    if (answer.outcome.kind === 'result' || !NOT_FOUND_CODES.has(answer.outcome.error.code)) return shown;
    last ??= shown;
  }
  if (last !== undefined) return last;
  const held = view.whyHeld('resources', asked);
  if (held !== undefined) throw new FaultError('denied', held);
  throw (
    findUnreachableOwner(inbound, asked, ports.texts) ??
    new FaultError('resource_not_found', `Resource not found: ${asked.slice(0, 256)}`, { data: { uri: asked } })
  );
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
