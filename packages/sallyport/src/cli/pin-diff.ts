import type { Json } from '../core/json.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { describeDifference } from './describe-difference.ts';
import { readDifferences } from './pin-differences.ts';

export const pinDiff: Command = {
  name: 'pin diff',
  summary: 'show what a server changed since its definitions were approved',
  words: [
    ['[server]', 'its name in the configuration; left out: all'],
    ['[item]', 'one item: search, tools/search, instructions or serverInfo'],
  ],
  example: 'sallyport pin diff github',
  async run(input) {
    const { digest, items } = await withApi(input, (api) => readDifferences(api, input.words));
    const texts = items.map(describeDifference);
    if (items.length > 0 && input.words.length > 0)
      texts.push(`To approve exactly this: sallyport pin approve ${input.words.join(' ')} --digest ${digest}`);
    return {
      value: { digest, items: items as unknown as Json }, // it came as JSON
      text: texts.join('\n\n'),
      remarks: items.length === 0 ? ['Nothing is waiting for a decision.'] : [],
    };
  },
};
