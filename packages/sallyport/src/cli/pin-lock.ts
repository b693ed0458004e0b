import { resolve } from 'node:path';
import { type LockedItem, writeLockFile } from '../catalog/pins/lock-file.ts';
import { FaultError } from '../core/errors.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { askForItems, packagesOf, warnOfPackages } from './offered-items.ts';
import { resolveTarget } from './resolve-target.ts';
import { type Pins, withPins } from './with-pins.ts';
import { writeFileAtomically } from './write-file.ts';

export const pinLock: Command = {
  name: 'pin lock',
  summary: 'write the lock file that mode locked and "pin verify" go by',
  options: [
    { flags: '--offered', meaning: 'ask the servers and lock what they offer now, instead of what was approved' },
    { flags: '--out <file>', meaning: 'write here instead of pins.lockFile' },
  ],
  example: 'sallyport pin lock',
  run: (input) => withPins(input, (pins) => lock(input, pins)),
};

async function lock(input: Input, { known, settings }: Pins): Promise<Output> {
  const servers = resolveTarget(undefined, input);
  const names = new Set(servers.map(({ name }) => name));
  const items = isSet(input.options, 'offered')
    ? await offeredBy(input)
    : known.flatMap(({ pin }): LockedItem[] => {
        const { server, kind, name, approved, rejected } = pin;
        if (approved === undefined || approved.digest === rejected || !names.has(server)) return [];
        return [{ server, kind, name, digest: approved.digest }];
      });
  if (items.length === 0)
    throw new FaultError(
      'usage',
      'Nothing is approved yet. Start Sallyport and approve, or lock what the servers offer now with --offered.',
    );
  const out = textOption(input.options, 'out');
  const file = out === undefined ? settings.lockFile : resolve(input.terminal.cwd, out);
  const packages = packagesOf(servers);
  writeFileAtomically(file, writeLockFile(items, packages));
  const bare = [...names].filter((name) => !items.some(({ server }) => server === name));
  return {
    value: { file, items: items.length },
    text: `Wrote ${file}: ${items.length} definitions`,
    remarks: [
      ...warnOfPackages(packages),
      ...(bare.length === 0 ? [] : [`Nothing is approved of: ${bare.join(', ')}.`]),
    ],
  };
}

async function offeredBy(input: Input): Promise<readonly LockedItem[]> {
  const offered = await askForItems(resolveTarget(undefined, input), input);
  const silent = offered.find(({ fault }) => fault !== undefined);
  // A lock file that lacks a server would switch it off.
  if (silent?.fault !== undefined) throw new FaultError(silent.fault.code, `${silent.server}: ${silent.fault.message}`);
  return offered.flatMap(({ items }) => items);
}
