import type { Target } from '../load/connection.ts';
import { ECHO_TEXT } from '../load/messages.ts';

/** Callers that call `echo`, each time with a text of its own, one call after the other. */
export interface TextCallers {
  readonly answered: number;
  readonly refused: number;
  /** Of the slowest refusal. Milliseconds. */
  readonly slowestRefusal: number;
  /** Fulfilled with the next answer that comes, or the next refusal; rejected when it does not come in time. */
  next(kind: 'answer' | 'refusal', withinMs: number): Promise<void>;
  /** Ends when no caller calls any more. Callers also end when nobody answers them. */
  stop(): Promise<void>;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench-load', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function startTextCallers(target: Target, label: string, callers: number): TextCallers {
  const counts = { answer: 0, refusal: 0 };
  let waiting: { readonly kind: 'answer' | 'refusal'; done(): void }[] = [];
  let slowestRefusal = 0;
  let over = false;
  const drive = async (caller: number): Promise<void> => {
    for (let i = 0; !over; i++) {
      const startedAt = performance.now();
      const kind = await callOnce(target, `${label}-${caller}-${i} ${ECHO_TEXT}`).catch(() => undefined);
      if (kind === undefined) return;
      counts[kind]++;
      if (kind === 'refusal') slowestRefusal = Math.max(slowestRefusal, performance.now() - startedAt);
      for (const one of waiting) if (one.kind === kind) one.done();
      waiting = waiting.filter((one) => one.kind !== kind);
    }
  };
  const ended = Promise.all(Array.from({ length: callers }, (_, caller) => drive(caller)));
  return {
    get answered() {
      return counts.answer;
    },
    get refused() {
      return counts.refusal;
    },
    get slowestRefusal() {
      return slowestRefusal;
    },
    next: (kind, withinMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no ${kind} within ${withinMs} ms`)), withinMs);
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.push({ kind, done });
      }),
    async stop() {
      over = true;
      await ended;
    },
  };
}

/** One call with this text, over a connection of a pool. @throws where nobody answers. */
export async function callOnce(
  { port, path, headers, toolPrefix }: Target,
  text: string,
): Promise<'answer' | 'refusal'> {
  const name = `${toolPrefix}echo`;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: { text }, _meta: META },
    }),
  });
  const body = await response.text();
  return response.ok && body.includes(text) ? 'answer' : 'refusal';
}
