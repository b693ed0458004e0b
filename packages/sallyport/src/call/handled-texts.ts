import type { PlanSettings } from '../config/plans-section.ts';
import type { Call } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { type Guard, inspectRequest } from '../guard/guard.ts';
import { type HandleStore, handlesIn, type KeptText, openHandles } from '../guard/plan/handle.ts';
import type { Use } from '../guard/plan/plan.ts';
import { keepTexts, veilContents, veilMessages } from '../guard/plan/veil.ts';
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
  /** Of the snapshot in force; `undefined`: there are no handles. */
  readonly settings: () => PlanSettings | undefined;
  readonly handles: HandleStore;
  /** What looks at the opened arguments once more: a kept text may be a path, a command or a secret. */
  readonly guards: readonly Guard[];
}

export function createHandledTexts({ settings, handles, guards }: HandledTextPorts): HandledTexts {
  const open = (call: Call, args: JsonObject, texts: ReadonlyMap<string, KeptText>) => {
    const opened = openHandles(args, (id) => {
      const kept = texts.get(id);
      if (kept === undefined)
        throw new FaultError('denied', 'A handle is not known any longer. Call the tool it came from again.');
      return kept.text;
    }) as JsonObject; // an object stays one
    const decision = inspectRequest(guards, { ...call, arguments: opened });
    const check = ({ verdict, guard, rewritten }: Awaited<typeof decision>): JsonObject => {
      // Its reason may quote the text, which the model must not read.
      if (verdict.kind === 'deny' || verdict.kind === 'ask')
        throw new FaultError('denied', `What a handle stands for was refused by the guard "${guard ?? ''}".`);
      return rewritten ?? opened;
    };
    return decision instanceof Promise ? decision.then(check) : check(decision);
  };
  return {
    toUpstream(call, args) {
      if (settings() === undefined) return undefined;
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
