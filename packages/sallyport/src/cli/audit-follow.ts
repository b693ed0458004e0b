import { withApi } from './api.ts';
import { AUDIT_FLAGS, auditPlace } from './audit-place.ts';
import type { Command } from './command.ts';
import { createLineWriter } from './line-writer.ts';
import { toPlainJson } from './plain-text.ts';

export const auditFollow: Command = {
  name: 'audit follow',
  summary: 'print records as they are written, one JSON line each, until Ctrl-C',
  options: AUDIT_FLAGS,
  example: 'sallyport audit follow',
  async run(input) {
    const lines = createLineWriter(input.terminal.stdout);
    await withApi(
      input,
      (api) => api.follow('followAudit', {}, (_, record) => lines.write(toPlainJson(record))),
      auditPlace(input),
    );
    await lines.written();
    return undefined;
  },
};
