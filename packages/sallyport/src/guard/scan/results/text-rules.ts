import type { OwaspTag } from '../../../core/finding.ts';
import { kindsOf, type WordClass } from './lexicon.ts';
import { IS_ADDRESS, IS_HEADING, IS_JOINED, IS_LOUD, IS_NAME, IS_TAGGED } from './words.ts';

/** One word of a rule: of one of these classes, or with one of these marks, at most `gap` words after the one before. */
export interface Step {
  /** 1 at the place of each kind that fits. */
  readonly kinds: Uint8Array;
  readonly marks: number;
  /** Marks it must have beside. */
  readonly only: number;
  readonly gap: number;
}

export interface TextRule {
  readonly id: string;
  readonly owasp: OwaspTag;
  /** How sure it is that the text wants something of a model, 0 to 1. */
  readonly weight: number;
  readonly steps: readonly Step[];
  /** Only as a demand: not where the first word is told of somebody ("attackers ignore …", "to ignore …"). */
  readonly isDemand?: boolean;
  readonly why: string;
}

function step(gap: number, ...classes: readonly (WordClass | 'name' | 'address')[]): Step {
  const words: WordClass[] = [];
  let marks = 0;
  for (const one of classes) {
    if (one === 'name') marks |= IS_NAME;
    else if (one === 'address') marks |= IS_ADDRESS;
    else words.push(one);
  }
  return { kinds: kindsOf(...words), marks, only: 0, gap };
}

const only = (one: Step, marks: number): Step => ({ ...one, only: marks });

const OVERRIDE = 'It tells whoever reads it to set earlier instructions aside.';
const RESPONSE = 'It dictates what the model writes to its user.';
const CALL = 'It demands that a tool be called or a command be run.';
const TASK = 'It gives the reader another task than its user did.';
const PERSIST = 'It wants to be remembered beyond this conversation.';
const DROPPED = 'It wants what the user asked for dropped.';
const ROLE = 'It changes who the model thinks it is.';
const MODEL = 'It speaks to the model that reads it.';
const SKIP = 'It wants a check or an approval passed over.';
const AUTHORITY = 'It claims to speak for the system.';
const SEND = 'It wants what was said sent somewhere.';
const CONCEAL = 'It wants something kept from the user.';
const CODED = 'It wants something decoded and then obeyed.';
const LEAK = 'It asks for the instructions of the model.';

/** What a text wants of a model, by reason. Several together weigh more than each. */
export const TEXT_RULES: readonly TextRule[] = [
  rule(
    'override-instructions',
    0.95,
    OVERRIDE,
    [step(0, 'override'), step(4, 'prior', 'your', 'all'), step(4, 'order')],
    true,
  ),
  rule(
    'override-rules',
    0.5,
    OVERRIDE,
    [step(0, 'override'), step(3, 'prior', 'your'), step(3, 'instruction', 'approval')],
    true,
  ),
  rule('override-after', 0.7, OVERRIDE, [step(0, 'override'), step(3, 'order'), step(3, 'prior')], true),
  rule('override-before', 0.5, OVERRIDE, [step(0, 'override'), step(2, 'earlier', 'your'), step(1, 'said')], true),
  rule(
    'override-before',
    0.5,
    OVERRIDE,
    [step(0, 'none'), step(2, 'heed'), step(3, 'earlier', 'your', 'user'), step(2, 'order', 'said')],
    true,
  ),
  rule('dictate-response', 0.7, RESPONSE, [step(0, 'respond'), step(14, 'your'), step(2, 'response')], true),
  rule('dictate-response', 0.5, RESPONSE, [step(0, 'your'), step(1, 'response'), step(3, 'must'), step(3, 'respond')]),
  rule('reveal-prompt', 0.75, LEAK, [step(0, 'reveal'), step(3, 'system'), step(1, 'order', 'secret')], true),
  rule(
    'reveal-prompt',
    0.75,
    LEAK,
    [step(0, 'reveal'), step(3, 'your'), step(2, 'system', 'prior'), step(2, 'order')],
    true,
  ),
  rule('demand-call', 0.55, CALL, [step(0, 'must'), step(3, 'call'), step(3, 'name')]),
  rule('demand-call', 0.5, CALL, [step(0, 'must'), step(2, 'name'), step(4, 'call')]),
  rule('demand-call', 0.45, CALL, [step(0, 'you'), step(2, 'must'), step(3, 'call'), step(4, 'tool')]),
  rule('demand-call', 0.45, CALL, [step(0, 'must'), step(2, 'call'), step(3, 'tool'), step(6, 'now', 'proceed')]),
  rule('demand-call', 0.35, CALL, [step(0, 'call'), step(2, 'name'), step(2, 'tool')]),
  rule('demand-call', 0.5, CALL, [step(0, 'call'), step(3, 'tool'), step(2, 'now')], true),
  rule('demand-call', 0.55, CALL, [step(0, 'must'), step(3, 'call'), step(2, 'send'), step(6, 'address')]),
  rule('swap-tool', 0.4, 'It sends the model to another tool than the one that was called.', [
    step(0, 'tool'),
    step(8, 'gone'),
    step(4, 'name', 'tool'),
  ]),
  rule('demand-obedience', 0.5, TASK, [step(0, 'must'), step(2, 'obey'), step(6, 'order')]),
  rule('claim-authority', 0.3, AUTHORITY, [only(step(0, 'system', 'fresh', 'must'), IS_LOUD | IS_TAGGED)]),
  rule('claim-authority', 0.3, AUTHORITY, [only(step(0, 'system'), IS_LOUD | IS_HEADING)]),
  rule('claim-authority', 0.3, AUTHORITY, [
    only(step(0, 'system'), IS_LOUD),
    only(step(2, 'system', 'fresh', 'must', 'task', 'order'), IS_LOUD),
  ]),
  rule('override-user', 0.8, OVERRIDE, [step(0, 'override'), step(2, 'user'), step(2, 'task', 'instruction')], true),
  rule('override-everything', 0.6, OVERRIDE, [step(0, 'override'), step(1, 'all'), step(2, 'above')], true),
  rule('override-everything', 0.6, OVERRIDE, [step(0, 'override'), step(2, 'you'), step(3, 'told')], true),
  rule('override-after', 0.6, OVERRIDE, [step(0, 'prior'), step(2, 'order'), only(step(4, 'override'), IS_JOINED)]),
  rule('speak-to-model', 0.4, MODEL, [step(0, 'model'), step(2, 'reader'), step(1, 'reader', 'name')]),
  rule('speak-to-model', 0.4, MODEL, [step(0, 'if'), step(0, 'you'), step(1, 'are'), step(3, 'model')]),
  rule('reveal-prompt', 0.6, LEAK, [step(0, 'reveal'), step(6, 'your'), step(1, 'system'), step(1, 'message')], true),
  rule('skip-approval', 0.35, SKIP, [step(0, 'without'), step(1, 'told', 'conceal'), step(3, 'approval')]),
  rule('claim-approval', 0.35, 'It claims that somebody agreed already.', [
    step(0, 'user', 'someone'),
    step(3, 'enable'),
  ]),
  rule('claim-authority', 0.5, AUTHORITY, [only(step(0, 'system'), IS_LOUD), only(step(1, 'override'), IS_LOUD)]),
  rule('send-conversation', 0.55, SEND, [step(0, 'memory'), step(6, 'send'), step(6, 'address')]),
  rule('send-conversation', 0.55, SEND, [step(0, 'send'), step(4, 'memory'), step(6, 'address')], true),
  rule('fake-end', 0.3, 'It pretends that the data ends and orders begin.', [
    only(step(0, 'respond'), IS_LOUD),
    only(step(3, 'tool', 'response', 'system', 'message', 'task'), IS_LOUD),
  ]),
  rule('stop-task', 0.5, TASK, [step(0, 'stop'), step(1, 'you'), step(1, 'are')], true),
  rule('new-task', 0.5, TASK, [step(0, 'your'), step(2, 'fresh'), step(1, 'task')]),
  rule('new-task', 0.5, TASK, [only(step(0, 'fresh'), IS_LOUD), step(2, 'task')]),
  rule('new-task', 0.4, TASK, [step(0, 'fresh'), only(step(3, 'task'), IS_HEADING)]),
  rule('new-identity', 0.6, ROLE, [step(0, 'you'), step(2, 'are'), step(4, 'mode')]),
  rule('new-identity', 0.5, ROLE, [step(0, 'you'), step(2, 'are'), step(1, 'now'), step(5, 'you')]),
  rule('new-identity', 0.5, ROLE, [
    step(0, 'you'),
    step(1, 'are'),
    step(6, 'model'),
    step(3, 'not'),
    step(1, 'refuse'),
  ]),
  rule('new-task', 0.3, TASK, [step(0, 'real'), step(0, 'order')]),
  rule('new-identity', 0.5, ROLE, [step(0, 'are'), step(4, 'model'), step(2, 'without'), step(2, 'instruction')], true),
  rule('new-identity', 0.5, ROLE, [step(0, 'mode'), step(1, 'mode'), step(2, 'enable')]),
  rule('new-identity', 0.3, ROLE, [step(0, 'enable'), step(2, 'mode'), step(1, 'mode')]),
  rule('conceal', 0.8, CONCEAL, [step(0, 'not'), step(2, 'conceal'), step(3, 'user')], true),
  rule('conceal', 0.35, CONCEAL, [step(0, 'not'), step(2, 'conceal'), step(3, 'someone')], true),
  rule('conceal', 0.35, CONCEAL, [step(0, 'without'), step(1, 'conceal'), step(3, 'user')]),
  rule('persist', 0.35, PERSIST, [step(0, 'always'), step(6, 'remember')]),
  rule('persist', 0.5, PERSIST, [step(0, 'remember'), step(2, 'always')], true),
  rule('skip-approval', 0.6, SKIP, [step(0, 'override'), step(3, 'approval')], true),
  rule('skip-approval', 0.4, SKIP, [step(0, 'enable'), step(3, 'now'), step(2, 'tool', 'call')], true),
  rule('drop-task', 0.5, DROPPED, [step(0, 'now'), step(0, 'stop'), step(0, 'carry')]),
  rule('drop-task', 0.5, DROPPED, [step(0, 'stop'), step(0, 'carry'), step(2, 'now', 'send', 'call', 'drop')], true),
  rule('dictate-response', 0.5, RESPONSE, [
    step(0, 'if'),
    step(0, 'you'),
    step(1, 'told', 'conceal'),
    step(10, 'respond'),
  ]),
  rule('persist', 0.5, PERSIST, [step(0, 'remember', 'respond'), step(1, 'your'), step(2, 'memory')], true),
  rule('pose-as-user', 0.5, 'It poses as the user.', [step(0, 'your'), only(step(0, 'user'), IS_HEADING)]),
  rule('drop-task', 0.3, DROPPED, [step(0, 'drop'), step(2, 'your', 'current', 'user', 'all'), step(2, 'task')], true),
  rule(
    'drop-task',
    0.5,
    DROPPED,
    [step(0, 'not'), step(2, 'carry'), step(3, 'user', 'system'), step(2, 'task', 'order')],
    true,
  ),
  rule('override-everything', 0.4, OVERRIDE, [step(0, 'all'), step(0, 'you'), step(4, 'told')]),
  rule('reveal-prompt', 0.6, LEAK, [step(0, 'reveal'), step(2, 'message', 'memory'), step(1, 'above')], true),
  rule('dictate-response', 0.5, RESPONSE, [step(0, 'if'), step(2, 'your'), step(1, 'response'), step(2, 'respond')]),
  rule('pose-as-user', 0.45, 'It poses as the user.', [
    step(0, 'fresh'),
    step(0, 'task'),
    only(step(2, 'user'), IS_HEADING),
  ]),
  rule('pose-as-user', 0.3, 'It poses as the user.', [step(0, 'task'), step(2, 'user_is'), step(2, 'you')]),
  rule('pose-as-user', 0.4, 'It poses as the user.', [step(0, 'user_is'), step(5, 'you'), step(1, 'you')]),
  rule('new-order', 0.3, 'It wants something done before the task of the user.', [
    step(0, 'prior'),
    step(1, 'you'),
    step(3, 'proceed'),
  ]),
  rule('pose-as-user', 0.7, 'It poses as the user.', [step(0, 'user_is'), step(1, 'user_is', 'are'), step(2, 'user')]),
  rule('follow-hidden', 0.5, CODED, [step(0, 'decode'), step(12, 'obey')], true),
  rule('follow-hidden', 0.5, CODED, [step(0, 'decode'), step(5, 'carry')], true),
  rule('follow-hidden', 0.5, CODED, [step(0, 'decode'), step(6, 'proceed', 'call'), step(3, 'told', 'order')], true),
  rule(
    'send-secret',
    0.4,
    'It wants secrets sent somewhere.',
    [step(0, 'send'), step(8, 'secret'), step(10, 'address')],
    true,
  ),
];

function rule(id: string, weight: number, why: string, steps: readonly Step[], isDemand = false): TextRule {
  return { id, owasp: 'MCP06', weight, steps, why, isDemand };
}
