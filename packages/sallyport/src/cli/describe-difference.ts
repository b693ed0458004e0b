import type { Difference } from '../catalog/pins/compare.ts';
import { type FieldChange, toItemName } from '../catalog/pins/pin.ts';
import { INVISIBLE } from '../catalog/pins/risk-notes.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { KnownPin } from './with-pins.ts';

/** A pin and its difference as one JSON value. */
export function toDifferenceValue({ pin, state }: KnownPin, difference: Difference): JsonObject {
  const { changes, risks, weight } = difference;
  return {
    server: pin.server,
    item: toItemName(pin.kind, pin.name),
    state,
    weight,
    renamedFrom: pin.renamedFrom ?? null,
    risks,
    // Through JSON: members that are undefined are left out.
    changes: JSON.parse(JSON.stringify(changes)) as Json,
  };
}

const STATES = {
  approved: 'approved',
  new: 'new, approved by nobody',
  changed: 'changed since it was approved',
  rejected: 'rejected',
  unlisted: 'not in the lock file',
} as const;

/** The same for people: the risks first, then field by field. */
export function describeDifference({ pin, state }: KnownPin, difference: Difference): string {
  const { changes, risks, weight } = difference;
  const was = pin.renamedFrom === undefined ? '' : `, was ${toItemName(pin.kind, pin.renamedFrom)}`;
  return [
    `${pin.server} ${toItemName(pin.kind, pin.name)}: ${STATES[state]}${was} (${weight === 'minor' ? 'minor' : 'to be read'})`,
    ...risks.map((risk) => `  ! ${risk}`),
    ...changes.flatMap((change) => describeChange(change)),
  ].join('\n');
}

function describeChange({ path, change, before, after }: FieldChange): string[] {
  return [
    `  ${path === '' ? 'the definition' : path} ${change}`,
    ...(before === undefined ? [] : describeValue('-', before)),
    ...(after === undefined ? [] : describeValue('+', after)),
  ];
}

/** What nobody sees is written as what it is: a model reads it. */
function describeValue(sign: string, value: Json): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const shown = text.replace(INVISIBLE, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`);
  return shown.split('\n').map((line) => `    ${sign} ${line}`);
}
