import { FaultError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { type Edit, objectMembers, toBinary } from '../core/json-scan.ts';
import { type Notification, parseMessage, Request } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';

/** Keys of `_meta` that only a modern upstream understands (2026-07-28, "Per-request protocol fields"). */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

/** Values as JSON text by key; `undefined` removes the member. Keys that are not named keep their bytes. */
export type MetaChanges = ReadonlyMap<string, string | undefined>;

/** The edit that changes `params._meta`, with every other member of it byte for byte as it was. */
export function setMeta(request: Request | Notification, changes: MetaChanges): Edit {
  const holder = request.param('_meta');
  let added = '';
  for (const [key, json] of changes) if (json !== undefined) added += `${added === '' ? '' : ','}"${key}":${json}`;
  if (holder === undefined || !isObject(request.params['_meta'])) return request.setParam('_meta', `{${added}}`);
  const { bytes } = request;
  let kept = '';
  for (const { key, start, end } of objectMembers(bytes, holder.start)) {
    if (changes.has(key)) continue;
    kept += `${toBinary(JSON.stringify(key))}:${bytes.toString('latin1', start, end)},`;
  }
  const text = added === '' ? kept.slice(0, -1) : kept + toBinary(added);
  return { start: holder.start, end: holder.end, text: `{${text}}` };
}

/**
 * A request whose edits and ours cannot collide. Edits that insert may stand where ours would insert: they are applied
 * first, at the price of a second parse that the usual request (a name replaced in place) does not pay.
 */
export function settleEdits({ request, edits }: UpstreamRequest): {
  readonly request: Request;
  readonly edits: readonly Edit[];
} {
  if (edits.every(replaces)) return { request, edits };
  return { request: reparse(request.write(request.id, edits)), edits: [] };
}

function replaces(edit: Edit): boolean {
  return edit.start < edit.end;
}

/** The request without some members of its params. */
export function withoutParams(request: Request, edits: readonly Edit[], names: ReadonlySet<string>): Request {
  const settled = edits.length === 0 ? request : reparse(request.write(request.id, edits));
  const span = settled.paramsSpan;
  if (span === undefined) return settled;
  const { bytes } = settled;
  const { start, end, members } = span;
  const kept = members
    .filter(({ key }) => !names.has(key))
    .map((one) => `${toBinary(JSON.stringify(one.key))}:${bytes.toString('latin1', one.start, one.end)}`);
  return reparse(settled.write(settled.id, [{ start, end, text: `{${kept.join(',')}}` }]));
}

/** A request as it was edited. */
export function reparse(text: string): Request {
  const message = parseMessage(Buffer.from(text, 'latin1'));
  if (!(message instanceof Request)) throw new FaultError('internal', 'An edited request is no request any more.');
  return message;
}
