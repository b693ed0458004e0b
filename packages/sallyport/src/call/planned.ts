import type { CallSnapshot } from '../core/call.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { handlesIn } from '../guard/plan/handle.ts';
import type { Use } from '../guard/plan/plan.ts';
import { judgeUse, type PlanPorts, type PlanSource } from '../guard/plan/plan-guard.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { type ReadRun, readRun, type Said } from './run-of.ts';

/** A request, whose it is, and the door it came through. */
export type Placed = Said & { readonly endpoint: Endpoint; readonly snapshot: CallSnapshot };

/** Holds what is no call of a tool to the plan of its run: reading, getting, completing, following, whatever else is sent. */
export interface PlanDoor {
  /** @param use `undefined`: what no plan can name; `decided`: it was decided with a call before */
  judge(asker: ReadRun<Placed>, source: PlanSource, use: Use | 'decided' | undefined): Verdict | Promise<Verdict>;
}

export function createPlanDoor(ports: PlanPorts): PlanDoor {
  return {
    judge({ inbound, ...asker }, source, use) {
      // Nothing is on, or nobody counts on it: the cheapest answer first.
      const { exchange, endpoint, request, snapshot } = inbound;
      const settings = ports.settings(snapshotOf(inbound));
      if (settings === undefined && asker.plan === undefined) return ALLOW;
      if (settings !== undefined && holdsHandle(request.params)) return HANDLES_STAY;
      return judgeUse(ports, { ...asker, client: exchange.client, endpoint, snapshot, source }, use);
    },
  };
}

const HANDLES_STAY: Verdict = {
  kind: 'deny',
  code: 'denied',
  reason: 'A handle is opened in arguments of tools only. Call a tool with it.',
};

function holdsHandle({ _meta, ...params }: JsonObject): boolean {
  return handlesIn(params).length > 0;
}

/** Whether a resource may be followed: a URI is a text for its server. @throws FaultError `denied`. */
export async function mayFollow(door: PlanDoor | undefined, placed: Placed, uri: string): Promise<void> {
  const verdict = await door?.judge(
    readRun(placed),
    { upstream: '', target: uri },
    { kind: 'resource', name: uri, arguments: {} },
  );
  if (verdict !== undefined && verdict.kind !== 'allow') throw toRefusal('plan', verdict);
}

/** What is no call has no result that says "refused": the error says it, marked as refused calls are. */
export function toRefusal(guard: string, verdict: Exclude<Verdict, { kind: 'allow' }>): FaultError {
  const { kind, reason } = verdict;
  return new FaultError('denied', reason, {
    data: { 'dev.sallyport/verdict': { kind, code: 'denied', guard, reason } },
  });
}
