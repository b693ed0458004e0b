import { FaultError } from '../core/errors.ts';
import { toStatusFault, toUnreachable } from './http-fault.ts';
import type { HttpOrigin } from './http-origin.ts';
import type { BodyMode, HttpReply, ReplyReader, RunningExchange } from './http-reply.ts';
import type { SseEvent } from './sse-parser.ts';

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

export interface EventStreamOptions {
  readonly origin: HttpOrigin;
  /** Session and revision, read anew for each attempt. */
  readonly headers: () => readonly string[];
  /** Where the stream stood; `undefined` for one that begins now. */
  readonly position?: string | undefined;
  /** What the server asked for before; it may change with every event. */
  readonly retryMs?: number | undefined;
  /** Attempts in a row that bring no event before the stream is given up; `undefined`: never. */
  readonly attempts?: number;
  readonly event: (data: Buffer) => void;
  readonly flooded: () => boolean;
  /** The server will not serve this stream, or it was given up. Nothing follows. */
  readonly refused: (fault: FaultError, status: number | undefined) => void;
}

/**
 * A GET event stream that is opened again when it ends (2025-11-25 Streamable HTTP, "Listening for Messages" and
 * "Resumability"), after the pause the server asked for and with `Last-Event-ID` where events had ids.
 */
export class EventStream implements ReplyReader {
  readonly #options: EventStreamOptions;
  #position: string | undefined;
  #retryMs: number | undefined;
  #barren = 0;
  #reply: RunningExchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #refusal: { readonly status: number } | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#retryMs = options.retryMs;
  }

  get flooded(): boolean {
    return this.#options.flooded();
  }

  open(): void {
    if (this.#closed) return;
    const { origin, headers } = this.#options;
    const own = ['accept', 'text/event-stream', 'accept-encoding', 'identity', ...headers()];
    if (this.#position !== undefined) own.push('last-event-id', this.#position);
    this.#reply = origin.ask('GET', own, this);
  }

  /** Opens the stream after the pause that is due. */
  reopen(): void {
    if (this.#closed) return;
    const { attempts } = this.#options;
    if (attempts !== undefined && this.#barren >= attempts) {
      this.#refuse(toUnreachable(this.#options.origin.place, undefined), undefined);
      return;
    }
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(this.#barren, 5));
    // The server's word counts as it is, as long as the stream bears fruit; an endless quick loop does not.
    const pause = this.#barren > 1 ? Math.max(this.#retryMs ?? 0, backOff) : (this.#retryMs ?? FIRST_PAUSE);
    this.#barren++;
    this.#timer = setTimeout(() => this.open(), pause);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#reply?.cancel();
  }

  head(reply: HttpReply): BodyMode {
    const type = reply.header('content-type') ?? '';
    if (reply.status === 200 && type.startsWith('text/event-stream')) return 'events';
    this.#refusal = { status: reply.status };
    return 'whole';
  }

  whole(body: Buffer, reply: HttpReply): void {
    const { origin } = this.#options;
    const status = reply.status;
    const fault = toStatusFault(origin.place, { status, header: (name) => reply.header(name), body });
    if (status >= 500) this.#refusal = undefined;
    else this.#refuse(fault, status);
  }

  event(event: SseEvent): void {
    this.#barren = 0;
    this.#options.event(event.data);
  }

  position(id: string): void {
    // A stream that moves on has come back to life, even without a message.
    if (id !== this.#position) this.#barren = 0;
    this.#position = id;
  }

  retry(milliseconds: number): void {
    this.#retryMs = milliseconds;
  }

  ended(): void {
    if (this.#refusal === undefined) this.reopen();
  }

  failed(error: unknown): void {
    const { attempts, origin } = this.#options;
    // Asking again would not let anybody in: a person has to do something first.
    if (error instanceof FaultError && error.code === 'upstream_unauthenticated') this.#refuse(error, 401);
    else if (attempts !== undefined && this.#barren >= attempts)
      this.#refuse(toUnreachable(origin.place, error), undefined);
    else this.reopen();
  }

  #refuse(fault: FaultError, status: number | undefined): void {
    if (this.#closed) return;
    this.close();
    this.#options.refused(fault, status);
  }
}
