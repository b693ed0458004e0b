import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import { type Command, textOption } from './command.ts';
import { POLICY_FLAGS, readGivenPolicies } from './given-policies.ts';
import { readTime } from './read-time.ts';
import { toTable } from './to-table.ts';

const COLUMNS = ['callId', 'principal', 'target', 'did', 'would', 'reason'] as const;

export const policyShadow: Command = {
  name: 'policy shadow',
  summary: 'tell what policies would have decided about the recorded calls',
  words: [['[files...]', 'Cedar files to try; left out: the policies of the configuration']],
  options: [
    ...POLICY_FLAGS,
    { flags: '--since <time>', meaning: 'calls from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago' },
    { flags: '--until <time>', meaning: 'calls up to then' },
    { flags: '--limit <count>', meaning: 'at most so many calls, the newest (default: 10000)' },
  ],
  example: 'sallyport policy shadow --set team stricter.cedar --since 7d',
  run: (input) =>
    withApi(input, async (api) => {
      const { options } = input;
      const policies = readGivenPolicies(input, input.words);
      const since = readTime('--since', textOption(options, 'since'), Date.now());
      const until = readTime('--until', textOption(options, 'until'), Date.now());
      const limit = readLimit(textOption(options, 'limit'));
      const found = await api.call('shadowPolicies', {
        body: {
          ...(policies === undefined ? {} : { policies }),
          ...(since === undefined ? {} : { since }),
          ...(until === undefined ? {} : { until }),
          ...(limit === undefined ? {} : { limit }),
        },
      });
      const { unknown, assumed } = found;
      const rows = found.changes.map((change) => COLUMNS.map((column) => change[column]));
      return {
        value: { ...found },
        text: rows.length === 0 ? '' : toTable([...COLUMNS], rows, input.terminal.stdout.columns ?? 0),
        remarks: [
          `${found.changed} of ${found.calls} recorded calls would have gone otherwise, ${found.same} the same way.`,
          ...say(unknown.arguments, `depend on arguments that are not recorded, by ${unknown.policies.join(', ')}`),
          ...say(unknown.earlier, 'were stopped by another guard before the policies were asked'),
          ...say(unknown.target, 'do not say what was called'),
          ...say(assumed.effects, 'were decided without the effects that only their arguments tell of'),
          ...(assumed.labels ? ['Labels are not recorded; they were taken to be none.'] : []),
        ],
      };
    }),
};

function say(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}.`];
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000)
    throw new FaultError('usage', '--limit is a number from 1 to 100000.');
  return limit;
}
