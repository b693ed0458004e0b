import { resolve } from 'node:path';
import { defineInstructions } from '../catalog/pins/define-item.ts';
import type { LockedItem } from '../catalog/pins/lock-file.ts';
import { toItemName } from '../catalog/pins/pin.ts';
import type { JsonObject } from '../core/json.ts';
import { loadLockFile } from '../storage/open-pins.ts';
import { type Command, type Input, type Output, textOption } from './command.ts';
import { askForItems, type Offered, packagesOf, warnOfPackages } from './offered-items.ts';
import { resolveTarget } from './resolve-target.ts';
import { toTable } from './to-table.ts';
import { type Pins, withPins } from './with-pins.ts';

export const pinVerify: Command = {
  name: 'pin verify',
  summary: 'ask the servers what they offer; exit 1 when it is not what is locked, or approved',
  options: [
    {
      flags: '--lock <file>',
      meaning: 'compare with this lock file; left out: pins.lockFile in mode locked, else what was approved',
    },
  ],
  example: 'sallyport pin verify --lock sallyport.lock.json',
  run: (input) => withPins(input, (pins) => verify(input, pins)),
};

interface Expected {
  readonly items: readonly LockedItem[];
  readonly packages: ReadonlyMap<string, string>;
  /** A lock file says what there is. What was approved once and is gone is nobody's worry. */
  readonly isWhole: boolean;
}

const NO_INSTRUCTIONS = defineInstructions(undefined).digest;

type Problem = 'changed' | 'new' | 'missing' | 'unreachable' | 'package';

async function verify(input: Input, pins: Pins): Promise<Output> {
  const servers = resolveTarget(undefined, input);
  const names = new Set(servers.map(({ name }) => name));
  const packages = packagesOf(servers);
  const expected = await readExpected(input, pins);
  const offered = await askForItems(servers, input);
  const problems = [
    ...comparePackages(expected.packages, packages, names),
    ...offered.flatMap((one) => compareItems(one, expected)),
  ];
  const differences = problems.map(({ server, item, problem }): JsonObject => ({ server, item, problem }));
  return {
    value: { matches: problems.length === 0, differences, warnings: warnOfPackages(packages) },
    text:
      problems.length === 0
        ? `All ${offered.reduce((sum, { items }) => sum + items.length, 0)} definitions are as expected.`
        : toTable(
            ['server', 'item', 'problem'],
            problems.map((one) => [one.server, one.item, one.problem]),
            0,
          ),
    remarks: warnOfPackages(packages),
    exit: problems.length === 0 ? 0 : 1,
  };
}

async function readExpected(input: Input, { known, settings }: Pins): Promise<Expected> {
  const named = textOption(input.options, 'lock');
  const file = named === undefined ? settings.lockFile : resolve(input.terminal.cwd, named);
  if (named !== undefined || settings.mode === 'locked') return { ...(await loadLockFile(file)), isWhole: true };
  const items = known.flatMap(({ pin: { server, kind, name, approved } }) =>
    approved === undefined ? [] : [{ server, kind, name, digest: approved.digest }],
  );
  return { items, packages: new Map(), isWhole: false };
}

interface Difference {
  readonly server: string;
  readonly item: string;
  readonly problem: Problem;
}

function comparePackages(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
  servers: ReadonlySet<string>,
): Difference[] {
  const isOther = ([server, name]: readonly [string, string]) => servers.has(server) && found.get(server) !== name;
  return [...expected].filter(isOther).map(([server, item]) => ({ server, item, problem: 'package' }));
}

function compareItems({ server, items, fault }: Offered, expected: Expected): Difference[] {
  if (fault !== undefined) return [{ server, item: fault.message, problem: 'unreachable' }];
  const keyOf = ({ kind, name }: LockedItem) => toItemName(kind, name);
  const wanted = new Map(expected.items.filter((one) => one.server === server).map((one) => [keyOf(one), one.digest]));
  const offered = new Set(items.map(keyOf));
  const found = items.flatMap((one): Difference[] => {
    const digest = wanted.get(keyOf(one));
    if (digest === one.digest) return [];
    // No instructions where none are named: nothing to approve.
    if (digest === undefined && one.digest === NO_INSTRUCTIONS) return [];
    return [{ server, item: keyOf(one), problem: digest === undefined ? 'new' : 'changed' }];
  });
  const missing = expected.isWhole ? [...wanted.keys()].filter((item) => !offered.has(item)) : [];
  return [...found, ...missing.map((item): Difference => ({ server, item, problem: 'missing' }))];
}
