import { resolve } from 'node:path';
import { writeFileAtomically } from '../storage/write-file.ts';
import { withApi } from './api.ts';
import { type Command, isSet, textOption } from './command.ts';

export const pinLock: Command = {
  name: 'pin lock',
  summary: 'write the lock file that mode locked and "pin verify" go by',
  options: [
    { flags: '--offered', meaning: 'ask the servers and lock what they offer now, instead of what was approved' },
    { flags: '--with-findings', meaning: 'with --offered: lock also what is held for what reading it found' },
    { flags: '--out <file>', meaning: 'write here instead of pins.lockFile' },
  ],
  example: 'sallyport pin lock',
  async run(input) {
    const out = textOption(input.options, 'out');
    const body = {
      offered: isSet(input.options, 'offered'),
      withFindings: isSet(input.options, 'withFindings'),
      write: out === undefined,
    };
    const made = await withApi(input, (api) => api.call('lockPins', { body }));
    if (out !== undefined) writeFileAtomically(resolve(input.terminal.cwd, out), made.text);
    const file = out === undefined ? made.file : resolve(input.terminal.cwd, out);
    return {
      value: { file, items: made.definitions, left: made.left },
      text: `Wrote ${file}: ${made.definitions} definitions`,
      exit: made.left.length > 0 ? 1 : 0,
      remarks: [
        ...made.warnings,
        ...(made.left.length === 0
          ? []
          : [`Left out for what reading them found: ${made.left.join(', ')}. Look at them with: sallyport scan`]),
        ...(made.bare.length === 0 ? [] : [`Nothing is approved of: ${made.bare.join(', ')}.`]),
      ],
    };
  },
};
