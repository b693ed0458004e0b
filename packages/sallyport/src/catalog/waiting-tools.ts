import type { Entry } from './view-part.ts';

/** Tools that are looked at: a policy may take a third of a millisecond for each. */
const MAX_ASKED = 200;

interface Counts {
  quarantined: number;
  disabled: number;
  isCut: boolean;
}

export interface WaitingPorts {
  /** Whether its definition waits for a person. */
  isQuarantined(entry: Entry): boolean;
  /** Whether its schema is invalid, or it cannot be shown at all. */
  isDisabled(entry: Entry): boolean;
  /** Whether the caller may see the tool by rights. */
  mayUse(entry: Entry): boolean;
}

/**
 * What a model is told of tools that it may not use yet: how many, of which server, and who can change that. Their names
 * are left out, because servers chose them and nobody approved them.
 */
export function describeWaiting(entries: readonly Entry[], ports: WaitingPorts): readonly string[] {
  const counts = new Map<string, Counts>();
  let asked = 0;
  for (const entry of entries) {
    const isDisabled = ports.isDisabled(entry);
    if (!isDisabled && !ports.isQuarantined(entry)) continue;
    const { name } = entry.part.server;
    const of = counts.get(name) ?? { quarantined: 0, disabled: 0, isCut: false };
    asked += 1;
    if (asked > MAX_ASKED) of.isCut = true;
    else if (!ports.mayUse(entry)) continue;
    else of[isDisabled ? 'disabled' : 'quarantined'] += 1;
    if (of.quarantined + of.disabled > 0) counts.set(name, of);
  }
  return [...counts].flatMap(([server, { quarantined, disabled, isCut }]) => [
    ...(quarantined === 0 ? [] : [toSentence(toCount(quarantined, isCut), server, WAITS)]),
    ...(disabled === 0 ? [] : [toSentence(toCount(disabled, isCut), server, INVALID)]),
  ]);
}

type Forms = readonly [one: string, more: string];

const WAITS: Forms = [
  "waits for the operator's approval and cannot be used until a person has approved it",
  "wait for the operator's approval and cannot be used until a person has approved them",
];
const INVALID: Forms = [
  'cannot be used because its definition is invalid',
  'cannot be used because their definitions are invalid',
];

function toSentence(count: string, server: string, [one, more]: Forms): string {
  return `${count} of ${server} ${count === '1 tool' ? one : more}.`;
}

function toCount(count: number, isCut: boolean): string {
  return `${isCut ? 'At least ' : ''}${count} ${count === 1 ? 'tool' : 'tools'}`;
}
