import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listChains } from '../telemetry/audit/segments.ts';
import { REPAIR_MARK } from '../telemetry/audit/writer.ts';
import type { Command } from './command.ts';
import { AUDIT_FLAGS, findAuditDirectory } from './find-audit.ts';

export const auditRepair: Command = {
  name: 'audit repair',
  summary: 'let a running Sallyport go on in a new segment where the files of its audit were removed or changed',
  options: AUDIT_FLAGS,
  example: 'sallyport audit repair',
  async run(input) {
    const directory = findAuditDirectory(input);
    const chains = await listChains(directory);
    for (const chain of chains) writeFileSync(join(directory, chain, REPAIR_MARK), '', { mode: 0o600 });
    return {
      value: { chains },
      text: 'Where writing had stopped, it goes on within a second. "sallyport audit verify" will name what is missing.',
    };
  },
};
