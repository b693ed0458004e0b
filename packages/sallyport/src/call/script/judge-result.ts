import type { Tool } from '../../core/call.ts';
import { type Envelope, NOTHING } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { inspect } from '../../guard/guard.ts';
import type { Inbound } from '../inbound.ts';
import type { CallPorts } from '../ports.ts';
import { toRefusal } from '../refusal.ts';
import { readRun } from '../run-of.ts';

export interface ScriptResult {
  /** As it came, with what it says of its run. */
  readonly given: Inbound;
  readonly callId: string;
  /** Tools whose results the script read. */
  readonly called: readonly Tool[];
  readonly result: JsonObject;
}

/**
 * What a script gives may say in other words what it read, so that comparing does not find it: it is read and labelled as a
 * result of every tool that the script called, and so has the labels of all of them.
 * @returns the result as its caller may have it
 */
export async function judgeResult(ports: CallPorts, given: ScriptResult): Promise<JsonObject> {
  const { callId, called } = given;
  const { run, user, isOwnRun, plan, inbound } = readRun(given.given);
  const { exchange, endpoint, snapshot, request } = inbound;
  // Guards that read texts. The others look for what only a server's own result has, e.g. the schema of its tool.
  const guards = ports.chains('result', snapshot).guards.filter(({ isReader }) => isReader === true);
  let { result } = given;
  for (const tool of called) {
    const { upstream, name: target, publicName: publicTarget } = tool;
    const asked: Envelope = {
      ...{ kind: 'call', id: callId, client: exchange.client, endpoint, run, user, isOwnRun, plan, snapshot },
      ...{ upstream, target, publicTarget, item: 'tool', tool, body: NOTHING, fixed: NOTHING },
      ...{ bytes: request.bytes.length, shown: undefined, notes: undefined, asked: undefined },
    };
    const bytes = Buffer.byteLength(JSON.stringify(result));
    const decision = await inspect(guards, { ...asked, kind: 'result', body: result, bytes, asked });
    const { kind } = decision.verdict;
    if (kind === 'deny' || kind === 'ask')
      return toRefusal(decision, { request, kind: 'result', isAnswered: true }).result ?? NOTHING;
    result = decision.rewritten ?? result;
  }
  return result;
}
