import type { Log } from '../core/log.ts';
import type { Note } from '../core/note.ts';
import { toDigest } from '../guard/approve/digest.ts';
import type { KeptRequest, KeptResults } from '../guard/scan/results/kept-result.ts';
import type { KeptOwner, KeptResultStore } from '../storage/kept-results.ts';

export interface KeptResultPorts {
  readonly kept: () => Promise<KeptResultStore>;
  readonly log: Log;
  /** How long a result is kept. Milliseconds. */
  readonly keepMs: () => number;
  /** Whether results of this server can be in quarantine at all: otherwise nobody looks for them. */
  readonly mayKeep: (upstream: string) => boolean;
  readonly note: Note;
}

const MAX_OWNERS = 10_000;

/** Quarantine of results over the database. A call asks memory first; the database is asked where something may be there. */
export function createKeptResults(ports: KeptResultPorts): KeptResults {
  const { log, note, kept: open } = ports;
  /** Callers and tools something was kept for; `undefined`: not read yet. */
  let owners: Promise<Set<string>> | undefined;
  let known: Set<string> | undefined;
  const loadOwners = () => {
    owners ??= open()
      .then((store) => store.owners())
      .then((all) => {
        known = new Set(all.map((one) => keyOf(one.principal, one.upstream, one.tool)));
        return known;
      });
    return owners;
  };
  const delivered = new WeakSet<object>();
  const take = async (call: KeptRequest) => {
    try {
      const all = await loadOwners();
      if (!all.has(keyOf(call.client.principal.id, call.tool.upstream, call.tool.name))) return undefined;
      const taken = await (await open()).take(ownerOf(call));
      if (taken === undefined) return undefined;
      delivered.add(call.notes ?? call);
      await note('result_delivered', {
        result: taken.id,
        callId: call.id,
        upstream: call.tool.upstream,
        tool: call.tool.name,
      });
      return taken.result;
    } catch (error) {
      // The call goes out as any other would; what is kept stays kept.
      owners = known === undefined ? undefined : owners;
      log.error({ error }, 'results in quarantine could not be looked at');
      return undefined;
    }
  };
  return {
    isReleased: (call) => delivered.has(call.notes ?? call),
    take(call) {
      const { upstream, name } = call.tool;
      // Where nothing is put into quarantine nobody looks for what was, unless something was here.
      if (known === undefined && !ports.mayKeep(upstream)) return undefined;
      if (known !== undefined && !known.has(keyOf(call.client.principal.id, upstream, name))) return undefined;
      return take(call);
    },
    async keep(call, found) {
      const { upstream, name } = call.tool;
      try {
        const all = await loadOwners();
        const id = await (await open()).keep(ownerOf(call), { ...found, keepMs: ports.keepMs() });
        const rules = [...new Set(found.findings.map((one) => one.id))].join(' ');
        await note('result_quarantine', { result: id ?? '', callId: call.id, upstream, tool: name, rules });
        if (id !== undefined && all.size < MAX_OWNERS) all.add(keyOf(call.client.principal.id, upstream, name));
        return id;
      } catch (error) {
        log.error({ callId: call.id, error }, 'a result could not be put into quarantine');
        return undefined;
      }
    },
  };
}

function keyOf(principal: string, upstream: string, tool: string): string {
  return `${principal}\0${upstream}\0${tool}`;
}

function ownerOf({ client, tool, arguments: given }: KeptRequest): KeptOwner {
  return {
    principal: client.principal.id,
    upstream: tool.upstream,
    tool: tool.name,
    argumentsDigest: toDigest(given),
  };
}
