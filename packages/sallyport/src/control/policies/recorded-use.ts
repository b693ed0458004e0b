import type { Offer } from '../../core/access.ts';
import type { Tool } from '../../core/call.ts';
import { type Client, toDeclaration } from '../../core/client.ts';
import { type Envelope, NOTHING } from '../../core/envelope.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import type { Principal } from '../../core/principal.ts';
import { SINK_CLASSES, type SinkClass } from '../../core/sink.ts';
import type { OfferUse } from '../../guard/policy/policy-engine.ts';
import { isHiddenTarget } from '../../telemetry/audit/hide-values.ts';

/** A recorded request as the policies see one. */
export type RecordedUse = RecordedCall | RecordedOffer;

export interface RecordedOffer {
  readonly kind: 'offer';
  readonly at: number;
  readonly use: OfferUse;
  readonly hasArguments: boolean;
}

export interface RecordedCall {
  readonly kind: 'call';
  readonly at: number;
  readonly call: Envelope;
  /** False: the record holds their digest, and what depends on them cannot be told. */
  readonly hasArguments: boolean;
}

/**
 * @param record a call of the audit, its admission and its end as one object
 * @returns `undefined`: the record does not say what was called
 */
export function readRecordedUse(record: JsonObject, definition: JsonObject | undefined): RecordedUse | undefined {
  const { upstream, tool: target, method } = record;
  const at = Date.parse(String(record['time']));
  const client = readClient(record);
  if (typeof upstream !== 'string' || typeof target !== 'string' || client === undefined || Number.isNaN(at))
    return undefined;
  if (method === 'tools/call') {
    const { hasArguments, given } = readGiven(record);
    const hints = record['hints'];
    const tool: Tool = {
      upstream,
      name: target,
      publicName: target,
      definition: definition ?? {},
      digest: String(record['toolDigest'] ?? ''),
      setAside: undefined,
      approvedHints: isObject(hints) ? hints : {},
      sinks: readSinks(record['sinks']),
    };
    return { kind: 'call', at, hasArguments, call: toCall(String(record['callId']), { tool, client, given }) };
  }
  const kind = OFFERS.get(String(method));
  if (kind === undefined || (kind === 'resource' && isHiddenTarget(target))) return undefined;
  const { hasArguments, given } = readGiven(record);
  const inner = member(given, 'arguments');
  const use = { offer: { kind, upstream, id: target }, client, arguments: isObject(inner) ? inner : {} };
  return { kind: 'offer', at, use, hasArguments: hasArguments || kind === 'resource' };
}

/** A call that nobody made, or long ago. */
export function toCall(
  id: string,
  { tool, client, given }: { readonly tool: Tool; readonly client: Client; readonly given: JsonObject },
): Envelope {
  const { upstream, name: target, publicName: publicTarget } = tool;
  return {
    ...{ kind: 'call', id, client, endpoint: { kind: 'all' }, run: client.key, user: undefined, isOwnRun: false },
    ...{ plan: undefined, snapshot: { version: 0 }, upstream, target, publicTarget, item: 'tool', tool },
    ...{ body: given, fixed: NOTHING, bytes: 0, shown: undefined, notes: undefined, asked: undefined },
  };
}

const OFFERS: ReadonlyMap<string, Offer['kind']> = new Map([
  ['resources/read', 'resource'],
  ['prompts/get', 'prompt'],
]);

/** The value, where it was recorded; nothing at all, where nothing was given. A refused call keeps no arguments. */
function readGiven(record: JsonObject): { readonly hasArguments: boolean; readonly given: JsonObject } {
  const value = record['argumentsValue'];
  if (isObject(value)) return { hasArguments: true, given: value };
  const wasAdmitted = record['outcome'] !== 'denied';
  return { hasArguments: wasAdmitted && record['arguments'] === undefined, given: {} };
}

export function readSinks(value: Json | undefined): readonly SinkClass[] {
  return SINK_CLASSES.filter((sink) => Array.isArray(value) && value.includes(sink));
}

function readClient(record: JsonObject): Client | undefined {
  const principal = record['principal'];
  if (!isObject(principal) || typeof member(principal, 'id') !== 'string') return undefined;
  const rights = record['rights'];
  const groups = member(rights, 'groups');
  const whole = { ...principal, ...(isObject(rights) ? rights : {}), groups: Array.isArray(groups) ? groups : [] };
  const name = member(record['client'], 'name');
  const version = member(record['client'], 'version');
  return {
    key: '',
    principal: whole as unknown as Principal, // written by the audit from a principal
    info: { name: String(name ?? ''), version: String(version ?? '') },
    ...toDeclaration('modern', {}),
  };
}
