import { type JsonObject, member } from '../core/json.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { describeWritten } from './describe-server.ts';
import { describeTally, describeUnusable } from './describe-tally.ts';
import { openConfig } from './edit-config.ts';
import { liveServers } from './live-servers.ts';
import { toTable } from './to-table.ts';

export const serverList: Command = {
  name: 'server list',
  summary: 'list the servers of the configuration, with their state when Sallyport is running',
  example: 'sallyport server list --json',
  async run(input) {
    const { file, servers } = openConfig(input);
    const statuses = await withApi(input, liveServers);
    const rows = [...servers].map(([name, entry]): JsonObject => {
      const live = statuses?.get(name);
      const state = member(entry, 'disabled') === true ? 'disabled' : (live?.state ?? '-');
      return {
        name,
        ...describeWritten(entry),
        state,
        revision: live?.revision ?? null,
        definitions: live?.definitions ?? null,
        lastError: live?.lastError ?? null,
      };
    });
    const cells = rows.map(({ name, type, state, place }) => {
      const counts = servers.has(String(name)) ? statuses?.get(String(name))?.definitions : undefined;
      return [String(name), String(type), String(state), counts ? describeTally(counts) : '-', String(place)];
    });
    const unusable = [...(statuses?.values() ?? [])].flatMap(
      ({ name, definitions }) => describeUnusable(name, definitions) ?? [],
    );
    return {
      value: { file, running: statuses !== undefined, servers: rows },
      text:
        rows.length === 0
          ? ''
          : toTable(['name', 'type', 'state', 'tools', 'command or url'], cells, input.terminal.stdout.columns ?? 0),
      remarks:
        rows.length > 0
          ? unusable
          : [`${file} has no servers. "sallyport server add" or "sallyport import" adds some.`],
    };
  },
};
