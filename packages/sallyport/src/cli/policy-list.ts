import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { toTable } from './to-table.ts';

export const policyList: Command = {
  name: 'policy list',
  summary: 'list the policies of the configuration, with their files and digests',
  example: 'sallyport policy list --json',
  run: (input) =>
    withApi(input, async (api) => {
      const { sources, ...found } = await api.call('listPolicies', {});
      const rows = found.policies.map(({ id, effect, server, reads, file, line }) => [
        ...[id, effect, server ?? 'any', reads.join(', '), `${file}:${line}`],
      ]);
      return {
        value: { ...found, sources: sources.map(({ file, sha256, use }) => ({ file, sha256, use })) },
        text:
          rows.length === 0
            ? ''
            : toTable(['id', 'effect', 'server', 'reads', 'place'], rows, input.terminal.stdout.columns ?? 0),
        remarks: [
          found.mode === 'off'
            ? `The set ${found.set} is in force: every call of a known caller is permitted, so no policy is evaluated. "sallyport policy sets" shows its doors.`
            : `Set ${found.set}, mode ${found.mode}, version ${found.version}.`,
        ],
      };
    }),
};
