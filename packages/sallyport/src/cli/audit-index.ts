import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const auditIndex: Command = {
  name: 'audit index',
  summary: 'make the index of the audit anew from its files; search does it by itself where they disagree',
  example: 'sallyport audit index',
  async run(input) {
    const { records, segments } = await withApi(input, (api) => api.call('rebuildAuditIndex', {}));
    return { value: { records, segments }, text: `Indexed ${records} records of ${segments} files.` };
  },
};
