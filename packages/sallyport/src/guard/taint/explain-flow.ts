import { PRIVACY, type Role } from '../../config/taint-section.ts';
import type { Call } from '../../core/call.ts';
import type { FoundFlow } from './judge-call.ts';
import { bears, privacyOf } from './labels.ts';
import { pathOf, toPointer } from './walk-leaves.ts';

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  recipient: 'who gets it',
  address: 'an address',
  path: 'a path',
  command: 'a command',
  amount: 'an amount',
  content: 'a content',
  other: 'a value',
};

/** What a person reads who has to decide, and a model that is to do otherwise: which argument, which result, which rule. */
export function explainFlow({ rule, leaf, source, isGuess }: FoundFlow, call: Call): string {
  const what = rule.from === 'untrusted' ? 'untrusted text' : `${labelOf({ rule, source })} data`;
  const place =
    leaf === undefined || leaf.leaf.place === undefined ? undefined : toPointer(pathOf(leaf.leaf)).slice(0, 200);
  const role =
    leaf === undefined || rule.by === 'run' || call.isAnswer === true ? '' : `, and decides ${ROLE_NAMES[leaf.role]}`;
  return `${whereOf(call, place)} ${because(what, { rule, leaf, source, isGuess }, role)} Rule "${rule.name}": ${remedy(rule.action)}`;
}

function whereOf({ tool, isAnswer }: Pick<Call, 'tool' | 'isAnswer'>, place: string | undefined): string {
  const name = JSON.stringify(tool.publicName.slice(0, 128));
  const at = place === undefined ? undefined : JSON.stringify(place);
  if (isAnswer !== true) return at === undefined ? `The call of ${name}` : `The argument ${at} of ${name}`;
  const answer = `answer to ${name} of "${tool.upstream}"`;
  return at === undefined ? `The ${answer}` : `The value ${at} of the ${answer}`;
}

/** A rule about internal data holds for all that is more private, and who decides should know which it is. */
function labelOf({ rule, source }: Pick<FoundFlow, 'rule' | 'source'>): string {
  const own = source === undefined || !bears(source.marks, rule.from) ? undefined : PRIVACY[privacyOf(source.marks)];
  return own ?? rule.from;
}

function because(what: string, { rule, leaf, source, isGuess }: FoundFlow, role: string): string {
  if (rule.by === 'run')
    return leaf === undefined
      ? `comes after ${what} was read in this conversation, and neither the user nor a trusted source is known to have given what it decides.`
      : `decides ${ROLE_NAMES[leaf.role]} after ${what} was read in this conversation, and nobody trusted is known to have given it.`;
  if (isGuess)
    return `may hold ${what}: more was read in this conversation than is remembered, so it cannot be told${role}.`;
  if (source === undefined) return `holds ${what}${role}.`;
  const from = `${source.upstream}.${source.target}`.slice(0, 200);
  return `holds ${what} from a result of "${from}" (call ${source.callId})${role}.`;
}

function remedy(action: FoundFlow['rule']['action']): string {
  return action === 'deny'
    ? 'such data goes nowhere else. Call again without it; what is meant here the operator allows in "taint.flows".'
    : 'a person has to agree.';
}
