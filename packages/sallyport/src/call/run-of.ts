import type { Client } from '../core/client.ts';
import type { Envelope } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { objectMembers, toBinary } from '../core/json-scan.ts';
import { Notification, type Request } from '../core/message.ts';
import { isRunId, toRunKey } from '../core/run-key.ts';
import { reparse } from '../upstream/request-meta.ts';
import type { Inbound } from './inbound.ts';

/** What a client says of the conversation a request belongs to. All of it is for Sallyport and goes no further. */
const RUN_KEY = 'dev.sallyport/run';
const USER_KEY = 'dev.sallyport/user';
const PLAN_KEY = 'dev.sallyport/plan';
const OWN_KEYS = [RUN_KEY, USER_KEY, PLAN_KEY];

/** Characters. A request of a person is far shorter; more would be a document, whose words are not the person's. */
const MAX_USER_TEXT = 16_384;

/** A request and whose it is. */
export interface Said {
  readonly request: Request;
  readonly exchange: { readonly client: Client };
}

export interface ReadRun<T extends Said = Inbound> {
  readonly run: string;
  readonly user: string | undefined;
  /** Did the client name the run? */
  readonly isOwnRun: boolean;
  /** As the client sent it; the guard `plan` reads it. */
  readonly plan: Json | undefined;
  /** Without the members that are for Sallyport: what the user said is no upstream's business. */
  readonly inbound: T;
}

/**
 * The run of a request: the one its `_meta` names, bound to the principal so that nobody joins another's; else the session;
 * else principal and client program, for as long as the memory of runs keeps an idle one.
 * @throws FaultError `invalid_params` for a run or a user's text that is none.
 */
export function readRun<T extends Said>(inbound: T): ReadRun<T> {
  const { client } = inbound.exchange;
  const meta = ownMembersOf(inbound.request);
  if (meta === undefined) return { run: client.key, user: undefined, isOwnRun: false, plan: undefined, inbound };
  const user = member(meta, USER_KEY);
  if (user !== undefined && (typeof user !== 'string' || user.length > MAX_USER_TEXT))
    throw new FaultError('invalid_params', `_meta["${USER_KEY}"] is a text of at most ${MAX_USER_TEXT} characters.`);
  const request = withoutOwnMembers(inbound.request);
  const named = member(meta, RUN_KEY);
  const about = { isOwnRun: named !== undefined, plan: member(meta, PLAN_KEY) };
  return { run: toRun(client, named), user, ...about, inbound: { ...inbound, request } };
}

/**
 * Whether a run is one conversation: the session of a legacy client, the process of a client on stdio, or what the client
 * names. Every other request of a client without sessions may belong to any.
 */
export function isOneConversation({ client, isOwnRun }: Pick<Envelope, 'client' | 'isOwnRun'>): boolean {
  return isOwnRun || client.era === 'legacy' || client.principal.kind === 'stdio';
}

/** The run of a notification, which comes back without what is for Sallyport. @throws FaultError as {@link readRun} */
export function readNotificationRun(client: Client, given: Notification): { run: string; notification: Notification } {
  const meta = ownMembersOf(given);
  if (meta === undefined) return { run: client.key, notification: given };
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !OWN_KEYS.includes(key)));
  const notification = Notification.of(given.method, { ...given.params, _meta: kept });
  return { run: toRun(client, member(meta, RUN_KEY)), notification };
}

function toRun(client: Client, given: unknown): string {
  if (given === undefined) return client.key;
  if (!isRunId(given))
    throw new FaultError('invalid_params', `_meta["${RUN_KEY}"] is a text of 1 to 128 visible ASCII characters.`);
  return toRunKey(given, client.principal);
}

/** The `_meta` of a request that says something to Sallyport. */
function ownMembersOf({ params }: Pick<Request, 'params'>): JsonObject | undefined {
  const meta = member(params, '_meta');
  return isObject(meta) && OWN_KEYS.some((key) => Object.hasOwn(meta, key)) ? meta : undefined;
}

function withoutOwnMembers(request: Request): Request {
  const holder = request.param('_meta');
  if (holder === undefined) return request;
  const { bytes } = request;
  const kept = objectMembers(bytes, holder.start)
    .filter(({ key }) => !OWN_KEYS.includes(key))
    .map(({ key, start, end }) => `${toBinary(JSON.stringify(key))}:${bytes.toString('latin1', start, end)}`);
  return reparse(request.write(request.id, [{ start: holder.start, end: holder.end, text: `{${kept.join(',')}}` }]));
}
