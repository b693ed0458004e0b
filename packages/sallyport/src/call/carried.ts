import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import type { Notification, Request } from '../core/message.ts';
import { type Carried, NAMES } from '../guard/outgoing.ts';

export interface CarriedOptions {
  /** The URI or the id as its server is sent it. */
  readonly target: string | undefined;
  /** What it names came from the server itself, or was decided with a call before. */
  readonly isKnown: boolean;
  /** What comes back in `requestState` was sealed here. */
  readonly isSealed: boolean;
}

/**
 * What the client calls as it likes stands in `others`, so that none of it passes for what is named here.
 * @throws FaultError `invalid_params` for what could not be read as what it is sent as
 */
export function carriedBy(
  { method, params }: Pick<Request, 'method' | 'params'>,
  { target, isKnown, isSealed }: CarriedOptions,
): Carried {
  const named = isKnown || target === undefined ? NOTHING : { [NAMES]: target };
  // The program's own, as in calls; and what the door for answers reads.
  const ours = ['_meta', 'inputResponses', ...(isSealed ? ['requestState'] : [])];
  const key = KEY_OF.get(method);
  if (key !== undefined) return { values: NOTHING, fixed: { ...named, ...toOthers(without(params, key, ...ours)) } };
  if (method === 'prompts/get') {
    const others = toOthers(without(params, 'name', 'arguments', ...ours));
    return { values: toObject(params, 'arguments'), fixed: others };
  }
  if (method !== 'completion/complete')
    return { values: NOTHING, fixed: { method, ...toOthers(without(params, ...ours)) } };
  const [ref, argument, context] = [toObject(params, 'ref'), toObject(params, 'argument'), toObject(params, 'context')];
  const { name, value } = argument;
  if (typeof name !== 'string') throw invalid('argument', 'needs a "name" that is a string');
  const isResource = member(ref, 'type') === 'ref/resource';
  const others = toOthers(
    without(ref, 'type', isResource ? 'uri' : 'name'),
    without(argument, 'name', 'value'),
    without(context, 'arguments'),
    without(params, 'ref', 'argument', 'context', ...ours),
  );
  return {
    values: { value, context: toObject(context, 'arguments') },
    fixed: { ...(isResource ? named : {}), name, ...others },
  };
}

/** The edits that give a request these values of {@link carriedBy}, and the name among what is fixed. */
export function writeCarried(request: Request, { values, fixed }: Carried): readonly Edit[] {
  const { method, params } = request;
  const name = member(fixed, NAMES);
  const key = KEY_OF.get(method);
  if (key !== undefined) return name === undefined ? [] : [request.setParam(key, JSON.stringify(name))];
  if (method === 'prompts/get')
    return 'arguments' in params ? [request.setParam('arguments', JSON.stringify(values))] : [];
  const edits: Edit[] = [];
  if (name !== undefined) edits.push(request.setInParam('ref', 'uri', JSON.stringify(name)));
  const { value, context } = values;
  if (value !== undefined) edits.push(request.setInParam('argument', 'value', JSON.stringify(value)));
  if (isObject(member(params['context'], 'arguments')))
    edits.push(request.setInParam('context', 'arguments', JSON.stringify(context)));
  return edits;
}

/** News that a client has for a server: nothing of them can be left out. */
export function carriedByNews({ method, params }: Notification): Carried {
  return { values: NOTHING, fixed: { method, ...toOthers(params) } };
}

/** Where a request names something of its server. */
const KEY_OF: ReadonlyMap<string, string> = new Map([
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
  ['tasks/result', 'taskId'],
]);

const NOTHING: JsonObject = Object.freeze({});

function without(given: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));
}

function toOthers(...all: readonly JsonObject[]): JsonObject {
  const others = all.filter((one) => Object.keys(one).length > 0);
  return others.length === 0 ? NOTHING : { others };
}

function toObject(holder: JsonObject, key: string): JsonObject {
  const value: Json | undefined = member(holder, key);
  if (value !== undefined && !isObject(value)) throw invalid(key, 'has to be an object');
  return value ?? NOTHING;
}

function invalid(key: string, what: string): FaultError {
  return new FaultError('invalid_params', `"${key}" ${what}.`);
}
