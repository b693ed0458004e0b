import type { Command } from './command.ts';
import { describeDifference, toDifferenceValue } from './describe-difference.ts';
import { differenceOf, digestShown, isPending, selectPins, withPins } from './with-pins.ts';

export const pinDiff: Command = {
  name: 'pin diff',
  summary: 'show what a server changed since its definitions were approved',
  words: [
    ['[server]', 'its name in the configuration; left out: all'],
    ['[item]', 'one item: search, tools/search or instructions'],
  ],
  example: 'sallyport pin diff github',
  run: (input) =>
    withPins(input, async ({ known }) => {
      const [server, item] = input.words;
      const chosen = known.length === 0 && server === undefined ? [] : selectPins(known, input.words);
      const shown = chosen.filter((one) => isPending(one) || (item !== undefined && one.state !== 'approved'));
      const digest = digestShown(shown);
      const differences = shown.map((one) => ({ one, difference: differenceOf(one, known) }));
      const texts = differences.map(({ one, difference }) => describeDifference(one, difference));
      if (shown.length > 0 && server !== undefined)
        texts.push(
          `To approve exactly this: sallyport pin approve ${[server, item].filter((word) => word !== undefined).join(' ')} --digest ${digest}`,
        );
      return {
        value: { digest, items: differences.map(({ one, difference }) => toDifferenceValue(one, difference)) },
        text: texts.join('\n\n'),
        remarks: shown.length === 0 ? ['Nothing is waiting for a decision.'] : [],
      };
    }),
};
