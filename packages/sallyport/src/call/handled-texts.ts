import type { PlanSettings } from '../config/plans-section.ts';
import type { Call } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { type Guard, inspectRequest } from '../guard/guard.ts';
import { type HandleStore, handlesIn, type KeptText, openHandles } from '../guard/plan/handle.ts';
import type { Use } from '../guard/plan/plan.ts';
import { keepTexts, veilContents, veilMessages } from '../guard/plan/veil.ts';
import { type Of, snapshotOf } from '../guard/snapshot-of.ts';
import { withoutWords } from './kept-servers.ts';

/** Opens handles last of all: records, people who are asked and the model see the handles. */
export interface HandledTexts {
  /**
   * The arguments as the upstream gets them; `undefined`: as they are.
   * @throws FaultError `denied` when a text is not kept any longer, or is nothing the tool may be given.
   */
  toUpstream(call: Call, args: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** What is no result of a call, as a server whose texts are kept answered it, without its words. */
  veil(from: Asked, answer: Answer): Promise<Answer>;
}

/** A request that is no call. */
export interface Asked {
  readonly run: string;
  readonly upstream: string;
  /** As the server calls what is read. */
  readonly uri: string | undefined;
  /** What was read or got; `undefined`: nothing whose texts can be told from the rest. */
  readonly use: Use | undefined;
}

export interface HandledTextPorts {
  /** `undefined`: there are no handles. */
  readonly settings: Of<PlanSettings | undefined>;
  readonly handles: HandleStore;
  /** What looks at the opened arguments once more: a kept text may be a path, a command or a secret. */
  readonly guards: readonly Guard[];
  /**
   * What decides by the values of arguments whether a person is asked. It saw handles, and what they stand for may be what
   * it forbids; what it asks about now it must have asked about then.
   */
  readonly asking: readonly Guard[];
}

/** Characters of all that the handles of one call stand for: one text may be named ten thousand times. */
const MAX_OPENED = 16_777_216;

export function createHandledTexts({ settings, handles, guards, asking }: HandledTextPorts): HandledTexts {
  const open = (call: Call, args: JsonObject, texts: ReadonlyMap<string, KeptText>) => {
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
    const { notes: _, ...seen } = call;
    const whole = { ...seen, arguments: opened };
    const decision = inspectRequest(guards, whole);
    const check = async ({ verdict, guard, rewritten }: Awaited<typeof decision>): Promise<JsonObject> => {
      if (verdict.kind === 'deny' || verdict.kind === 'ask') throw toRefused(guard);
      for (const one of asking) await checkAsked(one, { ...seen, arguments: args }, whole);
      return rewritten ?? opened;
    };
    return decision instanceof Promise ? decision.then(check) : check(decision);
  };
  return {
    toUpstream(call, args) {
      if (settings(snapshotOf(call)) === undefined) return undefined;
      const ids = handlesIn(args);
      if (ids.length === 0) return undefined;
      const found = handles.find(call.run, ids);
      return found instanceof Promise ? found.then((texts) => open(call, args, texts)) : open(call, args, found);
    },
    async veil({ run, upstream, uri, use }, answer) {
      const { result } = answer;
      if (result === undefined) return withoutWords(upstream, answer);
      if (use === undefined || (result['resultType'] ?? 'complete') !== 'complete')
        throw new FaultError('denied', `Texts of "${upstream}" are kept, so that it may neither answer later nor ask.`);
      const toVeiled = use.kind === 'resource' ? veilContents(result, uri ?? use.name) : veilMessages(result);
      return answer.withResult(await keepTexts(handles, { run, upstream }, toVeiled));
    },
  };
}

/** @throws FaultError `denied` for what the guard forbids, or would ask more about than it did. */
async function checkAsked(guard: Guard, seen: Call, whole: Call): Promise<void> {
  const { verdict: now } = await inspectRequest([guard], whole);
  if (now.kind === 'allow') return;
  const { verdict: then } = await inspectRequest([guard], seen);
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
