import type { ApprovalSettings } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Call, Tool } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import type { Vet } from '../core/exchange.ts';
import { matchesGlob } from '../core/glob.ts';
import type { JsonObject } from '../core/json.ts';
import { toDigest } from '../guard/approve/digest.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import { withOwnCancel } from './own-cancel.ts';
import { READING } from './resource-door.ts';
import type { TextDoor } from './text-door.ts';

export interface VettingPorts {
  readonly desk: Pick<ApprovalDesk, 'settle'>;
  readonly settings: (snapshot: Snapshot) => Pick<ApprovalSettings, 'sampling'>;
  /** Reads what is asked. Left out: nobody does. */
  readonly texts?: Pick<TextDoor, 'vet'> | undefined;
}

/** How the questions of one upstream are looked at before the client behind a request is asked; `undefined`: not at all. */
export type Vetting = (inbound: Inbound, upstream: string) => Vet | undefined;

const SAMPLING = 'sampling/createMessage';

/**
 * Sampling lets a server write to the client's model, at the client's cost: where `approvals.sampling` names the server, a
 * person looks at each request first (MCP 2026-07-28 sampling: a human in the loop who may deny). The same desk as for
 * calls: a yes is bound to the caller, the server and every word of the request.
 */
export function createVetting({ desk, settings, texts }: VettingPorts): Vetting {
  return (inbound, upstream) => {
    const { snapshot } = inbound;
    const { sampling } = settings(snapshot);
    const isAsked = sampling.length > 0 && sampling.some((glob) => matchesGlob(glob, upstream));
    if (!isAsked && texts === undefined) return undefined;
    return (method, params) => {
      texts?.vet({ upstream, snapshot }, params);
      return isAsked && method === SAMPLING ? askPerson(desk, inbound, { upstream, params }) : undefined;
    };
  };
}

/** Is this a stand-in, for what a server asks or for a resource that is read? No guard of tools has anything to say of it. */
export function isQuestion({ tool }: Call): boolean {
  return tool.digest === SAMPLING || tool.digest === READING;
}

async function askPerson(
  desk: VettingPorts['desk'],
  inbound: Inbound,
  { upstream, params }: { readonly upstream: string; readonly params: JsonObject },
): Promise<void> {
  const { _meta, ...shown } = params;
  const { exchange, snapshot, endpoint, request } = inbound;
  const call: Call = {
    id: nextCallId(),
    tool: toStandIn(upstream),
    client: exchange.client,
    run: exchange.client.key,
    endpoint,
    arguments: shown,
    bytes: request.bytes.length,
    snapshot,
  };
  const first = {
    verdict: { kind: 'ask', reason: `"${upstream}" wants the client's model to write something.` } as const,
    ...{ guard: 'sampling', rewritten: undefined, cause: undefined },
  };
  const settled = await withOwnCancel(exchange, (own) => desk.settle(first, call, { ...inbound, exchange: own }));
  const { verdict, rewritten } = settled.decision;
  if (verdict.kind === 'deny' || verdict.kind === 'ask') throw new FaultError('denied', verdict.reason);
  // The client gets the server's own bytes.
  if (rewritten !== undefined && !isSame(rewritten, shown))
    throw new FaultError(
      'denied',
      'A person changed what a server asks of the model, which cannot be done: allow or deny it.',
    );
  if (settled.spend !== undefined && !(await settled.spend()))
    throw new FaultError('denied', 'The approval was used by another request. Ask again.');
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return toDigest(one) === toDigest(other);
}

function toStandIn(upstream: string): Tool {
  return {
    upstream,
    name: SAMPLING,
    publicName: SAMPLING,
    definition: {},
    digest: SAMPLING,
    setAside: undefined,
    approvedHints: {},
    sinks: [],
  };
}
