import type { ResourceSettings } from '../config/resources-section.ts';
import type { Audit } from '../core/audit.ts';
import { toAuditSubject } from '../core/audit.ts';
import type { Call, Tool } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import type { NamePort } from '../core/name-port.ts';
import { toDigest } from '../guard/approve/digest.ts';
import { judgeName, judgeUri, type Place } from '../guard/resources/judge-uri.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';

/** Stands before a server is asked to open a URI: may it lead there, does a person agree, where does its name lead? */
export interface ResourceDoor {
  /**
   * `undefined`: yes, at once.
   * @throws FaultError `denied`, at once or by the promise; what is refused stands in the audit
   */
  enter(inbound: Inbound, place: ResourcePlace): Promise<void> | undefined;
  /** The same where nobody can be asked: what needs a person is no. Never throws. */
  mayFollow(place: ResourcePlace): boolean | Promise<boolean>;
}

export interface ResourcePlace {
  readonly upstream: string;
  /** As the upstream knows it. */
  readonly uri: string;
}

export interface ResourceDoorPorts {
  /** Of the snapshot in force. */
  readonly settings: (upstream: string) => ResourceSettings;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (upstream: string) => string | undefined;
  readonly names: NamePort;
  /** Left out: nobody can be asked, so ask is no. */
  readonly desk?: Pick<ApprovalDesk, 'settle'> | undefined;
  readonly audit: Audit;
}

/** Name and digest of the stand-in that people are asked about. */
export const READING = 'resources/read';

export function createResourceDoor(ports: ResourceDoorPorts): ResourceDoor {
  const judge = ({ upstream, uri }: ResourcePlace) =>
    judgeUri(uri, { settings: ports.settings(upstream), ownHost: ports.hostOf(upstream), isRead: true });
  return {
    enter(inbound, place) {
      const { why, asks, name } = judge(place);
      if (why !== undefined) throw refuse(ports, { inbound, place, refusal: { guard: GUARD, reason: explain(why) } });
      if (asks === undefined && name === undefined) return undefined;
      return enterLater(ports, { inbound, place }, { asks, name });
    },
    mayFollow(place) {
      const { why, asks, name } = judge(place);
      if (why !== undefined || asks !== undefined) return false;
      return name === undefined || findWhere(ports, place, name).then((found) => found === undefined);
    },
  };
}

const GUARD = 'resources';

interface Entering {
  readonly inbound: Inbound;
  readonly place: ResourcePlace;
}

/** The person first: a question to the DNS is the first thing that leaves, and the name may carry what must not. */
async function enterLater(
  ports: ResourceDoorPorts,
  entering: Entering,
  { asks, name }: { readonly asks: Place | undefined; readonly name: string | undefined },
): Promise<void> {
  const agreed = asks === undefined ? undefined : await askPerson(ports, entering, asks);
  const why = name === undefined ? undefined : await findWhere(ports, entering.place, name);
  if (why !== undefined) throw refuse(ports, { ...entering, refusal: { guard: GUARD, reason: explain(why) } });
  if (agreed === undefined || (await agreed.spend())) return;
  const reason = `The approval ${agreed.approvalId ?? ''} was used by another request. Ask again.`;
  throw refuse(ports, { ...entering, refusal: { guard: 'approval', reason, approvalId: agreed.approvalId } });
}

async function findWhere(ports: ResourceDoorPorts, { upstream }: ResourcePlace, name: string) {
  return judgeName(name, await ports.names.lookUp([name]), ports.settings(upstream));
}

interface Agreed {
  readonly approvalId: string | undefined;
  readonly spend: () => Promise<boolean>;
}

/** What is asked is the place and not the URI: a yes for a run, or for longer, is one for everything there. */
async function askPerson(ports: ResourceDoorPorts, entering: Entering, asks: Place): Promise<Agreed> {
  const { inbound, place } = entering;
  const reason = toQuestion(place, asks);
  if (ports.desk === undefined)
    throw refuse(ports, {
      ...entering,
      refusal: { guard: GUARD, reason: `A person would have to agree, who cannot be asked here. ${reason}` },
    });
  const call = toStandIn(entering, asks);
  const first = {
    verdict: { kind: 'ask', reason } as const,
    ...{ guard: GUARD, rewritten: undefined, cause: undefined },
  };
  const { decision, approvalId, spend } = await ports.desk.settle(first, call, inbound);
  const { verdict, guard, rewritten } = decision;
  if (verdict.kind === 'deny' || verdict.kind === 'ask')
    throw refuse(ports, {
      ...entering,
      refusal: { guard: guard ?? GUARD, reason: verdict.reason, kind: verdict.kind, approvalId },
    });
  if (rewritten !== undefined && toDigest(rewritten) !== toDigest(call.arguments))
    throw refuse(ports, {
      ...entering,
      refusal: {
        guard: 'approval',
        reason: 'A person changed the place that is read, which cannot be done: allow or deny it.',
        approvalId,
      },
    });
  return { approvalId, spend: spend ?? (() => Promise.resolve(true)) };
}

function toQuestion({ upstream, uri }: ResourcePlace, { scheme, host }: Place): string {
  const list = host === undefined ? 'schemes' : 'hosts';
  const what = host === undefined ? `${scheme}: is` : `${host} is`;
  return `"${upstream}" is to open ${JSON.stringify(uri.slice(0, 300))}, and ${what} not among "scan.resources.${list}". A yes is for everything there.`;
}

function toStandIn({ inbound, place }: Entering, asks: Place): Call {
  const { exchange, snapshot, endpoint, request } = inbound;
  return {
    id: nextCallId(),
    tool: toTool(place.upstream),
    client: exchange.client,
    run: exchange.client.key,
    endpoint,
    arguments: { ...asks },
    bytes: request.bytes.length,
    snapshotVersion: snapshot.version,
  };
}

function toTool(upstream: string): Tool {
  return {
    upstream,
    ...{ name: READING, publicName: READING, definition: {}, digest: READING },
    setAside: undefined,
    approvedHints: {},
    sinks: [],
  };
}

function explain(why: string): string {
  return `This resource may not be read: ${why}. Nothing was sent to the server. The operator can allow it with "scan.resources".`;
}

interface Refusal {
  readonly guard: string;
  readonly reason: string;
  readonly kind?: 'ask' | 'deny';
  readonly approvalId?: string | undefined;
}

/** The refusal as programs and models read it, after it was recorded as that of a call is. */
function refuse(
  { audit }: ResourceDoorPorts,
  { inbound, place, refusal }: Entering & { readonly refusal: Refusal },
): FaultError {
  const { request, exchange, snapshot } = inbound;
  const { guard, reason, kind = 'deny', approvalId } = refusal;
  const subject = toAuditSubject(nextCallId(), request.method, {
    client: exchange.client,
    requestBytes: request.bytes.length,
    snapshotVersion: snapshot.version,
  });
  subject.upstream = place.upstream;
  subject.target = place.uri;
  subject.approval = approvalId;
  audit.finish(subject, { outcome: 'denied', guard, reason, ms: 0, resultBytes: 0 }, undefined);
  const verdict = {
    kind,
    code: 'denied',
    guard,
    reason,
    ...(approvalId === undefined ? {} : { approval: approvalId }),
  };
  return new FaultError('denied', reason, { data: { 'dev.sallyport/verdict': verdict } });
}
