import type { ApprovalDesk } from '../call/approval-desk.ts';
import { createResourceDoor, type ResourceDoor } from '../call/resource-door.ts';
import { DEFAULT_SCAN, scanOf } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { NamePort } from '../core/name-port.ts';
import { hostOf } from './host-of.ts';

/** Who may have a server open which URI, by the snapshot in force. */
export function openResources(
  snapshot: () => Snapshot,
  ports: { readonly names: NamePort; readonly desk: Pick<ApprovalDesk, 'settle'> },
): ResourceDoor {
  return createResourceDoor({
    ...ports,
    settings: (upstream, { scan } = snapshot()) => scanOf(scan ?? DEFAULT_SCAN, upstream).resources,
    hostOf: (upstream, of = snapshot()) => hostOf(of, upstream),
  });
}
