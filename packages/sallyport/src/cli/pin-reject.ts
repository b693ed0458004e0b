import { allPages } from './all-pages.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const pinReject: Command = {
  name: 'pin reject',
  summary: 'refuse what a server offers under this name, approved or not; it stays hidden until it is another one',
  words: [
    ['<server>', 'its name in the configuration'],
    ['<item>', 'search, tools/search, instructions or serverInfo'],
  ],
  example: 'sallyport pin reject github tools/delete_repository',
  run: (input) =>
    withApi(input, async (api) => {
      const [server, item] = input.words;
      const pins = await allPages((page) => api.call('listPins', { query: { ...page, server, item } }));
      // What is approved and was not offered since has nothing to refuse.
      const items = pins.flatMap((pin) =>
        pin.digest === null ? [] : [{ server: pin.server, item: pin.item, digest: pin.digest }],
      );
      const outcome = items.length === 0 ? undefined : await api.call('rejectPins', { body: { items } });
      const rejected = outcome?.done.map((one) => one.item) ?? [];
      const isLate = rejected.length < pins.length;
      return {
        value: { rejected },
        text: rejected.length === 0 ? '' : `Rejected: ${rejected.join(', ')}`,
        remarks: isLate ? ['It offers another definition by now: look again.'] : [],
        exit: isLate ? 1 : 0,
      };
    }),
};
