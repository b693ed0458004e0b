import type { Command } from './command.ts';
import { openPolicies, POLICY_FLAGS } from './open-policies.ts';

export const policyCheck: Command = {
  name: 'policy check',
  summary: 'check policies: syntax, names, types and rules that can never match',
  words: [['[files...]', 'Cedar files; left out: the policies of the configuration']],
  options: POLICY_FLAGS,
  example: 'sallyport policy check team.cedar',
  async run(input) {
    const { compiled, names } = await openPolicies(input, input.words);
    const { policies, version } = compiled;
    return {
      value: {
        version,
        sources: names,
        policies: policies.map(({ id, file, line, effect, server, isPerCall }) => ({
          id,
          file,
          line,
          effect,
          server: server ?? null,
          perCall: isPerCall,
        })),
      },
      text: `${policies.length} policies in ${names.join(', ')} are good. Version ${version}.`,
    };
  },
};
