import { FaultError } from '../core/errors.ts';
import { toStatusFault, toUnreachable } from './http-fault.ts';
import { HeaderBlock, type HttpOrigin } from './http-origin.ts';
import type { BodyMode, HttpReply, ReplyReader, RunningExchange } from './http-reply.ts';
import { InOrder } from './in-order.ts';
import type { SseEvent } from './sse-parser.ts';
import type { OutgoingMessage, Wire, WireSink } from './wire.ts';

export interface SseWireOptions {
  readonly origin: HttpOrigin;
  readonly sink: WireSink;
  /** Until the `endpoint` event. */
  readonly timeoutMs: number;
}

/** Nothing waits for the reply to a notification: a server that never sends one must not keep the connection. */
const ONE_WAY_MS = 30_000;
const POST_HEADERS = new HeaderBlock(['content-type', 'application/json', 'accept-encoding', 'identity']);

/**
 * HTTP+SSE of 2024-11-05: one event stream down, POSTs up to the address the stream's first event names.
 * @throws FaultError when there is no such stream, or it names an address elsewhere.
 */
export function openSseWire(options: SseWireOptions): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const wire = new SseWire(options, (fault) => {
      clearTimeout(timer);
      if (fault === undefined) resolve(wire);
      else reject(fault);
    });
    const timer = setTimeout(() => {
      wire.refuse(
        new FaultError('timeout', `${options.origin.place} opened no event stream with an endpoint in time.`),
      );
    }, options.timeoutMs);
    wire.open();
  });
}

class SseWire implements Wire, ReplyReader {
  readonly relates = false;
  readonly #origin: HttpOrigin;
  readonly #sink: WireSink;
  readonly #posts = new Set<RunningExchange>();
  readonly #inOrder = new InOrder((message) => this.#post(message, () => this.#inOrder.taken()));
  #opened: ((fault?: FaultError) => void) | undefined;
  #path: string | undefined;
  #stream: RunningExchange | undefined;
  #fault: FaultError | undefined;
  #closed = false;

  constructor(options: SseWireOptions, opened: (fault?: FaultError) => void) {
    this.#origin = options.origin;
    this.#sink = options.sink;
    this.#opened = opened;
  }

  get flooded(): boolean {
    return this.#sink.flooded === true;
  }

  open(): void {
    this.#stream = this.#origin.ask('GET', ['accept', 'text/event-stream', 'accept-encoding', 'identity'], this);
  }

  refuse(fault: FaultError): void {
    const opened = this.#opened;
    this.#opened = undefined;
    void this.close();
    opened?.(fault);
  }

  send(message: OutgoingMessage): void {
    if (message.id === undefined) this.#inOrder.send(message);
    else this.#post(message, undefined);
  }

  /** POSTs may overtake each other: strict servers refuse requests that come before this notification. */
  async establish(_revision: string, initialized: OutgoingMessage): Promise<void> {
    await new Promise<void>((resolve) => this.#post(initialized, resolve));
  }

  #post({ id, text }: OutgoingMessage, done: (() => void) | undefined): void {
    if (this.#closed) {
      done?.();
      return;
    }
    let fault: FaultError | undefined;
    const { place } = this.#origin;
    // Not known yet where the answer comes at once: an origin that is being closed refuses without waiting.
    let reply: RunningExchange | undefined;
    let isOver = false;
    const over = () => {
      isOver = true;
      if (reply !== undefined) this.#posts.delete(reply);
      if (fault !== undefined && id !== undefined) this.#sink.failed(id, fault);
      done?.();
    };
    reply = this.#origin.post(
      POST_HEADERS,
      text,
      {
        head: ({ status }) => (status < 300 ? 'drop' : 'whole'),
        whole: (body, { status, ...rest }) => {
          fault = toStatusFault(place, { status, header: () => undefined, body, ...rest });
        },
        event() {},
        position() {},
        retry() {},
        ended: over,
        failed: (error) => {
          fault = toUnreachable(place, error);
          over();
        },
      },
      { replyMs: id === undefined ? ONE_WAY_MS : undefined, ...(this.#path === undefined ? {} : { path: this.#path }) },
    );
    if (!isOver) this.#posts.add(reply);
  }

  abandon(): void {}

  async close(): Promise<void> {
    this.#closed = true;
    this.#stream?.cancel();
    this.#inOrder.close();
    for (const post of this.#posts) post.cancel();
    this.#posts.clear();
  }

  // The event stream

  head(reply: HttpReply): BodyMode {
    if (reply.status === 200 && (reply.header('content-type') ?? '').startsWith('text/event-stream')) return 'events';
    return 'whole';
  }

  whole(body: Buffer, reply: HttpReply): void {
    this.#fault =
      reply.status === 200
        ? new FaultError(
            'upstream_protocol',
            `${this.#origin.place} answered GET with something that is no event stream.`,
            { data: { status: 200 } },
          )
        : toStatusFault(this.#origin.place, { status: reply.status, header: (name) => reply.header(name), body });
  }

  event(event: SseEvent): void {
    if (event.type === 'endpoint') this.#endpoint(event.data.toString('utf8').trim());
    else if (event.type === 'message') this.#sink.message(event.data, undefined);
  }

  position(): void {}

  retry(): void {}

  ended(): void {
    this.#end(this.#fault ?? new FaultError('unreachable', `${this.#origin.place} closed its event stream.`));
  }

  failed(error: unknown): void {
    this.#end(toUnreachable(this.#origin.place, error));
  }

  #endpoint(address: string): void {
    // A second one would move the messages, secrets in them included, in mid-session.
    if (this.#path !== undefined) return;
    const base = this.#origin.url;
    const url = URL.canParse(address, base.href) ? new URL(address, base.href) : undefined;
    if (url?.origin !== base.origin) {
      // The configured headers hold credentials for this host, not for whichever the stream names.
      this.refuse(
        new FaultError(
          'upstream_protocol',
          `${this.#origin.place} names an endpoint on another host. Messages go only to the host in its url.`,
        ),
      );
      return;
    }
    this.#path = `${url.pathname}${url.search}`;
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.();
  }

  #end(fault: FaultError): void {
    if (this.#closed) return;
    if (this.#opened !== undefined) {
      this.refuse(fault);
      return;
    }
    void this.close();
    this.#sink.lost(fault);
  }
}
