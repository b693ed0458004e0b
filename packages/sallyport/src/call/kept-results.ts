import type { FrozenSnapshot } from '../core/envelope.ts';
import type { Log } from '../core/log.ts';
import type { Note } from '../core/note.ts';
import { toDigest } from '../guard/approve/digest.ts';
import { isRepeatable, type KeptRequest, type KeptResults, keptNameOf } from '../guard/scan/results/kept-result.ts';
import type { KeptOwner, KeptResultStore } from '../storage/kept-results.ts';

export interface KeptResultPorts {
  readonly kept: () => Promise<KeptResultStore>;
  readonly log: Log;
  /** How long a result is kept. Milliseconds. */
  readonly keepMs: () => number;
  /** Whether results of this server can be in quarantine at all: otherwise nobody looks for them. */
  readonly mayKeep: (snapshot: FrozenSnapshot, upstream: string) => boolean;
  readonly note: Note;
}

/** Quarantine of results over the database. It is asked for each call of a server whose results may be there: any process put them in. */
export function createKeptResults(ports: KeptResultPorts): KeptResults {
  const { log, note, kept: open } = ports;
  /** Something was here, so that it is looked for even where nothing more is put into quarantine. */
  let isInUse = false;
  const delivered = new WeakSet<object>();
  const take = async (call: KeptRequest) => {
    try {
      const taken = await (await open()).take(ownerOf(call));
      if (taken === undefined) return undefined;
      isInUse = true;
      delivered.add(call.notes ?? call);
      await note('result_delivered', {
        result: taken.id,
        callId: call.id,
        upstream: call.upstream,
        tool: keptNameOf(call),
      });
      return taken.result;
    } catch (error) {
      // The call goes out as any other would; what is kept stays kept.
      log.error({ error }, 'results in quarantine could not be looked at');
      return undefined;
    }
  };
  return {
    isReleased: (call) => delivered.has(call.notes ?? call),
    take(call) {
      // Where nothing is put into quarantine nobody looks for what was, unless something was here.
      return isRepeatable(call) && (isInUse || ports.mayKeep(call.snapshot, call.upstream)) ? take(call) : undefined;
    },
    async keep(call, found) {
      const { upstream } = call;
      const name = keptNameOf(call);
      try {
        isInUse = true;
        const id = await (await open()).keep(ownerOf(call), { ...found, keepMs: ports.keepMs() });
        const rules = [...new Set(found.findings.map((one) => one.id))].join(' ');
        await note('result_quarantine', { result: id ?? '', callId: call.id, upstream, tool: name, rules });
        return id;
      } catch (error) {
        log.error({ callId: call.id, error }, 'a result could not be put into quarantine');
        return undefined;
      }
    },
  };
}

function ownerOf(request: KeptRequest): KeptOwner {
  return {
    principal: request.client.principal.id,
    upstream: request.upstream,
    tool: keptNameOf(request),
    argumentsDigest: toDigest(request.body),
  };
}
