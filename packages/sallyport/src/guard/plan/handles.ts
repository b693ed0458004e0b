import { isKept, type PlanSettings } from '../../config/plans-section.ts';
import { definitionOf, type Envelope, type FrozenSnapshot } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { mayEcho } from './echo.ts';
import { type HandleStore, handlesIn, type KeptText } from './handle.ts';
import { type FixedPlan, plansHandle } from './plan.ts';
import type { PlanStore } from './plan-guard.ts';
import { keepTexts, type ToVeiled, veilContents, veilMessages, veilResult } from './veil.ts';
import { withoutWords } from './without-words.ts';

export interface HandlePorts {
  readonly settings: (snapshot?: FrozenSnapshot) => PlanSettings | undefined;
  readonly handles: HandleStore;
  readonly plans: Pick<PlanStore, 'find'>;
}

/** Keeps what untrusted servers say out of the model's context, and asks before it goes where no plan sent it. */
export function handles(ports: HandlePorts): Guard {
  const settingsOf = (envelope: Envelope) => ports.settings(envelope.snapshot);
  /** A server that is given a kept text may say it, whoever it is. */
  const isQuiet = ({ kind, body }: Envelope) => kind === 'call' && handlesIn(body).length > 0;
  return {
    name: 'handles',
    kinds: [
      ...(['call', 'read', 'completion', 'task', 'request'] as const),
      ...(['result', 'contents', 'error', 'server_request', 'server_notification'] as const),
    ],
    isOn: (snapshot) => ports.settings(snapshot) !== undefined,
    reads(asked) {
      const settings = settingsOf(asked);
      return settings !== undefined && (isKept(settings, asked.upstream) || isQuiet(asked));
    },
    judge(envelope) {
      const settings = settingsOf(envelope);
      if (settings === undefined) return ALLOW;
      const { kind, asked } = envelope;
      if (kind === 'call') {
        const ids = handlesIn(envelope.body);
        return ids.length === 0 ? ALLOW : judge(ports, envelope, ids);
      }
      const isKeptServer = isKept(settings, envelope.upstream);
      if (kind === 'result') return isKeptServer ? keep(ports, envelope) : keepEcho(ports, envelope);
      if (!isKeptServer && (asked === undefined || !isQuiet(asked))) return ALLOW;
      return kind === 'contents' && asked?.kind !== 'subscription' ? keep(ports, envelope) : withoutWords(envelope);
    },
  };
}

/** What comes later, or asks, would reach the client past this door. */
function asks(result: JsonObject): boolean {
  return result['task'] !== undefined || (result['resultType'] ?? 'complete') !== 'complete';
}

/** The result of a server that was given kept texts may repeat them. */
function keepEcho(ports: HandlePorts, envelope: Envelope): Verdict | Promise<Verdict> {
  const { asked, body } = envelope;
  const ids = asked === undefined ? [] : handlesIn(asked.body);
  if (ids.length === 0) return ALLOW;
  const look = (texts: ReadonlyMap<string, KeptText>) => {
    const given = ids.flatMap((id) => texts.get(id)?.text ?? []);
    // What is not kept any longer cannot be looked for.
    return given.length === ids.length && !asks(body) && !mayEcho(body, given) ? ALLOW : keep(ports, envelope);
  };
  const found = ports.handles.find(envelope.run, ids);
  return found instanceof Promise ? found.then(look) : look(found);
}

function keep({ handles: store }: HandlePorts, envelope: Envelope): Verdict | Promise<Verdict> {
  const { upstream, run, kind, body } = envelope;
  const toKept = asks(body) ? undefined : toVeiled(envelope);
  if (toKept === undefined)
    return deny(
      kind === 'result'
        ? `This result of "${upstream}" is kept, so that it may neither answer later nor ask: call the tool without a task.`
        : `Texts of "${upstream}" are kept, so that it may neither answer later nor ask.`,
    );
  const toVerdict = (value: JsonObject): Verdict => ({
    kind: 'rewrite',
    value,
    reason: `This result of "${upstream}" is kept: arguments of other calls may name its handles.`,
  });
  const veiled = keepTexts(store, { run, upstream }, toKept);
  return veiled instanceof Promise ? veiled.then(toVerdict) : toVerdict(veiled);
}

/** `undefined`: nothing whose texts can be told from the rest. */
function toVeiled(envelope: Envelope): ToVeiled | undefined {
  const { asked, body, target } = envelope;
  if (envelope.kind === 'result') return veilResult(body, definitionOf(envelope)['outputSchema']);
  if (asked?.kind === 'read') return veilContents(body, target);
  return asked?.kind === 'prompt' ? veilMessages(body) : undefined;
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}

/** A kept text returns to its own server freely; elsewhere it goes by plan, or by a person's word. */
function judge(
  { handles: store, plans }: HandlePorts,
  call: Envelope,
  ids: readonly string[],
): Verdict | Promise<Verdict> {
  const found = store.find(call.run, ids);
  const fixed = plans.find(call.run);
  return found instanceof Promise || fixed instanceof Promise
    ? Promise.all([found, fixed]).then(([texts, one]) => judgeFound(call, ids, { texts, fixed: one }))
    : judgeFound(call, ids, { texts: found, fixed });
}

interface Known {
  readonly texts: ReadonlyMap<string, KeptText>;
  readonly fixed: FixedPlan | undefined;
}

function judgeFound(call: Envelope, ids: readonly string[], { texts, fixed }: Known): Verdict {
  const { upstream, publicTarget } = call;
  const found = ids.map((id) => texts.get(id));
  if (found.includes(undefined))
    return {
      kind: 'deny',
      code: 'denied',
      reason:
        'A handle in the arguments is not known in this run, or not any longer. Call the tool it came from again.',
    };
  const foreign = found.filter((kept) => kept?.upstream !== upstream);
  if (foreign.length === 0 || (fixed !== undefined && plansHandle(fixed, call))) return ALLOW;
  const from = [...new Set(foreign.map((kept) => `"${kept?.upstream ?? ''}"`))].join(', ');
  const size = foreign.reduce((sum, kept) => sum + (kept?.text.length ?? 0), 0);
  return {
    kind: 'ask',
    reason: `The call of "${publicTarget.slice(0, 128)}" would take ${size} characters that ${from} wrote, unseen, to "${upstream}", and no plan says so: a person has to agree.`,
  };
}
