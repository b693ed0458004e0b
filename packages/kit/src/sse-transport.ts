import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server';

/** Bytes that wait for a client to read them. */
const MAX_WAITING = 16 * 1024 * 1024;

/** One HTTP+SSE connection of revision 2024-11-05: messages go out on the stream, and come in by POST. */
export class SseTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly sessionId = randomUUID();
  /** Nobody else may send messages to it. */
  readonly caller: string | undefined;
  readonly #response: ServerResponse;
  readonly #postPath: string;

  /** @param postPath where the client sends its messages; the session id is added to it */
  constructor(
    response: ServerResponse,
    { caller, postPath }: { readonly caller: string | undefined; readonly postPath: string },
  ) {
    this.caller = caller;
    this.#postPath = postPath;
    this.#response = response;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
    });
    this.#response.write(`event: endpoint\ndata: ${this.#postPath}?sessionId=${this.sessionId}\n\n`);
    this.#response.on('close', () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Its client does not read: waiting for it fills the memory.
    if (this.#response.writableLength > MAX_WAITING) this.#response.destroy();
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    this.#response.end();
  }
}
