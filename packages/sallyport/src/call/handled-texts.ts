import type { PlanSettings } from '../config/plans-section.ts';
import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { sizeOf } from '../core/large-body.ts';
import { type Chains, type Guard, inspect } from '../guard/guard.ts';
import { type HandleStore, handlesIn, type KeptText, openHandles } from '../guard/plan/handle.ts';

/** Opens handles last of all: records, people who are asked and the model see the handles. */
export interface HandledTexts {
  /**
   * The arguments as the upstream gets them; `undefined`: as they are.
   * @throws FaultError `denied` when a text is not kept any longer, or is nothing the tool may be given.
   */
  toUpstream(call: Envelope, args: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
}

export interface HandledTextPorts {
  /** `undefined`: there are no handles. */
  readonly settings: (snapshot: FrozenSnapshot) => PlanSettings | undefined;
  readonly handles: HandleStore;
  readonly chains: Chains;
}

/** Guards that judge opened arguments once more: a kept text may be a path, a command or a secret. */
const RECHECKED: ReadonlySet<string> = new Set([
  ...['size-and-shape', 'argument-schema', 'argument-safety', 'own-keys', 'secrets-masked', 'secrets'],
]);
/**
 * Guards that decide by the values of arguments whether a person is asked. They saw handles, and what those stand for may be
 * what they forbid; what they ask about now they must have asked about then.
 */
const ASKING: ReadonlySet<string> = new Set(['policy', 'sink-floor']);

/** Characters of all that the handles of one call stand for: one text may be named ten thousand times. */
const MAX_OPENED = 16_777_216;

export function createHandledTexts({ settings, handles, chains }: HandledTextPorts): HandledTexts {
  const open = (call: Envelope, args: JsonObject, texts: ReadonlyMap<string, KeptText>) => {
    let left = MAX_OPENED;
    const opened = openHandles(args, (id) => {
      const kept = texts.get(id);
      if (kept === undefined)
        throw new FaultError('denied', 'A handle is not known any longer. Call the tool it came from again.');
      left -= kept.text.length;
      if (left < 0) throw new FaultError('denied', 'The handles of this call stand for too much text. Name fewer.');
      return kept.text;
    }) as JsonObject; // an object stays one
    // What is decided here is no news for the record, which has the call as it was seen.
    const seen = { ...call, notes: undefined };
    const whole = { ...seen, body: opened, bytes: Math.max(call.bytes, sizeOf(opened)) };
    const { guards } = chains('call', call.snapshot);
    const decision = inspect(
      guards.filter(({ name }) => RECHECKED.has(name)),
      whole,
    );
    const check = async ({ verdict, guard, rewritten }: Awaited<typeof decision>): Promise<JsonObject> => {
      if (verdict.kind === 'deny' || verdict.kind === 'ask') throw toRefused(guard);
      for (const one of guards) if (ASKING.has(one.name)) await checkAsked(one, { ...seen, body: args }, whole);
      return rewritten ?? opened;
    };
    return decision instanceof Promise ? decision.then(check) : check(decision);
  };
  return {
    toUpstream(call, args) {
      if (settings(call.snapshot) === undefined) return undefined;
      const ids = handlesIn(args);
      if (ids.length === 0) return undefined;
      const found = handles.find(call.run, ids);
      return found instanceof Promise ? found.then((texts) => open(call, args, texts)) : open(call, args, found);
    },
  };
}

/** @throws FaultError `denied` for what the guard forbids, or would ask more about than it did. */
async function checkAsked(guard: Guard, seen: Envelope, whole: Envelope): Promise<void> {
  const { verdict: now } = await inspect([guard], whole);
  if (now.kind === 'allow') return;
  const { verdict: then } = await inspect([guard], seen);
  const isAsked =
    now.kind === 'ask' &&
    then.kind === 'ask' &&
    (now.people === undefined || then.people === now.people) &&
    (now.classes ?? []).every((one) => then.classes?.includes(one) === true);
  if (!isAsked) throw toRefused(guard.name);
}

/** What each guard that looks at opened arguments is there for. */
const KINDS: ReadonlyMap<string | undefined, string> = new Map([
  ['size-and-shape', 'it is too large, or nested too deeply'],
  ['argument-schema', 'it is not what the schema of the tool has there'],
  ['argument-safety', 'it has a dangerous path, address, command or character'],
  ['own-keys', 'it has a key of Sallyport itself'],
  ['secrets-masked', 'it has a masked secret'],
  ['secrets', 'it has a secret or personal data'],
  ['policy', 'a policy forbids it, or a person would have to agree to it'],
  ['sink-floor', 'a person would have to agree to it'],
]);

/** Without the guard's reason: it may quote the text, which the model must not read. */
function toRefused(guard: string | undefined): FaultError {
  const kind = KINDS.get(guard) ?? 'it is nothing this tool may be given';
  return new FaultError(
    'denied',
    `What a handle stands for was refused by the guard "${guard ?? ''}": ${kind}. Give another handle, or a value of your own; the operator can change the settings of that guard.`,
  );
}
