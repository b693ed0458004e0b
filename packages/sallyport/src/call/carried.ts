import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import type { Request } from '../core/message.ts';
import { NAMES, type Outgoing } from '../guard/outgoing.ts';

/** What a person or a model filled into a request that is no call of a tool. */
export type Carried = Pick<Outgoing, 'values' | 'names'>;

const NOTHING: JsonObject = Object.freeze({});

/**
 * @param target the URI or the id as its server is sent it
 * @param isDecided what it names was decided with a call before
 */
export function carriedBy(
  { method, params }: Pick<Request, 'method' | 'params'>,
  { target, isDecided }: { readonly target: string | undefined; readonly isDecided: boolean },
): Carried {
  if (KEY_OF.has(method)) return { values: NOTHING, names: isDecided ? undefined : target };
  if (method === 'prompts/get') return { values: toObject(member(params, 'arguments')), names: undefined };
  if (method === 'completion/complete') {
    const { argument, context } = params;
    const typed = { [String(member(argument, 'name'))]: member(argument, 'value') };
    return { values: { argument: typed, context: member(context, 'arguments') }, names: undefined };
  }
  // What is not known here carries whatever it has.
  const { _meta: _, ...values } = params;
  return { values, names: undefined };
}

/** The edits that give a request these values; `values` are those of {@link carriedBy}, or named (`toNamed`). */
export function writeCarried(request: Request, values: JsonObject): readonly Edit[] {
  const { method, params } = request;
  const key = KEY_OF.get(method);
  if (key !== undefined) return [request.setParam(key, JSON.stringify(member(values, NAMES)))];
  if (method === 'prompts/get') return [request.setParam('arguments', JSON.stringify(values))];
  if (method === 'completion/complete') {
    const value = Object.values(toObject(values['argument']))[0];
    const edit = request.setInParam('argument', 'value', JSON.stringify(value));
    const { context } = values;
    return context === undefined ? [edit] : [edit, request.setInParam('context', 'arguments', JSON.stringify(context))];
  }
  return Object.entries(values)
    .filter(([name, value]) => value !== member(params, name))
    .map(([name, value]) => request.setParam(name, JSON.stringify(value)));
}

/** Where a request names something of its server. */
const KEY_OF: ReadonlyMap<string, string> = new Map([
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
  ['tasks/result', 'taskId'],
]);

function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}
