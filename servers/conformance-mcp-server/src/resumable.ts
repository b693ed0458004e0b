import type { ServerResponse } from 'node:http';
import { sendJson } from './exchange.ts';
import { codes, type Message, RpcError } from './messages.ts';
import { EventStream } from './sse.ts';

const mostEvents = 256;
const mostStreams = 64;
const retryMs = 300;

/** How a POST is answered. */
export interface StreamOptions {
  readonly response: ServerResponse;
  readonly headers: Record<string, string>;
  /** The client prefers an event stream to one JSON body. */
  readonly preferred: boolean;
  /** Begin the stream with an event without data, whose id the client can resume from (SEP-1699). */
  readonly primed: boolean;
}

/** The messages of one stream of a session, kept so that a client that lost the connection can have the rest. */
export class ResumableStream {
  readonly #name: string;
  readonly #events: { readonly number: number; readonly message: Message }[] = [];
  readonly #first: StreamOptions | undefined;
  #sink: EventStream | undefined;
  #opened = false;
  #last = 0;
  #done = false;

  constructor(name: string, first?: StreamOptions) {
    this.#name = name;
    this.#first = first;
    first?.response.once('close', () => this.#drop());
  }

  get done(): boolean {
    return this.#done;
  }

  send(message: Message): void {
    this.#open();
    this.#last += 1;
    this.#events.push({ number: this.#last, message });
    if (this.#events.length > mostEvents) this.#events.shift();
    this.#sink?.write(message, this.#idOf(this.#last));
  }

  /** The last message, or none for a request that was cancelled. */
  end(message: Message | undefined): void {
    if (this.#done) return;
    const plain = this.#first !== undefined && !this.#opened && !this.#first.preferred;
    if (plain && message !== undefined) sendJson(this.#first.response, 200, message, this.#first.headers);
    else if (plain) this.#first.response.writeHead(202, this.#first.headers).end();
    else if (message !== undefined) this.send(message);
    this.#done = true;
    this.#sink?.end();
    this.#sink = undefined;
  }

  /** Ends the connection, not the stream. */
  detach(): void {
    this.#open();
    this.#sink?.end();
    this.#sink = undefined;
  }

  /** Continues on this connection after the event with this number; without one, with what comes next. */
  attach(response: ServerResponse, after?: number): void {
    this.#opened = true;
    this.#sink?.end();
    const sink = new EventStream(response);
    this.#sink = sink;
    response.once('close', () => {
      if (this.#sink === sink) this.#drop();
    });
    for (const { number, message } of after === undefined ? [] : this.#events) {
      if (number > (after ?? 0)) sink.write(message, this.#idOf(number));
    }
    if (this.#done) sink.end();
  }

  #open(): void {
    if (this.#opened || this.#first === undefined) return;
    this.#opened = true;
    this.#sink = new EventStream(this.#first.response, this.#first.headers);
    if (this.#first.primed) this.#sink.writeRaw(`id: ${this.#idOf(0)}\nretry: ${retryMs}\ndata: \n\n`);
  }

  #idOf(number: number): string {
    return `${this.#name}.${number}`;
  }

  #drop(): void {
    this.#opened = true;
    this.#sink = undefined;
  }
}

/** All streams of one session: the standalone one, and one per POST for as long as it may still be resumed. */
export class StreamShelf {
  readonly standalone = new ResumableStream('0');
  readonly #streams = new Map<string, ResumableStream>([['0', this.standalone]]);
  #count = 0;

  open(options: StreamOptions): ResumableStream {
    this.#count += 1;
    const name = String(this.#count);
    const stream = new ResumableStream(name, options);
    this.#streams.set(name, stream);
    for (const [old, { done }] of this.#streams) {
      if (this.#streams.size <= mostStreams) break;
      if (done) this.#streams.delete(old);
    }
    return stream;
  }

  resume(lastEventId: string, response: ServerResponse): void {
    const [name = '', number = ''] = lastEventId.split('.');
    const stream = this.#streams.get(name);
    if (stream === undefined || !/^\d{1,9}$/.test(number)) {
      throw new RpcError(codes.invalidRequest, 'unknown Last-Event-ID', { status: 400 });
    }
    stream.attach(response, Number(number));
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.end(undefined);
    this.#streams.clear();
  }
}
