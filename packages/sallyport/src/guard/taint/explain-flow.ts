import { PRIVACY, type Role } from '../../config/taint-section.ts';
import type { SinkClass } from '../../core/sink.ts';
import type { FoundFlow } from './judge-call.ts';
import { bears, privacyOf } from './labels.ts';
import type { AskedLeaf } from './read-call.ts';
import { type Evidence, findBearing } from './vouch.ts';
import { pathOf, toPointer } from './walk-leaves.ts';

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  recipient: 'recipient',
  address: 'address',
  path: 'path',
  command: 'command',
  amount: 'amount',
  content: 'content',
  other: 'value',
};

const EFFECTS: Readonly<Record<SinkClass, string>> = {
  delete: 'delete something',
  pay: 'move money',
  send_out: 'send something out',
  run_code: 'run code',
  change_rights: 'change who may do what',
  credentials: 'touch credentials',
  write_public: 'make something public',
};

/**
 * What a person reads who has to decide, and a model that is to do otherwise: which value, from where, and what to do next. In
 * brackets what is in the record as well: argument, call, rule.
 */
export function explainFlow(flow: FoundFlow, evidence: Evidence): string {
  const { rule } = flow;
  const said =
    rule.to.opaque === true
      ? explainOpaque(flow, evidence)
      : rule.by === 'run'
        ? explainRun(flow, evidence)
        : explainValue(flow, evidence);
  return `${said} ${remedy(flow)} ${traceOf(flow)}`;
}

function explainValue({ rule, leaf, source, isGuess }: FoundFlow, evidence: Evidence): string {
  const isUntrusted = rule.from === 'untrusted';
  const what = nameOf(leaf, evidence, isUntrusted);
  const label = isUntrusted ? 'untrusted content' : `${labelOf({ rule, source })} data`;
  if (isGuess) return `${what} may hold ${label}: this conversation has read more than can be remembered.`;
  const from = source === undefined ? 'an earlier result' : `${source.upstream}.${source.target}`.slice(0, 200);
  return isUntrusted ? `${what} comes from ${from}, which is untrusted.` : `${what} holds ${label} from ${from}.`;
}

function explainRun({ leaf }: FoundFlow, evidence: Evidence): string {
  const { sinks, deed, user, recall } = evidence;
  const after = `after untrusted content${recall.origins.length === 0 ? '' : ` of ${recall.origins.slice(0, 3).join(', ')}`} was read`;
  if (leaf !== undefined)
    return `${nameOf(leaf, evidence, true)} was made up ${after}: neither the user nor a trusted source gave it.`;
  const does = sinks.length > 0 ? sinks.map((sink) => EFFECTS[sink]).join(' and ') : `call ${nameOfTool(evidence)}`;
  if (deed === 'change' || (deed === 'effect' && user !== undefined))
    return `This would ${does} ${after}, and the request of the user is not known to ask for that with these values.`;
  return `This would ${does} ${after}, and neither the user nor a trusted source is known to have given what decides it.`;
}

function explainOpaque({ leaf, rule }: FoundFlow, evidence: Evidence): string {
  return `${nameOf(leaf, evidence, false)} has a part that nobody can read and no result gave: it may be ${rule.from} data that this conversation has read, encrypted.`;
}

/** A value that decides something is shown, so that the user can confirm it; what may be private is not. */
function nameOf(leaf: AskedLeaf | undefined, evidence: Evidence, isShown: boolean): string {
  const { call, recall } = evidence;
  const answer =
    call.kind === 'client_response' ? `answer to ${nameOfTool(evidence)} of ${call.upstream.slice(0, 128)}` : undefined;
  const whose = answer === undefined ? '' : ` of the ${answer}`;
  if (leaf === undefined || leaf.leaf.place === undefined) return `The ${answer ?? `call of ${nameOfTool(evidence)}`}`;
  const { text, isName } = leaf.leaf;
  const decides = isShown && leaf.role !== 'content' && leaf.role !== 'other';
  if (!decides || isName || isPrivate(leaf, evidence) || recall.isFull)
    return `The ${decides ? ROLE_NAMES[leaf.role] : 'value'} in ${JSON.stringify(pointerOf(leaf))}${whose}`;
  return `The ${ROLE_NAMES[leaf.role]} ${toShownValue(text)}${whose}`;
}

/** One line, cut: servers chose it. */
export function toShownValue(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, 120);
}

function isPrivate({ words, grams, pieces }: AskedLeaf, { recall }: Evidence): boolean {
  const holds = (range: AskedLeaf['words']) => findBearing(recall, 'internal', range).count > 0;
  return holds(words) || holds(grams) || pieces.some(holds);
}

function nameOfTool({ call }: Evidence): string {
  return (call.tool?.publicName ?? call.target).slice(0, 128);
}

export function pointerOf({ leaf }: AskedLeaf): string {
  return toPointer(pathOf(leaf)).slice(0, 200);
}

/** A rule about internal data holds for all that is more private, and who decides should know which it is. */
function labelOf({ rule, source }: Pick<FoundFlow, 'rule' | 'source'>): string {
  const own = source === undefined || !bears(source.marks, rule.from) ? undefined : PRIVACY[privacyOf(source.marks)];
  return own ?? rule.from;
}

function remedy({ rule, leaf }: FoundFlow): string {
  if (rule.action === 'deny') return 'It may go nowhere else. Call again without it.';
  return leaf === undefined
    ? 'Ask the user to confirm this call, then call again.'
    : 'Ask the user to confirm it, then call again.';
}

function traceOf({ rule, leaf, source }: FoundFlow): string {
  const parts = [
    leaf === undefined || leaf.leaf.place === undefined ? undefined : `argument ${JSON.stringify(pointerOf(leaf))}`,
    source === undefined ? undefined : `result of call ${source.callId}`,
    `rule "${rule.name}"`,
  ];
  return `(${parts.filter((part) => part !== undefined).join(', ')})`;
}
