import { hkdfSync } from 'node:crypto';
import type { DeskPorts } from '../call/approval-desk.ts';
import { createLateDesk, type LateDesk, type LateDeskPorts } from '../call/late-desk.ts';
import { type ApprovalSettings, NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Post } from '../core/post.ts';
import type { SecretPorts } from '../guard/secrets/secrets.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createApprovalWebhook } from '../telemetry/approval-webhook.ts';

export function approvalsOf({ approvals }: Snapshot): ApprovalSettings {
  return approvals ?? NO_APPROVAL_RULES;
}

/** @param sealKey of this installation, so that every process of it makes the same marks */
export function createHiding(sealKey: string, { settings }: Pick<SecretPorts, 'settings'>): DeskPorts['hiding'] {
  const key = Buffer.from(hkdfSync('sha256', sealKey, '', 'sallyport approvals 1', 32));
  return (snapshot) => ({ key, custom: settings(snapshot)?.custom });
}

export function openDesk(
  snapshot: () => Snapshot,
  ports: Pick<
    LateDeskPorts,
    'clock' | 'log' | 'guards' | 'database' | 'texts' | 'note' | 'isCurrent' | 'hiding' | 'hideLarge'
  > & {
    readonly post: Post;
  },
): LateDesk {
  const webhook = createApprovalWebhook({
    ...ports,
    target: () => approvalsOf(snapshot()).webhook,
    readSecret: (name) => process.env[name],
  });
  const desk = createLateDesk({
    ...ports,
    settings: (frozen) => approvalsOf(snapshotOf(frozen)),
    announce: webhook,
  });
  if (webhook.isOn()) desk.resume();
  return desk;
}
