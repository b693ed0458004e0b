import { isAllowed } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { GuardPorts } from './guards.ts';

/** What the configuration in force says of allow lists, bindings and the floor, as the guards ask for it. */
export function toAccessPorts(
  snapshot: () => Snapshot,
): Required<Pick<GuardPorts, 'isVisible' | 'bindings' | 'sinks'>> {
  const access = (upstream: string) => snapshot().servers.get(upstream)?.access;
  return {
    // The view has asked already; a call that waited for a person is asked about again.
    isVisible: ({ tool, client }) =>
      isAllowed(access(tool.upstream), { kind: 'tools', name: tool.name }, client.principal.groups),
    bindings: { bindings: () => snapshot().bindings ?? [], access },
    sinks: () => snapshot().sinks,
  };
}
