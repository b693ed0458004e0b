import { readEvents } from './event-stream.ts';
import { type Hear, type Transport, within } from './raw-client.ts';

/** HTTP+SSE of 2024-11-05: one event stream for everything that comes, one path for everything that goes. */
export function openSse({ url, key }: { url: string; key: string | undefined }): (hear: Hear) => Transport {
  return (hear) => {
    const abort = new AbortController();
    const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    let opened: (endpoint: URL) => void = () => {};
    let failed: (error: unknown) => void = () => {};
    const endpoint = new Promise<URL>((resolve, reject) => {
      opened = resolve;
      failed = reject;
    });

    async function read(): Promise<void> {
      const headers = { ...authorization, accept: 'text/event-stream' };
      const response = await fetch(url, { headers, signal: abort.signal });
      if (response.status !== 200 || response.body === null) throw new Error(`GET answered ${response.status}`);
      for await (const event of readEvents(response.body)) {
        if (event.name === 'endpoint') opened(new URL(event.data, url));
        else hear(event.data, undefined);
      }
    }

    const reading = read().catch((error: unknown) => {
      failed(error);
      if (!abort.signal.aborted) throw error;
    });
    return {
      async send({ text }) {
        const headers = { ...authorization, 'content-type': 'application/json' };
        const target = await within(endpoint, () => 'no endpoint event');
        const response = await fetch(target, { method: 'POST', headers, body: text });
        if (response.status !== 202) throw new Error(`POST answered ${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      },
      async close() {
        abort.abort();
        await reading;
      },
    };
  };
}
