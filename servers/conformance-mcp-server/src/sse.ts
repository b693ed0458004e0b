import type { ServerResponse } from 'node:http';

const keepAliveMs = 15_000;

/** One open text/event-stream response. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Record<string, string> = {}) {
    this.#response = response;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    this.#timer = setInterval(() => response.write(': still here\n\n'), keepAliveMs);
    this.#timer.unref();
    response.once('close', () => clearInterval(this.#timer));
  }

  write(data: unknown, id?: string): void {
    this.writeRaw(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(data)}\n\n`);
  }

  writeRaw(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
  }
}

/**
 * Whether the client would rather have an event stream than one JSON body: both are allowed by the specification, and
 * the order in Accept is all a server has to go by.
 */
export function prefersStream(accept: string | undefined): boolean {
  const stream = accept?.indexOf('text/event-stream') ?? -1;
  const json = accept?.indexOf('application/json') ?? -1;
  return stream >= 0 && (json < 0 || stream < json);
}
