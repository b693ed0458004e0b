import type { ServerAccess } from '../config/access-settings.ts';
import { isAllowed } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { FrozenSnapshot } from '../core/envelope.ts';
import type { GuardPorts } from './guards.ts';

/** What a configuration says of allow lists, bindings and the floor, as the guards ask for it. */
export function toAccessPorts(
  of: (snapshot: FrozenSnapshot) => Snapshot,
): Pick<GuardPorts, 'isVisible' | 'bindings' | 'sinks'> {
  const access = (snapshot: FrozenSnapshot, upstream: string): ServerAccess | undefined =>
    of(snapshot).servers.get(upstream)?.access;
  return {
    // The view has asked already; a call that waited for a person is asked about again.
    isVisible: ({ snapshot, upstream, target, client }) =>
      isAllowed(access(snapshot, upstream), { kind: 'tools', name: target }, client.principal.groups),
    bindings: { bindings: (snapshot) => of(snapshot).bindings ?? [], access },
    sinks: (snapshot) => of(snapshot).sinks,
  };
}
