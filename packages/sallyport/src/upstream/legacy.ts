import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { type Answer, Notification, Request } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import type { Connection } from './connection.ts';
import type { Dialect } from './dialect.ts';
import {
  CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  setMeta,
  settleEdits,
  VERSION_KEY,
  withoutParams,
} from './request-meta.ts';
import { LATEST_LEGACY, LEGACY_REVISIONS } from './revisions.ts';
import type { OutgoingMessage } from './wire.ts';

export interface LegacyHello {
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
}

/** Asks `initialize`; the answer may be an error, which tells about the era. */
export function askInitialize(connection: Connection, hello: LegacyHello, timeoutMs: number): Promise<Answer> {
  connection.capabilities = hello.capabilities;
  const params = { protocolVersion: LATEST_LEGACY, capabilities: hello.capabilities, clientInfo: hello.clientInfo };
  const write = (id: number) => ({ id, text: Request.of(String(id), 'initialize', params).bytes.toString('latin1') });
  return connection.request('initialize', write, { timing: { timeoutMs, maxTimeoutMs: timeoutMs }, handshake: true });
}

/**
 * Finishes the handshake with what `initialize` answered.
 * @throws FaultError `upstream_protocol` for a result that is none, or a revision nobody knows.
 */
export async function establishLegacy(connection: Connection, result: JsonObject, timeoutMs: number): Promise<void> {
  const { name } = connection.settings;
  const revision = member(result, 'protocolVersion');
  if (typeof revision !== 'string' || !LEGACY_REVISIONS.includes(revision)) {
    const said = typeof revision === 'string' ? `revision ${JSON.stringify(revision.slice(0, 40))}` : 'no revision';
    throw new FaultError(
      'upstream_protocol',
      `"${name}" answered initialize with ${said}; known are ${LEGACY_REVISIONS.join(', ')}.`,
      { isQuoting: typeof revision === 'string' },
    );
  }
  connection.dialect = toDialect(result, revision);
  const initialized = { id: undefined, text: Notification.of('notifications/initialized').bytes.toString('latin1') };
  const { wire } = connection;
  if (wire?.establish === undefined) return connection.send(initialized.text);
  // Strict servers refuse requests that overtake this notification, and over HTTP they could.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new FaultError('timeout', `"${name}" did not take notifications/initialized in time.`)),
      timeoutMs,
    );
  });
  await Promise.race([wire.establish(revision, initialized), late]).finally(() => clearTimeout(timer));
}

function toDialect(result: JsonObject, revision: string): Dialect {
  const capabilities = member(result, 'capabilities');
  const serverInfo = member(result, 'serverInfo');
  const instructions = member(result, 'instructions');
  return {
    era: 'legacy',
    identity: {
      serverInfo: isObject(serverInfo) ? serverInfo : {},
      capabilities: isObject(capabilities) ? capabilities : {},
      instructions: typeof instructions === 'string' ? instructions : undefined,
      revision,
    },
    write: writeLegacy,
  };
}

/** Only a modern client's retry carries these, and only a modern server reads them. */
const MODERN_PARAMS: ReadonlySet<string> = new Set(['inputResponses', 'requestState']);

const MODERN_META: readonly (readonly [string, string | undefined])[] = [
  [VERSION_KEY, undefined],
  [CLIENT_INFO_KEY, undefined],
  [CAPABILITIES_KEY, undefined],
  [LOG_LEVEL_KEY, undefined],
];

/** A request for a legacy server: modern metadata taken out, our progress token put in, everything else as it was written. */
function writeLegacy(outgoing: UpstreamRequest, id: number, _exchange?: Exchange): OutgoingMessage {
  let { request, edits } = settleEdits(outgoing);
  if (request.param('requestState') !== undefined) {
    // States for this server are ours, and ours are opened before a request comes here. A retry must not run twice.
    throw new FaultError(
      'invalid_params',
      'This requestState is not valid: it was changed, or belongs to another server. The call was not made.',
    );
  }
  if (request.param('inputResponses') !== undefined) {
    request = withoutParams(request, edits, MODERN_PARAMS);
    edits = [];
  }
  // The usual request has nothing to take out.
  const meta =
    request.param('_meta') === undefined
      ? request.setParam('_meta', `{"progressToken":${id}}`)
      : setMeta(request, new Map([...MODERN_META, ['progressToken', String(id)]]));
  return { id, text: request.write(String(id), edits.length === 0 ? [meta] : [...edits, meta]) };
}
