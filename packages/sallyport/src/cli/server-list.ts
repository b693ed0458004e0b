import { type JsonObject, member } from '../core/json.ts';
import type { Command } from './command.ts';
import { findStateDir } from './config-file.ts';
import { askRunning } from './control-socket.ts';
import { describeWritten } from './describe-server.ts';
import { openConfig } from './edit-config.ts';
import { toTable } from './to-table.ts';

export const serverList: Command = {
  name: 'server list',
  summary: 'list the servers of the configuration, with their state when Sallyport is running',
  example: 'sallyport server list --json',
  async run(input) {
    const { file, servers } = openConfig(input);
    const statuses = await askRunning(findStateDir(input.terminal), { verb: 'status' });
    const rows = [...servers].map(([name, entry]): JsonObject => {
      const live = member(member(statuses, 'servers'), name);
      const state = member(entry, 'disabled') === true ? 'disabled' : String(member(live, 'state') ?? '-');
      return {
        name,
        ...describeWritten(entry),
        state,
        revision: member(live, 'revision') ?? null,
        lastError: member(live, 'lastError') ?? null,
      };
    });
    const cells = rows.map((row) => ['name', 'type', 'state', 'place'].map((key) => String(row[key] ?? '')));
    return {
      value: { file, running: statuses !== undefined, servers: rows },
      text:
        rows.length === 0
          ? ''
          : toTable(['name', 'type', 'state', 'command or url'], cells, input.terminal.stdout.columns ?? 0),
      remarks:
        rows.length === 0 ? [`${file} has no servers. "sallyport server add" or "sallyport import" adds some.`] : [],
    };
  },
};
