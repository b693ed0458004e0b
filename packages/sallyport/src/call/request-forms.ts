import { type Envelope, type EnvelopeKind, NAME, NOTHING } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import type { Notification, Request } from '../core/message.ts';
import type { Carried } from '../guard/whole.ts';
import { reparse, setMeta, withoutParams } from '../upstream/request-meta.ts';

/** Requests of clients that are relayed. What is followed goes another way to its server (`follow.ts`). */
export type RequestKind = Extract<EnvelopeKind, 'call' | 'read' | 'prompt' | 'completion' | 'task' | 'request'>;

/** How the requests of one kind are read and written. */
interface Form {
  /** The member of the params that names a thing of the server. */
  readonly key: string | undefined;
  /** The member of the params that a person or a model filled in. */
  readonly body: string | undefined;
}

const FORMS: Readonly<Record<Exclude<RequestKind, 'completion'>, Form>> = {
  call: { key: 'name', body: 'arguments' },
  read: { key: 'uri', body: undefined },
  prompt: { key: 'name', body: 'arguments' },
  task: { key: 'taskId', body: undefined },
  request: { key: undefined, body: undefined },
};

export interface ReadOptions {
  /** The URI or the id as its server is sent it; `undefined`: what it names came from the server itself, or was decided before. */
  readonly named: string | undefined;
  /** What comes back in `requestState` was sealed here. */
  readonly isSealed: boolean;
}

/**
 * The body of a request, and what is fixed in it.
 * @throws FaultError `invalid_params` for what could not be read as what it is sent as
 */
export function readRequest(kind: RequestKind, { method, params }: Request, options: ReadOptions): Carried {
  if (kind === 'completion') return readCompletion(params, options);
  const { key, body } = FORMS[kind];
  const others = othersOf(params, [key, body], options.isSealed);
  const given = body === undefined ? NOTHING : toObject(params, body);
  // The method of what this program does not know is a text of the client's, too.
  return { body: given, fixed: toFixed(options.named, kind === 'request' ? { method } : NOTHING, others) };
}

/** The edits that give a request this target and body. */
export function writeRequest(
  kind: RequestKind,
  request: Request,
  {
    target,
    body,
    isChanged,
  }: { readonly target: string | undefined; readonly body: JsonObject; readonly isChanged: boolean },
): Edit[] {
  if (kind === 'completion') return writeCompletion(request, target, isChanged ? body : undefined);
  const form = FORMS[kind];
  const edits: Edit[] = [];
  if (form.key !== undefined && target !== undefined && request.params[form.key] !== target)
    edits.push(request.setParam(form.key, JSON.stringify(target)));
  if (form.body !== undefined && isChanged) edits.push(request.setParam(form.body, JSON.stringify(body)));
  return edits;
}

/** The request without the members that the protocol does not define: a person was not shown them. */
export function withoutOthers({ fixed }: Pick<Envelope, 'fixed'>, request: Request): Request {
  const { others } = fixed;
  if (!isObject(others)) return request;
  const { _meta: meta, task, ...whole } = others;
  const left = withoutParams(request, [], new Set(Object.keys(whole)));
  const edits = [
    ...(isObject(meta) ? [setMeta(left, new Map(Object.keys(meta).map((key) => [key, undefined])))] : []),
    ...(task === undefined ? [] : [left.setParam('task', JSON.stringify(pick(left.params['task'], TASK)))]),
  ];
  return edits.length === 0 ? left : reparse(left.write(left.id, edits));
}

function pick(value: Json | undefined, known: ReadonlySet<string>): JsonObject {
  const members = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([key, one]) => known.has(key) && typeof one === 'number'));
}

/** A notification of a client: nothing of it can be left out. */
export function readNotification({ method, params }: Notification): Carried {
  const others = othersOf(params, [], false);
  return { body: NOTHING, fixed: toFixed(undefined, { method }, others) };
}

function readCompletion(params: JsonObject, { named, isSealed }: ReadOptions): Carried {
  const [ref, argument, context] = [toObject(params, 'ref'), toObject(params, 'argument'), toObject(params, 'context')];
  const { name, value } = argument;
  if (typeof name !== 'string') throw invalid('argument', 'needs a "name" that is a string');
  const isResource = member(ref, 'type') === 'ref/resource';
  const others = joinOthers(
    without(ref, 'type', isResource ? 'uri' : 'name'),
    without(argument, 'name', 'value'),
    without(context, 'arguments'),
    othersOf(params, ['ref', 'argument', 'context'], isSealed),
  );
  return {
    body: { value, context: toObject(context, 'arguments') },
    fixed: toFixed(isResource ? named : undefined, { name }, others),
  };
}

function writeCompletion(request: Request, target: string | undefined, body: JsonObject | undefined): Edit[] {
  const { params } = request;
  const edits: Edit[] = [];
  const key = member(params['ref'], 'type') === 'ref/resource' ? 'uri' : 'name';
  if (target !== undefined && member(params['ref'], key) !== target)
    edits.push(request.setInParam('ref', key, JSON.stringify(target)));
  if (body === undefined) return edits;
  const { value, context } = body;
  if (value !== undefined) edits.push(request.setInParam('argument', 'value', JSON.stringify(value)));
  if (isObject(member(params['context'], 'arguments')))
    edits.push(request.setInParam('context', 'arguments', JSON.stringify(context)));
  return edits;
}

/** What the door for responses reads, and what is judged with the plan and the run. */
const RESPONSES = 'inputResponses';
/** Members of `_meta` that the protocol defines (2026-07-28 basic#meta): the upstream's side writes them anew. */
const META: ReadonlySet<string> = new Set([
  'progressToken',
  ...['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'].map((key) => `io.modelcontextprotocol/${key}`),
]);

/** Members that the protocol does not define. The usual request has none, and costs one look at each name. */
function othersOf(params: JsonObject, known: readonly (string | undefined)[], isSealed: boolean): JsonObject {
  let others: [string, Json][] | undefined;
  for (const key in params) {
    const value = params[key];
    if (value === undefined || known.includes(key) || key === RESPONSES || (isSealed && key === 'requestState'))
      continue;
    const left = key === '_meta' ? withoutKnown(value, META) : key === 'task' ? withoutKnown(value, TASK) : value;
    if (left === undefined) continue;
    others ??= [];
    others.push([key, left]);
  }
  return others === undefined ? NOTHING : Object.fromEntries(others);
}

/** 2025-11-25 tasks#task-creation: how long the result is kept, a number. */
const TASK: ReadonlySet<string> = new Set(['ttl']);

/** `undefined`: nothing is left. */
function withoutKnown(value: Json, known: ReadonlySet<string>): Json | undefined {
  if (!isObject(value)) return value;
  let left: [string, Json][] | undefined;
  for (const key in value) {
    const one = value[key];
    if (one === undefined || (known.has(key) && (known !== TASK || typeof one === 'number'))) continue;
    left ??= [];
    left.push([key, one]);
  }
  return left && Object.fromEntries(left);
}

function toFixed(named: string | undefined, own: JsonObject, others: JsonObject): JsonObject {
  if (named === undefined && own === NOTHING && others === NOTHING) return NOTHING;
  // What the client calls as it likes is in `others`, so that none of it passes for what is named here.
  return {
    ...(named === undefined ? {} : { [NAME]: named }),
    ...own,
    ...(others === NOTHING ? {} : { others }),
  };
}

function joinOthers(...all: readonly JsonObject[]): JsonObject {
  const others = all.filter((one) => Object.keys(one).length > 0);
  return others.length === 0 ? NOTHING : { parts: others };
}

function without(given: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));
}

function toObject(holder: JsonObject, key: string): JsonObject {
  const value: Json | undefined = member(holder, key);
  if (value !== undefined && !isObject(value)) throw invalid(key, 'has to be an object');
  return value ?? NOTHING;
}

function invalid(key: string, what: string): FaultError {
  return new FaultError('invalid_params', `"${key}" ${what}.`);
}
