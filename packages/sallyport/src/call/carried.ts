import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import type { Notification, Request } from '../core/message.ts';
import { NAMES, type Outgoing } from '../guard/outgoing.ts';

/** What a person or a model filled into a request that is no call of a tool. */
export type Carried = Pick<Outgoing, 'values' | 'fixed'>;

/** Members that others read: the door for answers, and the seal of what comes back. `_meta` is the program's, as in calls. */
const READ_ELSEWHERE = ['_meta', 'inputResponses', 'requestState'];

/**
 * @param target the URI or the id as its server is sent it
 * @param isKnown what it names came from the server itself, or was decided with a call before
 * @throws FaultError `invalid_params` for what could not be read as what it is sent as
 */
export function carriedBy(
  { method, params }: Pick<Request, 'method' | 'params'>,
  { target, isKnown }: { readonly target: string | undefined; readonly isKnown: boolean },
): Carried {
  const named = isKnown || target === undefined ? {} : { [NAMES]: target };
  const key = KEY_OF.get(method);
  if (key !== undefined) return { values: NOTHING, fixed: { ...named, ...without(params, key) } };
  if (method === 'prompts/get')
    return { values: toObject(params, 'arguments'), fixed: without(params, 'name', 'arguments') };
  if (method !== 'completion/complete') return { values: NOTHING, fixed: { method, ...without(params) } };
  const [ref, argument, context] = ['ref', 'argument', 'context'].map((one) => toObject(params, one));
  const { name, value } = argument ?? NOTHING;
  if (typeof name !== 'string') throw invalid('argument', 'has a "name", which is a string');
  const isResource = member(ref, 'type') === 'ref/resource';
  const others = [without(ref ?? NOTHING, 'type', 'name', 'uri'), without(argument ?? NOTHING, 'name', 'value')];
  const rest = [...others, without(context ?? NOTHING, 'arguments'), without(params, 'ref', 'argument', 'context')];
  return {
    values: { value, context: toObject(context ?? NOTHING, 'arguments') },
    fixed: { ...(isResource ? named : {}), name, others: rest.filter((one) => Object.keys(one).length > 0) },
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
  return { values: NOTHING, fixed: { method, ...params } };
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
  const left = Object.entries(given).filter(([key]) => !keys.includes(key) && !READ_ELSEWHERE.includes(key));
  return left.length === 0 ? NOTHING : Object.fromEntries(left);
}

function toObject(holder: JsonObject, key: string): JsonObject {
  const value: Json | undefined = member(holder, key);
  if (value !== undefined && !isObject(value)) throw invalid(key, 'is an object');
  return value ?? NOTHING;
}

function invalid(key: string, what: string): FaultError {
  return new FaultError('invalid_params', `The member "${key}" of the request ${what}.`);
}
