import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';
import type { Finding } from './doctor-steps.ts';

/** Whether calls are recorded, and whether records are missing that were there. */
export async function checkAudit(input: Input): Promise<Finding> {
  // Nothing is made here only because somebody asked how things are.
  if (!existsSync(join(findStateDir(input.terminal), 'sallyport.db')))
    return { outcome: 'ok', detail: 'none yet: made at the first start' };
  const audit = await withApi(input, (api) => api.call('showHealth', {})).then(
    (health) => health.audit,
    (error: unknown) => {
      // Named by the step of the configuration.
      if (error instanceof FaultError && error.code === 'config') return undefined;
      throw error;
    },
  );
  if (audit === undefined) return { outcome: 'skipped', detail: 'the configuration cannot be read' };
  if (audit.damage !== null)
    return {
      outcome: 'failed',
      detail: `The audit is damaged: ${audit.damage}.`,
      fix: 'Put the files back and start Sallyport again, or accept it with "sallyport audit repair" (docs/audit.md).',
    };
  if (audit.trouble !== null)
    return {
      outcome: 'failed',
      detail: `Every call is refused, because it cannot be recorded: ${audit.trouble}.`,
      fix: 'A full disk: make room. Else "sallyport audit verify" says more (docs/audit.md).',
    };
  if (!audit.published)
    return {
      outcome: 'warning',
      detail: 'The last head of the audit could not be published.',
      fix: 'Its log names the cause. Correct audit.anchor, or what it leads to.',
    };
  return { outcome: 'ok', detail: audit.mode === 'off' ? 'off (audit.mode)' : `on, ${audit.mode}` };
}
