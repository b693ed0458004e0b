import { isObject, type JsonObject, member } from '../../core/json.ts';
import { type Approval, type GrantScope, NO_RUN } from './approval.ts';

/** More cannot be read in a dialog, and what cannot be read must not be allowed in one. Characters. */
const MAX_SHOWN = 6_000;

const CHOICES = ['allow once', 'allow for this run', 'always allow these arguments', 'deny'] as const;

const SCOPES: ReadonlyMap<string, GrantScope> = new Map<string, GrantScope>([
  ['allow once', 'once'],
  ['allow for this run', 'run'],
  ['always allow these arguments', 'always'],
]);

/** Can this client show a form to its person? A client that names only `url` cannot (2025-11-25 and later). */
export function canShowForm(capabilities: JsonObject): boolean {
  const declared = member(capabilities, 'elicitation');
  if (!isObject(declared)) return false;
  return Object.hasOwn(declared, 'form') || !Object.hasOwn(declared, 'url');
}

/** The params of `elicitation/create`, or `undefined` for arguments that are too long to be read before deciding. */
export function toAskForm(approval: Approval): JsonObject | undefined {
  const shown = showArguments(approval.arguments);
  if (shown.length > MAX_SHOWN) return undefined;
  const why = approval.reasons.map(({ reason }) => `- ${showText(reason)}`).join('\n');
  const choices = CHOICES.filter((choice) => SCOPES.get(choice) !== 'run' || approval.run !== NO_RUN);
  const people = approval.needed === 2 ? '\nTwo people must allow this call; yours is one answer.' : '';
  return {
    message: `Sallyport asks before this call of "${showText(approval.tool)}" on "${approval.upstream}" (approval ${approval.id}):\n${why}\nArguments:\n${shown}${people}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: choices },
        message: { type: 'string', title: 'Message to the model, when denied', maxLength: 1_000 },
      },
      required: ['decision'],
    },
  };
}

export type FormAnswer =
  | { readonly kind: 'allow'; readonly scope: GrantScope }
  | { readonly kind: 'deny'; readonly message: string | undefined };

/** What the person chose; `undefined`: nothing, e.g. the dialog was closed. Only an exact choice allows. */
export function readFormAnswer(result: JsonObject | undefined): FormAnswer | undefined {
  const action = member(result, 'action');
  const content = member(result, 'content');
  const written = member(content, 'message');
  const message = typeof written === 'string' && written !== '' ? written.slice(0, 1_000) : undefined;
  if (action === 'decline') return { kind: 'deny', message };
  if (action !== 'accept') return undefined;
  const decision = member(content, 'decision');
  if (decision === 'deny') return { kind: 'deny', message };
  const scope = typeof decision === 'string' ? SCOPES.get(decision) : undefined;
  return scope === undefined ? undefined : { kind: 'allow', scope };
}

/** Arguments as a person must see them: nothing invisible, nothing that changes the order of reading. */
export function showArguments(given: JsonObject): string {
  return JSON.stringify(given, undefined, 2).replace(UNSHOWN, spellOut);
}

function showText(text: string): string {
  return text.slice(0, 500).replace(UNSHOWN, spellOut);
}

/** Controls but the line break, invisible and direction marks, and all that only looks like a space. */
const UNSHOWN =
  /(?!\n)(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\u00a0\u115f\u1160\u2000-\u200f\u202f\u205f-\u206f\u3164\ufeff\uffa0\ufff0-\uffff]|\u034f|[\u{e0000}-\u{e0fff}])/gu;

function spellOut(sign: string): string {
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
