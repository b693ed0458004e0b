import { isUtf8 } from 'node:buffer';
import { withoutDeepItems } from './deep-items.ts';
import { FaultError } from './errors.ts';
import { lookalikesOf } from './fold-name.ts';
import { isObject, type Json, type JsonObject, member } from './json.ts';
import { checkMembers } from './json-check.ts';
import {
  arrayElements,
  type Edit,
  type Member,
  objectMembers,
  type Span,
  splice,
  spliceBytes,
  spliceInPieces,
  toBinary,
} from './json-scan.ts';
import { type MessageLimits, type Parsed, parseJson } from './parse-json.ts';
import { readFrame } from './read-frame.ts';
import type { Response, Written } from './response.ts';
import { type ParamsSpan, Rewritable } from './rewritable.ts';
import { LARGE, Source } from './source.ts';

/**
 * JSON-RPC 2.0 messages as bytes with the places a relay must touch. A message is parsed once; what is forwarded is
 * the original bytes with an id, a name or a token replaced, so no field is lost and no number changes.
 */
export type Message = Request | Notification | Answer;

const NO_PARAMS: JsonObject = Object.freeze({});

/** A request; `id` is the id exactly as it was written (`1`, `1.0`, `"a"`, `9007199254740993`). */
export class Request extends Rewritable {
  readonly kind = 'request';
  readonly id: string;
  readonly idSpan: Span;

  constructor(source: Source, id: Span, method: string, params: JsonObject, paramsSpan: ParamsSpan | undefined) {
    super(source, method, params, paramsSpan);
    this.idSpan = id;
    this.id = source.cut(id);
  }

  /** The request under another id with the edits applied, as a binary string. */
  write(id: string, edits: readonly Edit[] = []): string {
    const { start, end } = this.idSpan;
    return splice(this.source.text, [{ start, end, text: id }, ...edits]);
  }

  /** A request of our own. `id` is JSON text. */
  static of(id: string, method: string, params?: JsonObject): Request {
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${params === undefined ? '' : `,"params":${JSON.stringify(params)}`}}`;
    const message = parseMessage(Buffer.from(text));
    if (!(message instanceof Request)) throw new FaultError('internal', `not a request: ${text}`);
    return message;
  }
}

export class Notification extends Rewritable {
  readonly kind = 'notification';

  /** The notification with the edits applied, as a binary string. */
  write(edits: readonly Edit[] = []): string {
    return splice(this.source.text, edits);
  }

  static of(method: string, params?: JsonObject): Notification {
    const text = JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
    const message = parseMessage(Buffer.from(text));
    if (!(message instanceof Notification)) throw new FaultError('internal', `not a notification: ${text}`);
    return message;
  }
}

/** What stands in an answer: a result or an error, never both. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | {
      readonly kind: 'error';
      readonly error: { readonly code: number; readonly message: string; readonly data?: Json };
    };

/** A response to a request, as it was written by whoever answered. A large result is parsed only when somebody reads it. */
export class Answer implements Response {
  readonly kind = 'answer';
  readonly caching = undefined;
  readonly source: Source;
  /** The id as written; empty for an error without an id. */
  readonly id: string;
  readonly idSpan: Span | undefined;
  readonly bodySpan: Span;
  #outcome: Outcome | undefined;
  #members: readonly Member[] | undefined;

  /** @param outcome `undefined`: a result that has not been parsed. */
  constructor(source: Source, idSpan: Span | undefined, bodySpan: Span, outcome: Outcome | undefined) {
    this.source = source;
    this.idSpan = idSpan;
    this.bodySpan = bodySpan;
    this.#outcome = outcome;
    this.id = idSpan === undefined ? '' : source.cut(idSpan);
  }

  get bytes(): Buffer {
    return this.source.bytes;
  }

  /** @throws FaultError `upstream_protocol` for a large result that turns out not to be JSON. */
  get outcome(): Outcome {
    this.#outcome ??= { kind: 'result', result: this.#parse(this.bodySpan) as JsonObject };
    return this.#outcome;
  }

  get isResult(): boolean {
    return this.#outcome === undefined || this.#outcome.kind === 'result';
  }

  /** The JSON-RPC error code, or `undefined` for a result. */
  get errorCode(): number | undefined {
    return this.#outcome?.kind === 'error' ? this.#outcome.error.code : undefined;
  }

  /** The result, or `undefined` for an error. */
  get result(): JsonObject | undefined {
    return this.outcome.kind === 'result' ? this.outcome.result : undefined;
  }

  hasMember(key: string): boolean {
    if (this.#outcome?.kind === 'error') return false;
    if (this.#outcome !== undefined) return Object.hasOwn(this.#outcome.result, key);
    return this.memberSpan(key) !== undefined;
  }

  /** One member of the result, without parsing the rest of it. */
  resultMember(key: string): Json | undefined {
    if (this.#outcome?.kind === 'error') return undefined;
    if (this.#outcome !== undefined) return member(this.#outcome.result, key);
    const found = this.memberSpan(key);
    return found === undefined ? undefined : (this.#parse(found) as Json);
  }

  /** Where a member of the result, or of the error, stands. */
  memberSpan(key: string): Span | undefined {
    this.#members ??= objectMembers(this.bytes, this.bodySpan.start);
    return this.#members.findLast((candidate) => candidate.key === key);
  }

  #parse({ start, end }: Span): unknown {
    try {
      return JSON.parse(this.bytes.toString('utf8', start, end));
    } catch {
      throw new FaultError('upstream_protocol', 'The upstream answered with a result that is not JSON.');
    }
  }

  write(id: string, head = ''): Written {
    const { source, idSpan, bodySpan } = this;
    const { bytes } = source;
    const body = bodySpan.start + 1;
    const insert = head === '' || !this.isResult ? '' : head + (isEmptyObject(bytes, bodySpan) ? '' : ',');
    if (idSpan === undefined) return `{"jsonrpc":"2.0","id":${id},"error":${source.cut(bodySpan)}}`;
    const edits: Edit[] = [{ start: idSpan.start, end: idSpan.end, text: id }];
    if (insert !== '') edits.push({ start: body, end: body, text: insert });
    return bytes.length < LARGE ? splice(source.text, edits) : spliceInPieces(bytes, edits);
  }

  /** The same answer with some of its bytes replaced. */
  edit(edits: readonly Edit[]): Answer {
    return edits.length === 0 ? this : parseAnswer(spliceBytes(this.bytes, edits));
  }

  /** The same answer with another result. */
  withResult(result: JsonObject): Answer {
    const { start, end } = this.bodySpan;
    return this.edit([{ start, end, text: toBinary(JSON.stringify(result)) }]);
  }

  /** The same answer with another result, as JSON text. It is not parsed here: a large one would hold everybody up. */
  withRawResult(result: Buffer): Answer {
    const { bytes, idSpan } = this;
    const { start, end } = this.bodySpan;
    const moved = result.length - (end - start);
    const shift = (span: Span) => (span.start < end ? span : { start: span.start + moved, end: span.end + moved });
    return new Answer(
      new Source(Buffer.concat([bytes.subarray(0, start), result, bytes.subarray(end)])),
      idSpan && shift(idSpan),
      { start, end: start + result.length },
      undefined,
    );
  }

  /** `id` is JSON text as a binary string, like `Request.id`. */
  static result(id: string, result: JsonObject): Answer {
    return parseAnswer(
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${toBinary(JSON.stringify(result))}}`, 'latin1'),
    );
  }

  static error(id: string, code: number, message: string, data?: Json): Answer {
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    return parseAnswer(
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${toBinary(JSON.stringify(error))}}`, 'latin1'),
    );
  }
}

function isEmptyObject(bytes: Buffer, span: Span): boolean {
  return /^\{\s*\}$/.test(bytes.toString('latin1', span.start, Math.min(span.end, span.start + 16)));
}

function parseAnswer(bytes: Buffer): Answer {
  const message = parseMessage(bytes);
  if (!(message instanceof Answer)) throw new FaultError('internal', 'not an answer');
  return message;
}

/** Nesting of what upstreams say. */
const MAX_DEPTH = 512;

const RELAYED: MessageLimits = { maxDepth: MAX_DEPTH, uniqueKeys: false };

/**
 * One JSON-RPC message.
 * @throws FaultError `parse` (JSON-RPC -32700): not UTF-8 or not JSON; `invalid_request` (-32600): JSON, but no message, or beyond a limit.
 */
export function parseMessage(bytes: Buffer, limits: MessageLimits = RELAYED): Message {
  const { text, ...parsed } = parseJson(bytes, limits);
  return toMessage(new Source(bytes, text), parsed, limits);
}

/** Below this an answer is parsed at once: that costs less than knowing whether it must be. Bytes. */
const LAZY_FROM = 8_192;

/**
 * A message an upstream sent. A large result is checked to be JSON and looked at only as far as its frame: where it
 * begins and ends, whose answer it is. What stands in it is forwarded as bytes and parsed when a guard or a name asks for it.
 * @throws FaultError like {@link parseMessage}.
 */
export function parseUpstreamMessage(bytes: Buffer): Message {
  const large = bytes.length >= LAZY_FROM ? toLargeResult(bytes) : undefined;
  if (large !== undefined) return large;
  try {
    return parseMessage(bytes);
  } catch (error) {
    const readable = withoutDeepItems(bytes, MAX_DEPTH);
    if (readable === undefined) throw error;
    return parseMessage(readable);
  }
}

function toLargeResult(bytes: Buffer): Answer | undefined {
  const members = isUtf8(bytes) ? checkMembers(bytes, MAX_DEPTH) : undefined;
  if (members === undefined) return undefined;
  let id: Span | undefined;
  let result: Span | undefined;
  let version = '';
  let end = 0;
  for (const found of members) {
    end = found.end;
    if (found.key === 'id') id = found;
    else if (found.key === 'result') result = found;
    else if (found.key === 'jsonrpc') version = bytes.toString('latin1', found.start, found.end);
    else return undefined;
  }
  if (version !== '"2.0"' || id === undefined || result === undefined) return undefined;
  const framed =
    bytes[result.start] === 0x7b && bytes[result.end - 1] === 0x7d && /^\s*\}\s*$/.test(bytes.toString('latin1', end));
  const answersRequest = /^(\d{1,15}|"[\x20-\x7e]{0,100}")$/.test(
    bytes.toString('latin1', id.start, Math.min(id.end, id.start + 120)),
  );
  return framed && answersRequest ? new Answer(new Source(bytes), id, result, undefined) : undefined;
}

/** More than any client sends at once; requests in flight are limited further on. */
const MAX_BATCH = 256;

/** The messages of a body that may be a batch (2025-03-26); `undefined` for a body that is no array. */
export function parseBatch(bytes: Buffer, limits: MessageLimits): (Message | FaultError)[] | undefined {
  if (bytes[firstByte(bytes)] !== 0x5b) return undefined;
  const values = parseJson(bytes, limits).value;
  if (!Array.isArray(values)) return undefined;
  // 4 MiB hold two million zeros, and every one of them would get an error message of its own.
  if (values.length > MAX_BATCH)
    throw new FaultError('invalid_request', `A batch holds at most ${MAX_BATCH} messages. Send it in parts.`);
  return arrayElements(bytes, 0).map((span, index) => {
    const own = bytes.subarray(span.start, span.end);
    try {
      return toMessage(new Source(own), { value: values[index], frame: readFrame(own, limits.maxDepth) }, limits);
    } catch (error) {
      if (error instanceof FaultError) return error;
      throw error;
    }
  });
}

function firstByte(bytes: Buffer): number {
  let i = 0;
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i++;
  return i;
}

function toMessage(source: Source, { value, frame }: Omit<Parsed, 'text'>, limits: MessageLimits): Message {
  if (!isObject(value)) throw new FaultError('invalid_request', 'A JSON-RPC message is an object.');
  if (member(value, 'jsonrpc') !== '2.0')
    throw new FaultError('invalid_request', 'A JSON-RPC message says "jsonrpc": "2.0".');
  if (limits.uniqueKeys) refuseLookalikes(value);
  let id: Span | undefined;
  let params: ParamsSpan | undefined;
  let body: Span | undefined;
  for (const found of frame.members) {
    if (found.key === 'id') id = found;
    else if (found.key === 'params') params = { start: found.start, end: found.end, members: frame.params };
    else if (found.key === 'result' || found.key === 'error') body = found;
  }
  const method = member(value, 'method');
  if (method !== undefined) return toCall(source, value, method, id, params);
  return toAnswer(source, value, id, body);
}

const FRAME = lookalikesOf(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
/** What says which thing is meant, and what is done with it. */
const PARAMS = lookalikesOf([
  'name',
  'arguments',
  'uri',
  'ref',
  'taskId',
  'task',
  'inputResponses',
  'requestState',
  '_meta',
]);
const REF = lookalikesOf(['type', 'name', 'uri']);

/** To a server that compares names without their case, "Method" or "Name" is the same key twice, and the last one counts. */
function refuseLookalikes(value: JsonObject): void {
  const params = member(value, 'params');
  const ref = member(params, 'ref');
  const found =
    FRAME(value) ?? (isObject(params) ? PARAMS(params) : undefined) ?? (isObject(ref) ? REF(ref) : undefined);
  if (found === undefined) return;
  const key = JSON.stringify(found.slice(0, 64));
  throw new FaultError('invalid_request', `Some servers would take the member ${key} for another one. Leave it out.`);
}

function toCall(
  source: Source,
  value: JsonObject,
  method: Json,
  id: Span | undefined,
  paramsSpan: ParamsSpan | undefined,
): Request | Notification {
  if (typeof method !== 'string')
    throw new FaultError('invalid_request', 'The method of a JSON-RPC message is a string.');
  const params = member(value, 'params');
  if (params !== undefined && !isObject(params))
    throw new FaultError('invalid_request', 'The params of an MCP message are an object.');
  if (id === undefined) return new Notification(source, method, params ?? NO_PARAMS, paramsSpan);
  const idValue = member(value, 'id');
  if (typeof idValue !== 'string' && typeof idValue !== 'number')
    throw new FaultError('invalid_request', 'The id of an MCP request is a string or a number.');
  return new Request(source, id, method, params ?? NO_PARAMS, paramsSpan);
}

function toAnswer(source: Source, value: JsonObject, id: Span | undefined, body: Span | undefined): Answer {
  const result = member(value, 'result');
  const error = member(value, 'error');
  if (body === undefined || (result === undefined) === (error === undefined)) {
    throw new FaultError('invalid_request', 'A JSON-RPC message has a method, or a result, or an error.');
  }
  const idValue = member(value, 'id');
  const answersRequest = typeof idValue === 'string' || typeof idValue === 'number';
  if (result !== undefined) {
    if (!isObject(result) || !answersRequest)
      throw new FaultError('invalid_request', 'A JSON-RPC result is an object and names its request.');
    return new Answer(source, id, body, { kind: 'result', result });
  }
  const code = member(error, 'code');
  const message = member(error, 'message');
  if (typeof code !== 'number') throw new FaultError('invalid_request', 'A JSON-RPC error has a numeric code.');
  if (!Number.isInteger(code) || typeof message !== 'string')
    return repairError(error, code, answersRequest && id !== undefined ? source.cut(id) : '');
  const data = member(error, 'data');
  return new Answer(source, answersRequest ? id : undefined, body, {
    kind: 'error',
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

/** Strict clients drop an error that is none, and wait for an answer that has come: what it lacks is put in. */
function repairError(error: Json | undefined, code: number, id: string): Answer {
  const whole = Math.trunc(code);
  const message = member(error, 'message');
  const repaired = {
    ...(isObject(error) ? error : {}),
    code: Number.isSafeInteger(whole) ? whole : -32603,
    message: typeof message === 'string' ? message : 'The server gave no reason.',
  };
  const head = id === '' ? '' : `"id":${id},`;
  return parseAnswer(Buffer.from(`{"jsonrpc":"2.0",${head}"error":${toBinary(JSON.stringify(repaired))}}`, 'latin1'));
}
