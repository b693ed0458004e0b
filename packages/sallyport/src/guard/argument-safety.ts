import {
  ARGUMENT_DANGERS,
  type ArgumentDanger,
  type ArgumentSafetySettings,
  type DangerAction,
} from '../config/argument-safety-section.ts';
import { type Envelope, type FrozenSnapshot, NAME } from '../core/envelope.ts';
import { matchesGlob } from '../core/glob.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { type FoundDanger, findDangers, type Harm } from './argument-safety/find-dangers.ts';
import type { Guard } from './guard.ts';
import { eachText } from './secrets/walk-strings.ts';
import { toShown } from './secrets/weigh-secrets.ts';
import { isTypedIn } from './taint/typed-words.ts';
import { isEmpty, judgeWhole } from './whole.ts';

export interface ArgumentSafetyPorts {
  readonly settings: (snapshot: FrozenSnapshot) => ArgumentSafetySettings;
  /** The request of the user, where the client that brings it is believed. Default: it is not known. */
  readonly requestOf?: ((envelope: Envelope) => string | undefined) | undefined;
}

/** A danger, and the text it is in. */
interface Danger extends FoundDanger {
  readonly text: string;
}

/** What a person and a model read about it. */
const SAID: Readonly<Record<ArgumentDanger | Harm, string>> = {
  metadataAddress: 'leads to the metadata service of a cloud, which hands out credentials',
  headerBreak: 'has a line break that starts another header',
  nul: 'has a NUL character, where programs stop reading names and addresses',
  encodedTraversal: 'has an encoded step to a parent directory',
  traversal: 'climbs out of the directory it starts in',
  outsideRoots: 'lies outside the directories that are declared',
  sensitivePath: 'names a place where credentials lie or programs are started from',
  command: 'has shell syntax that starts a program, or runs what it downloads',
  disguisedCommand: 'has a command that is written so that it is not recognised',
  privateAddress: 'leads to this machine or a private network',
  dataInHost: 'has a host name that carries data',
  nestedEncoding: 'has letters that are encoded more than once',
  instructions: 'gives orders to a model',
};

const ALWAYS: ReadonlySet<string> = new Set(['metadataAddress', 'headerBreak', 'nul', 'encodedTraversal']);

/**
 * Dangers in arguments (requirement G5): what is never harmless is denied, the rest is weighed by configuration. Tools that
 * run code get commands by their purpose; only disguised ones are theirs to be stopped for.
 */
export function argumentSafety({ settings, requestOf }: ArgumentSafetyPorts): Guard {
  return {
    name: 'argument-safety',
    isReader: true,
    kinds: ['call', 'read', 'prompt', 'completion', 'task', 'request', 'subscription', 'client_notification'],
    isOn: (snapshot) => settings(snapshot).enabled,
    judge(envelope) {
      // Which URIs may be read says the section "resources".
      const { [NAME]: _, ...fixed } = envelope.fixed;
      return judgeWhole(isEmpty(envelope.fixed) ? envelope : { ...envelope, fixed }, judge);
    },
  };

  function judge(call: Envelope): Verdict {
    const now = settings(call.snapshot);
    const runsCode = call.tool?.sinks.includes('run_code') === true;
    const options = { runsCode, roots: now.roots, readsTexts: readsTexts(now), harmsOnly: isLenient(now) };
    let found: Danger[] | undefined;
    let long: string | undefined;
    eachText(call.body, (placed) => {
      if (placed.text.length > now.maxText) long ??= placed.pointer;
      for (const one of findDangers(placed, options)) {
        found ??= [];
        found.push({ ...one, text: placed.text });
      }
    });
    if (long !== undefined)
      return {
        kind: 'deny',
        code: 'too_large',
        reason: `The argument ${toShown(long)} is longer than ${now.maxText} characters. Send it in parts, or tell the user.`,
      };
    if (found === undefined) return ALLOW;
    const verdict = weigh(found, call, now);
    if (verdict.kind !== 'ask') return verdict;
    // What the user wrote, word for word, needs no second word of theirs.
    const request = requestOf?.(call);
    if (request === undefined) return verdict;
    const unasked = found.filter(({ text }) => !isTypedIn(request, text));
    return weigh(unasked, call, now);
  }
}

/** Every danger that is weighed is allowed. */
function isLenient({ dangers, rules, roots }: ArgumentSafetySettings): boolean {
  return rules.length === 0 && roots.length === 0 && ARGUMENT_DANGERS.every((danger) => isLet(danger, dangers));
}

function isLet(danger: ArgumentDanger, dangers: ArgumentSafetySettings['dangers']): boolean {
  // Without roots nothing lies outside them.
  return danger === 'outsideRoots' || dangers[danger] === 'allow';
}

function readsTexts({ dangers, rules }: ArgumentSafetySettings): boolean {
  return dangers.instructions !== 'allow' || rules.some(({ action }) => action !== 'allow');
}

function weigh(found: readonly FoundDanger[], place: Place, settings: ArgumentSafetySettings): Verdict {
  const first = (wanted: DangerAction) => found.find(({ danger }) => toAction(danger, place, settings) === wanted);
  const denied = first('deny');
  if (denied !== undefined)
    return {
      kind: 'deny',
      code: 'denied',
      reason: `The argument ${describe(denied)}. Call again without it; ${remedyOf(denied)}`,
    };
  const asked = first('ask');
  return asked === undefined ? ALLOW : { kind: 'ask', reason: `The argument ${describe(asked)}.` };
}

function remedyOf({ danger }: FoundDanger): string {
  return isHarm(danger)
    ? 'nothing allows this one danger, since it is never harmless.'
    : 'if it is meant, only the operator can allow it: tell the user.';
}

function describe({ danger, pointer }: FoundDanger): string {
  return `${toShown(pointer)} ${SAID[danger]} (${danger})`;
}

type Place = Pick<Envelope, 'upstream' | 'target'>;

function toAction(danger: ArgumentDanger | Harm, place: Place, settings: ArgumentSafetySettings): DangerAction {
  // No rule lifts these: who needs them switches the guard off and knows it.
  if (isHarm(danger)) return 'deny';
  const rule = settings.rules.find(
    (one) =>
      (one.upstream === undefined || matchesGlob(one.upstream, place.upstream)) &&
      (one.tool === undefined || matchesGlob(one.tool, place.target)) &&
      (one.dangers === undefined || one.dangers.has(danger)),
  );
  return rule?.action ?? settings.dangers[danger];
}

function isHarm(danger: ArgumentDanger | Harm): danger is Harm {
  return ALWAYS.has(danger);
}
