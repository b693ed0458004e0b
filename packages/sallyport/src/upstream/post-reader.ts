import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { toStatusFault, toUnreachable } from './http-fault.ts';
import type { BodyMode, HttpReply, ReplyReader, RunningExchange } from './http-reply.ts';
import type { SseEvent } from './sse-parser.ts';

/** The wire a POST belongs to. */
export interface PostOwner {
  readonly place: string;
  readonly hasSession: boolean;
  readonly flooded: boolean;
  heard(bytes: Buffer, id: number | undefined): void;
  sessionNamed(session: string): void;
  finished(reader: PostReader, fault: FaultError | undefined): void;
}

/** The reply to one POSTed message, in each of its shapes: one JSON body, an event stream, an acceptance, a refusal. */
export class PostReader implements ReplyReader {
  readonly id: number | undefined;
  reply: RunningExchange | undefined;
  /** Set by the wire once the request has its answer. */
  answered = false;
  streaming = false;
  /** Where the event stream stands, when its events have ids. */
  lastPosition: string | undefined;
  retryMs: number | undefined;
  readonly #owner: PostOwner;
  readonly #done: (() => void) | undefined;
  #fault: FaultError | undefined;

  constructor(owner: PostOwner, id: number | undefined, done: (() => void) | undefined) {
    this.#owner = owner;
    this.id = id;
    this.#done = done;
  }

  get flooded(): boolean {
    return this.#owner.flooded;
  }

  head(reply: HttpReply): BodyMode {
    const encoding = reply.header('content-encoding');
    if (encoding !== undefined && encoding !== 'identity') {
      // Nobody asked for it, and a small compressed body may unpack to gigabytes.
      this.#fault = new FaultError(
        'upstream_protocol',
        `${this.#owner.place} sent a compressed answer (${encoding.slice(0, 20)}) though none was asked for.`,
      );
      return 'drop';
    }
    const { status } = reply;
    const session = status < 300 ? reply.header('mcp-session-id') : undefined;
    if (session !== undefined && this.id !== undefined) this.#owner.sessionNamed(session);
    if (status === 202 || status === 204) return 'drop';
    if (status !== 200) return 'whole';
    const type = reply.header('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      this.streaming = true;
      return 'events';
    }
    return 'whole';
  }

  whole(body: Buffer, reply: HttpReply): void {
    const { status } = reply;
    if (status === 200 && (this.id === undefined || isJson(reply))) {
      if (body.length > 0) this.#owner.heard(body, this.id);
      return;
    }
    const { place, hasSession } = this.#owner;
    const shown = { status, header: (name: string) => reply.header(name), body };
    if (status === 200) {
      const type = (reply.header('content-type') ?? 'no content type').slice(0, 60);
      this.#fault = new FaultError(
        'upstream_protocol',
        `${place} answered with ${type}, not with JSON or an event stream. Is its url that of the MCP endpoint?`,
        { data: { status } },
      );
      return;
    }
    const message = status === 401 || status === 403 ? undefined : toErrorMessage(body);
    if (hasSession && isSessionLoss(status, message, body)) {
      this.#fault = new FaultError('session_not_found', `${place} has ended the session.`, { data: { status } });
    } else if (message !== undefined && this.id !== undefined) {
      this.#owner.heard(body, this.id);
      this.#fault = toStatusFault(place, shown);
    } else this.#fault = toStatusFault(place, shown);
  }

  event(event: SseEvent): void {
    if (event.type === 'message') this.#owner.heard(event.data, this.id);
  }

  position(id: string): void {
    this.lastPosition = id;
  }

  retry(milliseconds: number): void {
    this.retryMs = milliseconds;
  }

  ended(): void {
    this.#finish(this.#fault);
  }

  failed(error: unknown): void {
    this.#finish(toUnreachable(this.#owner.place, error));
  }

  /** Nobody waits for the reply any more; whoever waited for its end goes on. */
  abandon(): void {
    this.reply?.cancel();
    this.#done?.();
  }

  #finish(fault: FaultError | undefined): void {
    this.#owner.finished(this, fault);
    this.#done?.();
  }
}

function isJson(reply: HttpReply): boolean {
  const type = reply.header('content-type');
  // A missing type is tolerated: what is not JSON fails to parse anyway.
  return type === undefined || type.startsWith('application/json') || type.includes('+json');
}

/** The JSON-RPC error in an error body, if that is what it is. */
function toErrorMessage(body: Buffer): { readonly code: number } | undefined {
  if (body.length === 0 || body.length > 1024 * 1024) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  const code = member(member(value, 'error'), 'code');
  return member(value, 'jsonrpc') === '2.0' && typeof code === 'number' ? { code } : undefined;
}

/**
 * 404 ends a session (2025-11-25, "Session Management" 3), unless it says "no such method". Widely used servers answer
 * 400 with a text about the session instead.
 */
function isSessionLoss(status: number, message: { readonly code: number } | undefined, body: Buffer): boolean {
  if (status === 404) return message?.code !== -32601;
  return status === 400 && /session/i.test(body.toString('utf8', 0, 400));
}
