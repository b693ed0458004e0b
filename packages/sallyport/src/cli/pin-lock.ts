import { resolve } from 'node:path';
import { writeFileAtomically } from '../storage/write-file.ts';
import { withApi } from './api.ts';
import { type Command, isSet, textOption } from './command.ts';

export const pinLock: Command = {
  name: 'pin lock',
  summary: 'write the lock file that mode locked and "pin verify" go by',
  options: [
    { flags: '--offered', meaning: 'ask the servers and lock what they offer now, instead of what was approved' },
    { flags: '--out <file>', meaning: 'write here instead of pins.lockFile' },
  ],
  example: 'sallyport pin lock',
  async run(input) {
    const out = textOption(input.options, 'out');
    const body = { offered: isSet(input.options, 'offered'), write: out === undefined };
    const made = await withApi(input, (api) => api.call('lockPins', { body }));
    if (out !== undefined) writeFileAtomically(resolve(input.terminal.cwd, out), made.text);
    const file = out === undefined ? made.file : resolve(input.terminal.cwd, out);
    return {
      value: { file, items: made.definitions },
      text: `Wrote ${file}: ${made.definitions} definitions`,
      remarks: [
        ...made.warnings,
        ...(made.bare.length === 0 ? [] : [`Nothing is approved of: ${made.bare.join(', ')}.`]),
      ],
    };
  },
};
