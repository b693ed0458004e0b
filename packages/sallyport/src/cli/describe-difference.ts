import { INVISIBLE } from '../catalog/pins/risk-notes.ts';
import type { Json } from '../core/json.ts';
import { describeFinding } from './describe-finding.ts';
import { describePair } from './describe-pair.ts';
import type { PinDifference } from './pin-differences.ts';
import { toLine } from './plain-text.ts';

/** Of a name or a path, which stand on one line each. Columns. */
const MAX_LINE = 4_096;

const STATES = {
  approved: 'approved',
  new: 'new, approved by nobody',
  changed: 'changed since it was approved',
  rejected: 'rejected',
  unlisted: 'not in the lock file',
} as const;

/** A difference for people: what reading it found and the risks first, then field by field. */
export function describeDifference(one: PinDifference): string {
  const { server, item, state, weight, renamedFrom, risks, findings, related, changes } = one;
  const was = renamedFrom === null ? '' : `, was ${showName(item.slice(0, item.indexOf('/') + 1) + renamedFrom)}`;
  return [
    `${server} ${showName(item)}: ${STATES[state]}${was} (${weight === 'minor' ? 'minor' : 'to be read'})`,
    ...findings.flatMap((finding) => describeFinding(finding)),
    ...related.flatMap((other) => describePair(server, other, spellOut)),
    ...risks.map((risk) => `  ! ${showName(risk)}`),
    ...changes.flatMap((change) => describeChange(change)),
  ].join('\n');
}

function describeChange({ path, change, before, after }: PinDifference['changes'][number]): string[] {
  return [
    `  ${path === '' ? 'the definition' : showName(path)} ${change}`,
    ...(before === undefined ? [] : describeValue('-', before as Json)),
    ...(after === undefined ? [] : describeValue('+', after as Json)),
  ];
}

/** Names of tools and of parameters are the server's: a line break in one could write a line of its own. */
function showName(name: string): string {
  return toLine(spellOut(name), MAX_LINE);
}

function describeValue(sign: string, value: Json): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return spellOut(text)
    .split('\n')
    .map((line) => `    ${sign} ${line}`);
}

/** What nobody sees is written as what it is: a model reads it. */
function spellOut(text: string): string {
  return text.replace(INVISIBLE, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`);
}
