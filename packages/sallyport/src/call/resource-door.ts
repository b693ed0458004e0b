import type { ResourceSettings } from '../config/resources-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Call, Tool } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { NamePort } from '../core/name-port.ts';
import { toDigest } from '../guard/approve/digest.ts';
import { type Forbidden, judgeName, judgeUri, type Place } from '../guard/resources/judge-uri.ts';
import { toSafeName } from '../telemetry/redact-fields.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';

/** Stands before a server is asked to open a URI: may it lead there, does a person agree, where does its name lead? */
export interface ResourceDoor {
  /**
   * `undefined`: yes, at once; else the id of the approval, where a person agreed.
   * @throws FaultError `denied`, at once or by the promise; `readRefusal` reads it.
   */
  enter(inbound: Inbound, place: ResourcePlace): Promise<string | undefined> | undefined;
  /** The same where nobody can be asked: what needs a person is no. Never throws. */
  mayFollow(place: ResourcePlace): boolean | Promise<boolean>;
}

export interface ResourcePlace {
  readonly upstream: string;
  /** As the upstream knows it. */
  readonly uri: string;
}

export interface ResourceDoorPorts {
  readonly settings: (upstream: string, snapshot?: Snapshot) => ResourceSettings;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (upstream: string, snapshot?: Snapshot) => string | undefined;
  readonly names: NamePort;
  /** Left out: nobody can be asked, so ask is no. */
  readonly desk?: Pick<ApprovalDesk, 'settle'> | undefined;
}

/** Name and digest of the stand-in that people are asked about. */
export const READING = 'resources/read';

export function createResourceDoor(ports: ResourceDoorPorts): ResourceDoor {
  const judge = ({ upstream, uri }: ResourcePlace, snapshot?: Snapshot) => {
    const settings = ports.settings(upstream, snapshot);
    return judgeUri(uri, { settings, ownHost: ports.hostOf(upstream, snapshot), isRead: true });
  };
  return {
    enter(inbound, place) {
      const { forbidden, asks, name } = judge(place, inbound.snapshot);
      if (forbidden !== undefined) throw refuse({ guard: GUARD, reason: explain(forbidden) });
      if (asks === undefined && name === undefined) return undefined;
      return enterLater(ports, { inbound, place }, { asks, name });
    },
    mayFollow(place) {
      const { forbidden, asks, name } = judge(place);
      if (forbidden !== undefined || asks !== undefined) return false;
      return name === undefined || findWhere(ports, { place }, name).then((found) => found === undefined);
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
): Promise<string | undefined> {
  const agreed = asks === undefined ? undefined : await askPerson(ports, entering, asks);
  const forbidden = name === undefined ? undefined : await findWhere(ports, entering, name);
  if (forbidden !== undefined) throw refuse({ guard: GUARD, reason: explain(forbidden) });
  if (agreed === undefined || (await agreed.spend())) return agreed?.approvalId;
  const reason = `The approval ${agreed.approvalId ?? ''} was used by another request. Ask again.`;
  throw refuse({ guard: 'approval', reason, approvalId: agreed.approvalId });
}

async function findWhere(
  ports: ResourceDoorPorts,
  { place, inbound }: Partial<Entering> & Pick<Entering, 'place'>,
  name: string,
) {
  return judgeName(name, await ports.names.lookUp([name]), ports.settings(place.upstream, inbound?.snapshot));
}

interface Agreed {
  readonly approvalId: string | undefined;
  readonly spend: () => Promise<boolean>;
}

/** What is asked is the place and not the URI: a yes for a run, or for longer, is one for everything there. */
async function askPerson(ports: ResourceDoorPorts, entering: Entering, asks: Place): Promise<Agreed> {
  const { inbound, place } = entering;
  const reason = toQuestion(place, asks, ports.settings(place.upstream, inbound.snapshot));
  if (ports.desk === undefined)
    throw refuse({ guard: GUARD, reason: `A person would have to agree, who cannot be asked here. ${reason}` });
  const call = toStandIn(entering, asks);
  const first = {
    verdict: { kind: 'ask', reason } as const,
    ...{ guard: GUARD, rewritten: undefined, cause: undefined },
  };
  const { decision, approvalId, spend } = await ports.desk.settle(first, call, inbound);
  const { verdict, guard, rewritten } = decision;
  if (verdict.kind === 'deny' || verdict.kind === 'ask')
    throw refuse({ guard: guard ?? GUARD, reason: verdict.reason, kind: verdict.kind, approvalId });
  if (rewritten !== undefined && toDigest(rewritten) !== toDigest(call.arguments))
    throw refuse({
      guard: 'approval',
      reason: 'A person changed the place that is read, which cannot be done: allow or deny it.',
      approvalId,
    });
  return { approvalId, spend: spend ?? (() => Promise.resolve(true)) };
}

function toQuestion({ upstream, uri }: ResourcePlace, { scheme, host }: Place, { key }: ResourceSettings): string {
  const list = host === undefined ? 'schemes' : 'hosts';
  const what = host === undefined ? `${scheme}: is` : `${host} is`;
  return `"${upstream}" is to open ${JSON.stringify(toSafeName(uri).slice(0, 300))}, and ${what} not among "${key}.${list}". A yes is for everything there.`;
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
    snapshot,
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

function explain({ why, fix, advice = fix }: Forbidden): string {
  return `This resource may not be read: ${why}. Nothing was sent to the server. ${advice}`;
}

interface Refusal {
  readonly guard: string;
  readonly reason: string;
  readonly kind?: 'ask' | 'deny';
  readonly approvalId?: string | undefined;
}

/** The refusal as programs and models read it. */
function refuse({ guard, reason, kind = 'deny', approvalId }: Refusal): FaultError {
  const verdict = {
    kind,
    code: 'denied',
    guard,
    reason,
    ...(approvalId === undefined ? {} : { approval: approvalId }),
  };
  return new FaultError('denied', reason, { data: { [VERDICT]: verdict } });
}

const VERDICT = 'dev.sallyport/verdict';

/** Which guard refused, for the record; `undefined`: none did. */
export function readRefusal({ code, data }: FaultError): Pick<Refusal, 'guard' | 'approvalId'> | undefined {
  const verdict = code === 'denied' ? member(data, VERDICT) : undefined;
  const guard = member(verdict, 'guard');
  if (typeof guard !== 'string') return undefined;
  const approvalId = member(verdict, 'approval');
  return { guard, approvalId: typeof approvalId === 'string' ? approvalId : undefined };
}
