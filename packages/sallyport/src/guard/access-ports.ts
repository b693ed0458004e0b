import { isAllowed } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { GuardPorts } from './guards.ts';
import { snapshotOf } from './snapshot-of.ts';

/** What the configuration says of allow lists, bindings and the floor, as the guards ask for it. */
export function toAccessPorts(inForce: () => Snapshot): Required<Pick<GuardPorts, 'isVisible' | 'bindings' | 'sinks'>> {
  const access = (upstream: string, { servers }: Snapshot) => servers.get(upstream)?.access;
  return {
    // The view has asked already; a call that waited for a person is asked about again.
    isVisible: (call) => {
      const { tool, client } = call;
      const listed = access(tool.upstream, snapshotOf(call));
      return isAllowed(listed, { kind: 'tools', name: tool.name }, client.principal.groups);
    },
    bindings: { bindings: (snapshot = inForce()) => snapshot.bindings ?? NONE, access },
    sinks: (snapshot = inForce()) => snapshot.sinks,
  };
}

const NONE = Object.freeze([]);
