import { withApi } from './api.ts';
import { AUDIT_FLAGS, auditPlace } from './audit-place.ts';
import type { Command } from './command.ts';

export const auditRepair: Command = {
  name: 'audit repair',
  summary: 'let a running Sallyport go on in a new segment where the files of its audit were removed or changed',
  options: AUDIT_FLAGS,
  example: 'sallyport audit repair',
  async run(input) {
    const { chains } = await withApi(input, (api) => api.call('repairAudit', {}), auditPlace(input));
    return {
      value: { chains },
      text: 'Where writing had stopped, it goes on within a second. "sallyport audit verify" will name what is missing.',
    };
  },
};
