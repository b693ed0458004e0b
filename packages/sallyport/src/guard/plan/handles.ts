import { isKept, type PlanSettings } from '../../config/plans-section.ts';
import type { Call } from '../../core/call.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type HandleStore, handlesIn, toHandle } from './handle.ts';
import { plansHandle } from './plan.ts';
import type { PlanStore } from './plan-guard.ts';

export interface HandlePorts {
  readonly settings: () => PlanSettings | undefined;
  readonly handles: HandleStore;
  readonly plans: Pick<PlanStore, 'find'>;
}

/** Deeper than this, output schemas of real servers declare nothing. */
const MAX_DEPTH = 16;

/** Keeps what untrusted servers answer out of the model's context, and asks before it goes where no plan sent it. */
export function handles(ports: HandlePorts): Guard {
  const keeps = (call: Call): boolean => {
    const settings = ports.settings();
    return settings !== undefined && isKept(settings, call.tool.upstream);
  };
  return {
    name: 'handles',
    request(call) {
      if (ports.settings() === undefined) return ALLOW;
      const ids = handlesIn(call.arguments);
      return ids.length === 0 ? ALLOW : judge(ports, call, ids);
    },
    readsResult: keeps,
    result(call, result) {
      if (!keeps(call)) return ALLOW;
      // What comes later, or asks, would reach the client past this door.
      if (result['task'] !== undefined || (result['resultType'] ?? 'complete') !== 'complete')
        return {
          kind: 'deny',
          code: 'denied',
          reason: `Results of "${call.tool.upstream}" are kept, so that it may neither answer later nor ask: call the tool without a task.`,
        };
      const keep = (text: string): string =>
        toHandle(ports.handles.keep(call.run, { text, upstream: call.tool.upstream }));
      return {
        kind: 'rewrite',
        value: toKept(call, result, keep),
        reason: `Results of "${call.tool.upstream}" are kept: arguments of other calls may name their handles.`,
      };
    },
  };
}

/** A kept text returns to its own server freely; elsewhere it goes by plan, or by a person's word. */
function judge({ handles: store, plans }: HandlePorts, call: Call, ids: readonly string[]): Verdict {
  const { tool, run } = call;
  const found = ids.map((id) => store.find(run, id));
  if (found.includes(undefined))
    return {
      kind: 'deny',
      code: 'denied',
      reason:
        'A handle in the arguments is not known in this run, or not any longer. Call the tool it came from again.',
    };
  const foreign = found.filter((kept) => kept?.upstream !== tool.upstream);
  const fixed = plans.find(run);
  if (foreign.length === 0 || (fixed !== undefined && plansHandle(fixed, call))) return ALLOW;
  const from = [...new Set(foreign.map((kept) => `"${kept?.upstream ?? ''}"`))].join(', ');
  const size = foreign.reduce((sum, kept) => sum + (kept?.text.length ?? 0), 0);
  return {
    kind: 'ask',
    reason: `The call of "${tool.publicName.slice(0, 128)}" would take ${size} characters that ${from} wrote, unseen, to "${tool.upstream}", and no plan says so: a person has to agree.`,
  };
}

/** The result with a handle for every text of the server; what says nothing by itself (numbers, yes and no) stays. */
function toKept(call: Call, result: JsonObject, keep: (text: string) => string): JsonObject {
  const content = result['content'];
  const items = Array.isArray(content) ? content.filter(isObject) : [];
  const structured = result['structuredContent'];
  const schema = call.tool.definition['outputSchema'];
  const veiled = isObject(schema) && isObject(structured) ? veil(structured, schema, { keep, depth: 0 }) : undefined;
  return {
    // Members this version does not know may hold texts as well.
    ...pick(result, ['isError', 'resultType']),
    content: items.map((item) => ({ type: 'text', text: describe(item, keep) })),
    ...(veiled === undefined ? {} : { structuredContent: veiled }),
  };
}

function pick(result: JsonObject, keys: readonly string[]): JsonObject {
  const known = keys.filter((key) => result[key] === true || result[key] === 'complete');
  return Object.fromEntries(known.map((key) => [key, result[key]])) as JsonObject;
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

function describe(item: JsonObject, keep: (text: string) => string): string {
  const { type, text, data } = item;
  const kept = typeof text === 'string' ? text : typeof data === 'string' ? data : JSON.stringify(item);
  const kind = KINDS.has(type) ? String(type) : 'content';
  return `${keep(kept)} (${kind}, ${kept.length} characters; use the handle alone as an argument)`;
}

interface Veil {
  readonly keep: (text: string) => string;
  readonly depth: number;
}

/** Only what the approved output schema declares keeps its name: names are texts of the server, too. */
function veil(value: Json, schema: Json | undefined, { keep, depth }: Veil): Json {
  if (typeof value === 'string') return keep(value);
  if (typeof value !== 'object' || value === null) return value;
  const declared = isObject(schema) ? schema : {};
  const deeper = { keep, depth: depth + 1 };
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one) => veil(one, declared['items'], deeper));
  const properties = isObject(declared['properties']) ? declared['properties'] : {};
  const members = Object.entries(value)
    .filter(([key]) => Object.hasOwn(properties, key))
    .map(([key, one]): [string, Json] => [key, veil(one ?? null, properties[key], deeper)]);
  return Object.fromEntries(members);
}
