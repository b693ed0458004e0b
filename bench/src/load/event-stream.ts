import { connect, type Socket } from 'node:net';
import type { Target } from './connection.ts';
import { requestHead } from './messages.ts';
import { ResponseReader } from './response-reader.ts';

/** An open GET stream: the standing stream of a legacy session, or the whole downstream of HTTP+SSE. */
export class EventStream {
  readonly #socket: Socket;
  readonly #onEvent: (data: string) => void;
  #text = '';

  private constructor(socket: Socket, onEvent: (data: string) => void) {
    this.#socket = socket;
    this.#onEvent = onEvent;
  }

  /** Resolves when the stream has answered 200. `onEvent` gets the data of each event. */
  static open(
    target: Target,
    headers: Readonly<Record<string, string>>,
    onEvent: (data: string) => void,
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
      const stream = new EventStream(socket, onEvent);
      const timer = setTimeout(() => socket.destroy(new Error('no GET stream within 10000 ms')), 10_000);
      const reader = new ResponseReader({
        onHead: (status) => {
          clearTimeout(timer);
          if (status === 200) resolve(stream);
          else socket.destroy(new Error(`GET stream answered ${status}`));
        },
        onBody: (piece) => stream.#read(piece.toString('utf8')),
        onEnd: () => socket.destroy(),
      });
      socket.on('data', (data: Buffer) => reader.read(data));
      socket.on('error', reject);
      socket.on('close', () => {
        clearTimeout(timer);
        reject(new Error('GET stream closed'));
      });
      socket.write(requestHead('GET', target, { accept: 'text/event-stream', ...headers }, undefined));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#text += text.replaceAll('\r', '');
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) return;
      const event = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const data = event.split('\n').find((line) => line.startsWith('data:'));
      if (data !== undefined) this.#onEvent(data.slice(5).trim());
    }
  }
}
