import { FaultError } from '../core/errors.ts';
import { IdTable } from '../core/id-table.ts';
import type { Log } from '../core/log.ts';
import { EventStream } from './event-stream.ts';
import { HeaderBlock, type HttpOrigin } from './http-origin.ts';
import type { RunningExchange } from './http-reply.ts';
import { InOrder } from './in-order.ts';
import { type PostOwner, PostReader } from './post-reader.ts';
import type { OutgoingMessage, Wire, WireSink } from './wire.ts';

export interface HttpWireOptions {
  readonly origin: HttpOrigin;
  readonly sink: WireSink;
  readonly log: Log;
}

/** How long a server may keep a stream open after the answer came on it. */
const LINGER_MS = 5000;
const GOODBYE_MS = 2000;
const ONE_WAY_MS = 30_000;
const OWN_HEADERS = [
  'content-type',
  'application/json',
  'accept',
  'application/json, text/event-stream',
  'accept-encoding',
  'identity',
];
/** Broken streams are taken up again this often without hearing anything new. */
const RESUME_ATTEMPTS = 5;

/** Streamable HTTP of all revisions: sessions and resumption when the server uses them, neither when it does not. */
export function openHttpWire(options: HttpWireOptions): Wire {
  return new HttpWire(options);
}

class HttpWire implements Wire, PostOwner {
  readonly relates = true;
  readonly #origin: HttpOrigin;
  readonly #sink: WireSink;
  readonly #log: Log;
  readonly #exchanges = new IdTable<PostReader>();
  readonly #resumed = new Map<number, EventStream>();
  readonly #lingering = new Map<number, NodeJS.Timeout>();
  /** Exchanges of notifications and answers of ours. */
  readonly #oneWay = new Set<PostReader>();
  readonly #inOrder = new InOrder((message) => this.#post(message, undefined));
  #headers = new HeaderBlock(OWN_HEADERS);
  #session: string | undefined;
  #revision: string | undefined;
  /** Modern messages, the only ones with headers of their own, know no session. */
  #stateless = false;
  #listener: EventStream | undefined;
  #closed = false;

  constructor(options: HttpWireOptions) {
    this.#origin = options.origin;
    this.#sink = options.sink;
    this.#log = options.log;
  }

  get place(): string {
    return this.#origin.place;
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  send(message: OutgoingMessage): void {
    if (message.id === undefined) this.#inOrder.send(message);
    else this.#post(message, undefined);
  }

  #post(message: OutgoingMessage, done: (() => void) | undefined): void {
    if (this.#closed) {
      done?.();
      return;
    }
    const { id, text } = message;
    const reader = new PostReader(this, id, done);
    if (id === undefined) this.#oneWay.add(reader);
    else this.#exchanges.set(id, reader);
    const { headers } = message;
    if (headers !== undefined) this.#stateless = true;
    const options = {
      headers,
      stream: message.stream === true,
      // Nothing waits for the reply to a notification: a server that never sends one must not keep the connection.
      replyMs: id === undefined ? ONE_WAY_MS : undefined,
    };
    try {
      reader.reply = this.#origin.post(this.#headers, text, reader, options);
    } catch (error) {
      // A header HTTP does not allow, made of a server's own words: the request fails, the wire does not throw.
      queueMicrotask(() => reader.failed(error));
    }
  }

  abandon(id: number): void {
    const reader = this.#exchanges.get(id);
    reader?.reply?.cancel();
    this.#forget(id);
  }

  answered(id: number): void {
    const reader = this.#exchanges.get(id);
    if (reader === undefined) {
      if (this.#resumed.has(id)) this.#forget(id);
      return;
    }
    reader.answered = true;
    // A whole body ends by itself; a stream is ended by the server, or by us when it forgets.
    if (!reader.streaming) return;
    const timer = setTimeout(() => this.abandon(id), LINGER_MS);
    timer.unref();
    this.#lingering.set(id, timer);
  }

  async establish(revision: string, initialized: OutgoingMessage): Promise<void> {
    this.#revision = revision;
    this.#refreshHeaders();
    await new Promise<void>((resolve) => this.#post(initialized, resolve));
    if (this.#closed) return;
    const listener = new EventStream({
      origin: this.#origin,
      headers: () => this.#sessionHeaders(),
      event: (data) => this.#sink.message(data, undefined),
      flooded: () => this.flooded,
      // 405 is the standard's "no such stream here"; any other refusal means the same to us.
      refused: (fault, status) =>
        this.#log.debug({ place: this.place, status, reason: fault.message }, 'no stream outside of requests'),
    });
    this.#listener = listener;
    listener.open();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener?.close();
    this.#inOrder.close();
    for (const reader of this.#oneWay) reader.abandon();
    this.#oneWay.clear();
    for (const id of [...this.#exchanges.ids(), ...this.#resumed.keys()]) this.abandon(id);
    if (this.#session !== undefined) await this.#endSession();
  }

  // What the readers report.

  heard(bytes: Buffer, id: number | undefined): void {
    this.#sink.message(bytes, id);
  }

  get flooded(): boolean {
    return this.#sink.flooded === true;
  }

  sessionNamed(session: string): void {
    // Only the answer to initialize may name it; a later change would hand the session to whoever answers.
    if (this.#session !== undefined || this.#revision !== undefined || this.#stateless) return;
    this.#session = session;
    this.#refreshHeaders();
  }

  /** The exchange is over without being cancelled. `fault`: why it brought no message. */
  finished(reader: PostReader, fault: FaultError | undefined): void {
    const { id } = reader;
    if (id === undefined) {
      this.#oneWay.delete(reader);
      this.#inOrder.taken();
      if (fault !== undefined)
        this.#log.warn({ place: this.place, reason: fault.message }, 'a notification was not taken');
      return;
    }
    if (!reader.answered && reader.lastPosition !== undefined && this.#revision !== undefined) {
      if (fault === undefined) this.#sink.suspended?.(id);
      this.#resume(id, reader);
      return;
    }
    const answered = reader.answered;
    this.#forget(id);
    if (!answered)
      this.#sink.failed(
        id,
        fault ??
          new FaultError(
            'upstream_protocol',
            `${this.place} ended its answer without a JSON-RPC answer to the request.`,
          ),
      );
  }

  // Resuming: the server closed the connection of a stream, not the stream (2025-11-25, "Sending Messages" 6).

  #resume(id: number, reader: PostReader): void {
    this.#forget(id);
    const stream = new EventStream({
      origin: this.#origin,
      headers: () => this.#sessionHeaders(),
      position: reader.lastPosition,
      retryMs: reader.retryMs,
      attempts: RESUME_ATTEMPTS,
      event: (data) => this.#sink.message(data, id),
      flooded: () => this.flooded,
      refused: (fault) => {
        this.#forget(id);
        this.#sink.failed(
          id,
          new FaultError('unreachable', `${this.place} broke off its answer and did not resume it: ${fault.message}`, {
            cause: fault,
          }),
        );
      },
    });
    this.#resumed.set(id, stream);
    stream.reopen();
  }

  #forget(id: number): void {
    this.#exchanges.delete(id);
    this.#resumed.get(id)?.close();
    this.#resumed.delete(id);
    clearTimeout(this.#lingering.get(id));
    this.#lingering.delete(id);
  }

  #sessionHeaders(): string[] {
    const headers: string[] = [];
    if (this.#revision !== undefined) headers.push('mcp-protocol-version', this.#revision);
    if (this.#session !== undefined) headers.push('mcp-session-id', this.#session);
    return headers;
  }

  #refreshHeaders(): void {
    this.#headers = new HeaderBlock([...OWN_HEADERS, ...this.#sessionHeaders()]);
  }

  #endSession(): Promise<void> {
    return new Promise((resolve) => {
      let reply: RunningExchange | undefined;
      const timer = setTimeout(() => {
        reply?.cancel();
        resolve();
      }, GOODBYE_MS);
      const over = () => {
        clearTimeout(timer);
        resolve();
      };
      reply = this.#origin.ask('DELETE', this.#sessionHeaders(), {
        head: () => 'drop',
        whole() {},
        event() {},
        position() {},
        retry() {},
        ended: over,
        failed: over,
      });
    });
  }
}
