import type { Migration } from 'kysely';
import { approvalsMigration } from './approvals-migration.ts';
import { artifactsMigration } from './artifacts-migration.ts';
import { auditHeadsMigration } from './audit-heads-migration.ts';
import { auditIndexMigration } from './audit-index-migration.ts';
import { keptResultsMigration } from './kept-results-migration.ts';
import { keysMigration } from './keys-migration.ts';
import { pinConfigurationsMigration } from './pin-configurations-migration.ts';
import { pinFindingsMigration } from './pin-findings-migration.ts';
import { pinRevisionsMigration } from './pin-revisions-migration.ts';
import { pinsMigration } from './pins-migration.ts';
import { quotasMigration } from './quotas-migration.ts';
import { sharedMigration } from './shared-migration.ts';
import { taskOwnersMigration } from './task-owners-migration.ts';
import { tokenUseMigration } from './token-use-migration.ts';
import { upstreamTokensMigration } from './upstream-tokens-migration.ts';

/** In the order of their names; a migration that has shipped is never changed. Each aggregate's migration stands in its own file. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-keys': keysMigration,
  '005-quotas': quotasMigration,
  '010-approvals': approvalsMigration,
  '020-pins': pinsMigration,
  '020-upstream-tokens': upstreamTokensMigration,
  '030-audit-index': auditIndexMigration,
  '040-pin-findings': pinFindingsMigration,
  '050-kept-results': keptResultsMigration,
  '060-shared': sharedMigration,
  '070-task-owners': taskOwnersMigration,
  '080-pin-configurations': pinConfigurationsMigration,
  '090-audit-heads': auditHeadsMigration,
  '100-pin-revisions': pinRevisionsMigration,
  '110-artifacts': artifactsMigration,
  '120-token-use': tokenUseMigration,
};
