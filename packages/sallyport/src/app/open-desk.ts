import { join } from 'node:path';
import { createLateDesk, type LateDesk, type LateDeskPorts } from '../call/late-desk.ts';
import { type ApprovalSettings, NO_APPROVAL_RULES } from '../config/approvals-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { openDatabase } from '../storage/database.ts';
import { createApprovalWebhook } from '../telemetry/approval-webhook.ts';

export function approvalsOf({ approvals }: Snapshot): ApprovalSettings {
  return approvals ?? NO_APPROVAL_RULES;
}

export function openDesk(snapshot: () => Snapshot, ports: Pick<LateDeskPorts, 'clock' | 'log' | 'guards'>): LateDesk {
  const webhook = createApprovalWebhook({
    ...ports,
    target: () => approvalsOf(snapshot()).webhook,
    readSecret: (name) => process.env[name],
  });
  return createLateDesk({
    ...ports,
    openDatabase: () => openDatabase(join(snapshot().stateDir, 'sallyport.db')),
    settings: () => approvalsOf(snapshot()),
    announce: webhook,
  });
}
