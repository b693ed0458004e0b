import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { POLICY_FLAGS, readGivenPolicies } from './given-policies.ts';

export const policyCheck: Command = {
  name: 'policy check',
  summary: 'check policies: syntax, names, types and rules that can never match',
  words: [['[files...]', 'Cedar files; left out: the policies of the configuration']],
  options: POLICY_FLAGS,
  example: 'sallyport policy check team.cedar',
  run: (input) =>
    withApi(input, async (api) => {
      const policies = readGivenPolicies(input, input.words);
      const found = await api.call('checkPolicies', { body: policies === undefined ? {} : { policies } });
      if (found.problems.length > 0)
        throw new FaultError('config', found.message ?? 'The policies have problems.', { data: found.problems });
      return {
        value: { version: found.version ?? null, sources: found.sources, policies: found.policies },
        text: `${found.policies.length} policies in ${found.sources.join(', ')} are good. Version ${found.version}.`,
      };
    }),
};
