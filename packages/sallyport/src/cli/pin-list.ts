import { toItemName } from '../catalog/pins/pin.ts';
import type { JsonObject } from '../core/json.ts';
import { type Command, isSet } from './command.ts';
import { toTable } from './to-table.ts';
import { selectPins, withPins } from './with-pins.ts';

export const pinList: Command = {
  name: 'pin list',
  summary: 'list the definitions servers offered, and which are approved',
  words: [['[server]', 'its name in the configuration; left out: all']],
  options: [{ flags: '--held', meaning: 'only what may not be used' }],
  example: 'sallyport pin list --held',
  run: (input) =>
    withPins(input, async ({ known, settings }) => {
      const chosen = known.length === 0 && input.words.length === 0 ? [] : selectPins(known, input.words);
      const shown = isSet(input.options, 'held') ? chosen.filter(({ state }) => state !== 'approved') : chosen;
      const pins = shown.map(
        ({ pin, state }): JsonObject => ({
          server: pin.server,
          item: toItemName(pin.kind, pin.name),
          state,
          digest: pin.seen?.digest ?? null,
          approved: pin.approved?.digest ?? null,
          approvedBy: pin.approvedBy ?? null,
          approvedAt: pin.approvedAt ?? null,
          seenAt: pin.seenAt ?? null,
          renamedFrom: pin.renamedFrom ?? null,
        }),
      );
      const cells = pins.map((row) =>
        ['server', 'item', 'state', 'approvedBy', 'seenAt'].map((key) => String(row[key] ?? '-')),
      );
      return {
        value: { mode: settings.mode, pins },
        text:
          pins.length === 0
            ? ''
            : toTable(
                ['server', 'item', 'state', 'approved by', 'last new'],
                cells,
                input.terminal.stdout.columns ?? 0,
              ),
        remarks: pins.length === 0 ? ['Nothing to list.'] : [],
      };
    }),
};
