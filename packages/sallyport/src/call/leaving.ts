import { FaultError } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import type { Decision } from '../guard/guard.ts';
import { type Carried, fromWhole, isSame, NAMES, type Outgoing, toWhole } from '../guard/outgoing.ts';
import { reparse } from '../upstream/request-meta.ts';
import { type CarriedOptions, carriedBy, writeCarried } from './carried.ts';
import type { Leaving } from './masked-values.ts';
import type { CallPorts } from './ports.ts';

/** A request that is no call of a tool, on its way to a server. */
export type Left = Pick<UpstreamRequest, 'request' | 'edits'>;

export interface LookedAt {
  /** `undefined`: nobody had to look. */
  readonly decision: Decision | undefined;
  readonly carried: Carried;
  /** Without what may not leave. */
  readonly left: Left;
}

/** Looks at what a person or a model filled in. A guard that failed is logged, and has denied. @throws FaultError `invalid_params`. */
export async function lookAtLeaving(
  { outgoing, log }: Pick<CallPorts, 'outgoing' | 'log'>,
  { request, edits }: Left,
  about: Omit<Outgoing, 'values' | 'fixed' | 'bytes' | 'target'> & CarriedOptions,
): Promise<LookedAt> {
  const { target, isKnown, isSealed, ...sender } = about;
  const carried = carriedBy(request, { target, isKnown, isSealed });
  const sent = { ...sender, ...carried, target: target ?? request.method, bytes: request.bytes.length };
  const decision = await outgoing?.(sent);
  if (decision?.cause !== undefined)
    log.error({ callId: sent.id, guard: decision.guard, error: decision.cause }, 'a guard failed, so nothing is sent');
  const left = { request, edits };
  if (decision?.rewritten === undefined) return { decision, carried, left };
  const kept = { ...carried, values: decision.rewritten };
  return { decision, carried: kept, left: toWritten(left, kept) };
}

/** With what was masked put back, and with the name as it is then. @throws FaultError `denied`. */
export async function revealLeaving(
  { masked }: Pick<CallPorts, 'masked'>,
  owned: Leaving,
  { left, carried }: Pick<LookedAt, 'left' | 'carried'>,
): Promise<Left & { readonly target?: string }> {
  const revealed = await masked?.toUpstream(owned, toWhole(carried));
  if (revealed === undefined) return left;
  const whole = toRevealed(revealed, carried);
  const name = member(whole.fixed, NAMES);
  return { ...toWritten(left, whole), ...(typeof name === 'string' ? { target: name } : {}) };
}

/** The request with other values. Written at once: the record shows it, and places that were found before count no more. */
function toWritten({ request, edits }: Left, carried: Carried): Left {
  const edited = edits.length === 0 ? request : reparse(request.write(request.id, edits));
  return { request: reparse(edited.write(edited.id, writeCarried(edited, carried))), edits: [] };
}

function toRevealed(revealed: JsonObject, kept: Carried): Carried {
  const carried = fromWhole(revealed, kept);
  const [{ [NAMES]: _, ...now }, { [NAMES]: __, ...before }] = [carried.fixed, kept.fixed];
  if (isSame(now, before)) return carried;
  throw new FaultError(
    'denied',
    'It holds a masked value ({{secret:…}}) where none can be put back. Call a tool with it.',
  );
}
