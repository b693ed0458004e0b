import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Bytes as characters. */
  readonly body: string;
}

export interface HttpQuestion {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** One whole HTTP exchange; an event stream is read to its end. */
export async function exchange(question: HttpQuestion): Promise<HttpAnswer> {
  const response = await openExchange(question);
  let body = '';
  for await (const chunk of response.setEncoding('latin1')) body += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** The response as soon as its head is there. */
export function openExchange({
  url,
  method = 'POST',
  headers = {},
  body,
  agent,
}: HttpQuestion): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers }, agent: agent ?? false }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The JSON-RPC messages in an answer, whether it came as JSON or as an event stream; text as bytes. */
export function messagesIn({ headers, body }: HttpAnswer): string[] {
  if (!(headers['content-type'] ?? '').startsWith('text/event-stream')) return body === '' ? [] : [body];
  return [...body.matchAll(/^data: (.+)$/gm)].map((match) => match[1] ?? '');
}

/** The last message of an answer, parsed. */
export function messageIn(answer: HttpAnswer): {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
} {
  return JSON.parse(Buffer.from(messagesIn(answer).at(-1) ?? 'null', 'latin1').toString('utf8'));
}

/** A connection of its own, spoken to in bytes. */
export class RawConnection {
  readonly socket: Socket;
  /** Everything that came, bytes as characters. */
  received = '';
  readonly closed: Promise<void>;
  isClosed = false;
  #wake: (() => void)[] = [];

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.socket = connect(Number(port), hostname);
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => {
      this.received += text;
      this.#tell();
    });
    // A reset is one way of being refused.
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      this.socket.on('close', () => {
        this.isClosed = true;
        this.#tell();
        resolve();
      }),
    );
  }

  send(text: string | Buffer): this {
    if (typeof text === 'string') this.socket.write(text, 'latin1');
    else this.socket.write(text);
    return this;
  }

  /** The status codes of all answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  }

  /** Waits for an answer's head, or for the end of the connection. */
  async answered(count = 1): Promise<number[]> {
    while (this.statuses.filter((status) => status >= 200).length < count && !this.isClosed) {
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    return this.statuses;
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
