import type { Readable, Writable } from 'node:stream';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { type Message, Notification, parseBatch, parseMessage, Request } from '../core/message.ts';
import { PARENT_PROCESS } from '../core/principal.ts';
import { toText, type Written } from '../core/response.ts';
import { answerBatch } from './batch.ts';
import { LegacySession } from './legacy-session.ts';
import type { ModernCall } from './modern-call.ts';
import { type ModernContext, receiveModern } from './modern-endpoint.ts';
import { carriesModernMeta } from './modern-request.ts';
import { Outbox } from './outbox.ts';
import { Parking } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import { readLines } from './read-lines.ts';
import type { Reply } from './reply.ts';
import { hasBatches } from './revisions.ts';
import { SessionStore } from './session-store.ts';
import { toErrorText } from './to-response.ts';

export interface StdioFront {
  /** Resolves when the client closed stdin or shut the session down and what was in flight is answered. */
  readonly ended: Promise<void>;
  close(): void;
}

/** After stdin closed, calls in flight may still finish for this long: whoever pipes messages in waits for cold servers. Milliseconds. */
const LAST_ANSWERS_MS = 10_000;
/** At the end, the last answers may be read for this long. Milliseconds. */
const LAST_READ_MS = 5_000;

/**
 * The front door for a client that started us: one message a line on stdin and stdout. The first request settles the
 * era: `initialize` opens the one legacy session of this process, anything with modern `_meta` is served as it comes.
 */
export function openStdioFront(
  ports: GatewayPorts,
  streams: { stdin: Readable; stdout: Writable },
  endpoint: Endpoint,
): StdioFront {
  const sessions = new SessionStore({
    upstreams: ports.upstreams,
    catalog: ports.catalog,
    now: () => ports.clock.now(),
    isCurrent: () => true,
    idleMs: () => Number.POSITIVE_INFINITY,
  });
  const parking = new Parking<ModernCall>(ports.seal);
  const stateless = new StatelessRequests({
    ports,
    parking,
    sessions,
    endpoint,
    principal: PARENT_PROCESS,
    header: undefined,
  });
  let session: LegacySession | undefined;
  let finish: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  }).then(() => atMost(LAST_READ_MS, outbox.taken()));
  let opening: Promise<void> = Promise.resolve();

  const outbox = new Outbox(streams.stdout, PARENT_PROCESS.id);
  const answer = (written: Written) => {
    if (!outbox.answer(toLine(toText(written)))) finish();
  };
  // What a client that stopped reading is not told is lost to it; its answers wait, up to a bound.
  const tell = (text: string) => void outbox.tell(toLine(text));
  const reply: Reply = { message: tell, answer, end: () => true };

  function receiveLine(line: Buffer): void {
    const { limits } = ports.snapshot().gateway;
    try {
      if (line.length > limits.bodyBytes)
        throw new FaultError('too_large', `The message is larger than ${limits.bodyBytes} bytes.`);
      const rules = { maxDepth: limits.depth, uniqueKeys: true };
      const batch = parseBatch(line, rules);
      if (batch === undefined) receive(parseMessage(line, rules), reply);
      else if (session === undefined || !hasBatches(session.revision) || batch.length === 0)
        throw new FaultError('invalid_request', 'Batches are part of revision 2025-03-26 only, after "initialize".');
      else answerBatch(batch, reply, receive);
    } catch (error) {
      answer(toErrorText(undefined, error));
    }
  }

  function receive(message: Message, to: Reply): void {
    if (message instanceof Request && carriesModernMeta(message.params)) {
      stateless.receive(message, to);
    } else if (message instanceof Request && message.method === 'initialize' && session === undefined) {
      opening = initialize(message);
    } else if (session !== undefined) {
      if (message instanceof Notification && message.method === 'notifications/cancelled') stateless.cancel(message);
      session.receive(message, to);
    } else if (message instanceof Notification && message.method === 'notifications/cancelled') {
      stateless.cancel(message);
    } else if (message instanceof Request) {
      const dated = message.method === 'server/discover' || message.params['_meta'] !== undefined;
      to.answer(
        toErrorText(
          message.id,
          dated
            ? new FaultError(
                'usage',
                'params._meta["io.modelcontextprotocol/protocolVersion"] is missing: every request names the revision it speaks.',
              )
            : new FaultError('invalid_request', 'Send "initialize" first, or name the revision in params._meta.'),
        ),
        200,
      );
    }
  }

  async function initialize(message: Request): Promise<void> {
    const opened = new LegacySession(ports, sessions.newId(), {
      request: message,
      endpoint,
      principal: PARENT_PROCESS,
    });
    session = opened;
    opened.setOutlet(tell);
    opened.onClose = () => finish();
    sessions.add(opened, 1);
    try {
      reply.answer(await opened.initialize(message), 200);
    } catch (error) {
      reply.answer(toErrorText(message.id, error), 200);
      session = undefined;
      opened.onClose = undefined;
    }
  }

  const stop = readLines(streams.stdin, ports.snapshot().gateway.limits.bodyBytes, receiveLine, () => {
    void atMost(LAST_ANSWERS_MS, Promise.all([ports.inFlight.whenIdle(), opening])).then(finish);
  });
  return {
    ended,
    close() {
      stop();
      stateless.close();
      parking.close();
      sessions.close();
      finish();
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms).unref())]);
}

/** One message a line: JSON may hold line ends between its tokens, and there a space means the same. */
function toLine(text: string): string {
  return `${text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, ' ') : text}\n`;
}

/** Modern requests in flight on one channel: here only `notifications/cancelled` can say which of them is given up. */
class StatelessRequests {
  readonly #context: ModernContext;
  readonly #open = new Map<string, { cancel(): void }>();

  constructor(context: ModernContext) {
    this.#context = context;
  }

  receive(request: Request, to: Reply): void {
    if (this.#open.has(request.id)) {
      to.answer(
        toErrorText(request.id, new FaultError('invalid_request', 'A request with this id is in flight.')),
        200,
      );
      return;
    }
    let over = false;
    const once: Reply = {
      message: to.message,
      answer: (written, status) => {
        if (over) return;
        over = true;
        this.#open.delete(request.id);
        to.answer(written, status);
      },
    };
    const work = receiveModern(this.#context, request, once);
    if (work === undefined || over) return;
    this.#open.set(request.id, {
      cancel: () => {
        // What is cancelled gets no answer (2026-07-28 cancellation).
        over = true;
        work.onReplyClosed(once);
      },
    });
  }

  cancel(notification: Notification): void {
    const span = notification.param('requestId');
    if (span === undefined) return;
    const id = notification.bytes.toString('latin1', span.start, span.end);
    this.#open.get(id)?.cancel();
    this.#open.delete(id);
  }

  close(): void {
    for (const work of this.#open.values()) work.cancel();
    this.#open.clear();
  }
}
