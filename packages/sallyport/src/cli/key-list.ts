import { systemClock } from '../core/clock.ts';
import { listKeys } from '../storage/keys.ts';
import type { Command } from './command.ts';
import { toTable } from './to-table.ts';
import { describeKey, withKeys } from './with-keys.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'list the API keys: who they are for, whether they work, when they were used last',
  example: 'sallyport key list --json',
  async run(input) {
    const now = systemClock.now();
    const keys = (await withKeys(input, listKeys)).map((key) => describeKey(key, now));
    const cells = keys.map(({ name, id, state, groups, expiresAt, lastUsedAt }) => [
      String(name),
      String(id),
      String(state),
      String(expiresAt ?? 'never').slice(0, 10),
      lastUsedAt === null ? '-' : String(lastUsedAt).slice(0, 16),
      Array.isArray(groups) ? groups.join(', ') : '',
    ]);
    return {
      value: { keys },
      text:
        keys.length === 0
          ? ''
          : toTable(
              ['name', 'id', 'state', 'expires', 'last used', 'groups'],
              cells,
              input.terminal.stdout.columns ?? 0,
            ),
      remarks: keys.length === 0 ? ['There are no API keys. "sallyport key create" makes one.'] : [],
    };
  },
};
