import { setTimeout } from 'node:timers/promises';
import { isFrom, isModern, type Revision } from './cells.ts';
import { readEvents } from './event-stream.ts';
import type { Hear, Outgoing, Transport } from './raw-client.ts';

export interface HttpTarget {
  readonly url: string;
  readonly key: string | undefined;
  readonly revision: Revision;
}

/** Which member of params the Mcp-Name header repeats (2026-07-28 streamable-http#standard-headers). */
const named = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Streamable HTTP of every revision that has it. */
export function openHttp({ url, key, revision }: HttpTarget): (hear: Hear) => Transport {
  return (hear) => {
    const exchanges = new Map<number, AbortController>();
    const reading = new Set<Promise<void>>();
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };

    async function post(outgoing: Outgoing): Promise<void> {
      const abort = new AbortController();
      exchanges.set(outgoing.via, abort);
      const own = isModern(revision) ? toModernHeaders(outgoing, revision) : {};
      const { signal } = abort;
      const send = () => fetch(url, { method: 'POST', headers: { ...headers, ...own }, body: outgoing.text, signal });
      let response = await send();
      // A server that starts has not answered yet: clients come again when they are told to.
      for (let after = toRetryMs(response); after !== undefined; after = toRetryMs(response)) {
        await response.arrayBuffer();
        await setTimeout(after, undefined, { signal });
        response = await send();
      }
      const session = response.headers.get('mcp-session-id');
      if (session !== null) headers['mcp-session-id'] = session;
      // Not waited for: an answer may take long, and questions on the stream are answered meanwhile.
      track(read(response, outgoing).finally(() => exchanges.delete(outgoing.via)));
    }

    async function read(response: Response, { via, method, text }: Outgoing): Promise<void> {
      const { status, body } = response;
      const type = response.headers.get('content-type') ?? '';
      if (status === 202) await response.arrayBuffer();
      else if (type.startsWith('text/event-stream') && body !== null) {
        for await (const event of readEvents(body)) if (event.data !== '') hear(event.data, via, status);
      } else if (type.startsWith('application/json') && method !== undefined) hear(await response.text(), via, status);
      else throw new Error(`${status} ${type} for ${text}: ${await response.text()}`);
    }

    function track(promise: Promise<void>): void {
      const settled = promise
        .catch((error: unknown) => {
          if (!(error instanceof Error && error.name === 'AbortError')) throw error;
        })
        .finally(() => reading.delete(settled));
      reading.add(settled);
    }

    const standing = new AbortController();
    return {
      send: post,
      async established(negotiated) {
        if (isFrom(negotiated, '2025-06-18')) headers['mcp-protocol-version'] = negotiated;
        const accept = { ...headers, accept: 'text/event-stream' };
        const response = await fetch(url, { headers: accept, signal: standing.signal });
        if (response.status !== 200 || response.body === null) throw new Error(`GET answered ${response.status}`);
        const { body } = response;
        track(
          (async () => {
            for await (const event of readEvents(body)) if (event.data !== '') hear(event.data, undefined);
          })(),
        );
      },
      drop: (via) => exchanges.get(via)?.abort(),
      async close() {
        if (headers['mcp-session-id'] !== undefined) {
          const response = await fetch(url, { method: 'DELETE', headers });
          if (!response.ok) throw new Error(`DELETE answered ${response.status}`);
        }
        standing.abort();
        for (const abort of exchanges.values()) abort.abort();
        await Promise.all(reading);
      },
    };
  };
}

function toRetryMs({ status, headers }: Response): number | undefined {
  const seconds = headers.get('retry-after');
  return status === 503 && seconds !== null ? Number(seconds) * 1_000 : undefined;
}

function toModernHeaders({ method, params, headers: more }: Outgoing, revision: Revision): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-protocol-version': revision };
  if (method === undefined) return headers;
  headers['mcp-method'] = method;
  const member = named.get(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string') headers['mcp-name'] = name;
  return { ...headers, ...more };
}
