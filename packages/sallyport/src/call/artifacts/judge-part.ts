import type { Artifact } from '../../core/artifact.ts';
import { type Envelope, NOTHING } from '../../core/envelope.ts';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { inspect } from '../../guard/guard.ts';
import { nextCallId } from '../call-id.ts';
import type { Inbound } from '../inbound.ts';
import type { CallPorts } from '../ports.ts';

/**
 * A part of an artifact passes the inner door as what it is: contents that its server sent. So it is read, masked and labelled
 * in the run that reads it, as the whole was in its own.
 * @throws FaultError `denied` where a guard withholds it
 */
export async function judgePart(
  ports: Pick<CallPorts, 'chains'>,
  { inbound, run, artifact }: { readonly inbound: Inbound; readonly run: string; readonly artifact: Artifact },
  result: JsonObject,
): Promise<JsonObject> {
  const { exchange, endpoint, snapshot, request } = inbound;
  const asked: Envelope = {
    ...{ kind: 'read', id: nextCallId(), client: exchange.client, endpoint, run, user: undefined, isOwnRun: false },
    ...{ plan: undefined, snapshot, upstream: artifact.upstream, target: artifact.tool, publicTarget: artifact.tool },
    ...{ item: undefined, tool: undefined, body: NOTHING, fixed: NOTHING, bytes: request.bytes.length },
    ...{ shown: undefined, notes: undefined, asked: undefined },
  };
  const { guards } = ports.chains('contents', snapshot);
  const bytes = Buffer.byteLength(JSON.stringify(result));
  const { verdict, rewritten } = await inspect(guards, { ...asked, kind: 'contents', body: result, bytes, asked });
  if (verdict.kind === 'deny' || verdict.kind === 'ask') throw new FaultError('denied', verdict.reason);
  return rewritten ?? result;
}
