import { createLateDesk, type LateDesk, type LateDeskPorts } from '../call/late-desk.ts';
import { type ApprovalSettings, NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { createApprovalWebhook } from '../telemetry/approval-webhook.ts';

export function approvalsOf({ approvals }: Snapshot): ApprovalSettings {
  return approvals ?? NO_APPROVAL_RULES;
}

export function openDesk(
  snapshot: () => Snapshot,
  ports: Pick<LateDeskPorts, 'clock' | 'log' | 'guards' | 'database' | 'note' | 'isCurrent'>,
): LateDesk {
  const webhook = createApprovalWebhook({
    ...ports,
    target: () => approvalsOf(snapshot()).webhook,
    readSecret: (name) => process.env[name],
  });
  const desk = createLateDesk({
    ...ports,
    settings: () => approvalsOf(snapshot()),
    announce: webhook,
  });
  if (webhook.isOn()) desk.resume();
  return desk;
}
