import type { Offered } from '../call/offered-items.ts';
import { defineInstructions } from '../catalog/pins/define-item.ts';
import type { LockedItem } from '../catalog/pins/lock-file.ts';
import { toItemName } from '../catalog/pins/pin.ts';

/** What servers should offer. */
export interface Expected {
  readonly items: readonly LockedItem[];
  readonly packages: ReadonlyMap<string, string>;
  /** A lock file says what there is. What was approved once and is gone is nobody's worry. */
  readonly isWhole: boolean;
}

/** One thing that is not as expected. */
export interface Mismatch {
  readonly server: string;
  readonly item: string;
  readonly problem: 'changed' | 'new' | 'missing' | 'unreachable' | 'package';
}

const NO_INSTRUCTIONS = defineInstructions(undefined).digest;

/** Packages that servers run and should not, or the other way round. */
export function comparePackages(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
  servers: ReadonlySet<string>,
): Mismatch[] {
  const isOther = ([server, name]: readonly [string, string]) => servers.has(server) && found.get(server) !== name;
  return [...expected].filter(isOther).map(([server, item]) => ({ server, item, problem: 'package' }));
}

/** The program each server should run. */
export function programsOf({ items }: Pick<Expected, 'items'>): ReadonlyMap<string, string> {
  return new Map(items.filter(({ kind }) => kind === 'program').map(({ server, digest }) => [server, digest]));
}

/** What a server offers beside what it should. */
export function compareOffered({ server, items, fault, isHeld }: Offered, expected: Expected): Mismatch[] {
  if (fault !== undefined) return [{ server, item: fault.message, problem: 'unreachable' }];
  const keyOf = ({ kind, name }: LockedItem) => toItemName(kind, name);
  const wanted = new Map(expected.items.filter((one) => one.server === server).map((one) => [keyOf(one), one.digest]));
  const offered = new Set(items.map(keyOf));
  const found = items.flatMap((one): Mismatch[] => {
    const digest = wanted.get(keyOf(one));
    if (digest === one.digest) return [];
    // No instructions where none are named: nothing to approve.
    if (digest === undefined && one.digest === NO_INSTRUCTIONS) return [];
    return [{ server, item: keyOf(one), problem: digest === undefined ? 'new' : 'changed' }];
  });
  // Of a server that was not started nothing else is known; pages are met when they are read.
  const isAsked = (item: string) => isHeld !== true && !item.startsWith('ui/');
  const missing = expected.isWhole ? [...wanted.keys()].filter((item) => isAsked(item) && !offered.has(item)) : [];
  return [...found, ...missing.map((item): Mismatch => ({ server, item, problem: 'missing' }))];
}
