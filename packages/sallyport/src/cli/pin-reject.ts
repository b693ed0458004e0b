import { toItemName } from '../catalog/pins/pin.ts';
import type { Command } from './command.ts';
import { toDecision } from './pin-approve.ts';
import { selectPins, withPins } from './with-pins.ts';

export const pinReject: Command = {
  name: 'pin reject',
  summary: 'refuse what a server offers under this name, approved or not; it stays hidden until it is another one',
  words: [
    ['<server>', 'its name in the configuration'],
    ['<item>', 'search, tools/search or instructions'],
  ],
  example: 'sallyport pin reject github tools/delete_repository',
  run: (input) =>
    withPins(input, async ({ known, store }) => {
      const decisions = selectPins(known, input.words).map((one) => toDecision(one, 'reject'));
      const late = await store.decide(decisions, new Date().toISOString());
      const rejected = decisions.filter((one) => !late.includes(one)).map(({ kind, name }) => toItemName(kind, name));
      return {
        value: { rejected },
        text: rejected.length === 0 ? '' : `Rejected: ${rejected.join(', ')}`,
        remarks: late.length === 0 ? [] : ['It offers another definition by now: look again.'],
        exit: late.length === 0 ? 0 : 1,
      };
    }),
};
