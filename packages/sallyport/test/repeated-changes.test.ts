import { expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { openExchange } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { eventsOf } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const CHANGED = 'notifications/tools/list_changed';

/** A server that announces a change of its tools with each call, whether or not there is one. */
async function startAnnouncer() {
  const state = { tools: ['echo'] };
  const server = await startHttpUpstream({
    behave({ id, method }, response) {
      const tools = state.tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
      const result = method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'announced' }] };
      if (method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: CHANGED })}\n\n`);
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
        return true;
      }
      if (method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    },
  });
  return Object.assign(state, { server });
}

/** What a client of this endpoint hears, in either era. */
async function hear(gateway: RunningGateway, url: string, era: 'legacy' | 'modern') {
  const client = await new PlainClient(gateway, url).initialize();
  const listen = modernParams({ notifications: { toolsListChanged: true } });
  const stream = await openExchange(
    era === 'legacy'
      ? { url, method: 'GET', headers: { ...gateway.headers, ...client.session, accept: 'text/event-stream' } }
      : {
          url,
          headers: { ...gateway.headers, ...modernHeaders('subscriptions/listen') },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: listen }),
        },
  );
  atTheEnd(() => stream.destroy());
  const heard: string[] = [];
  void (async () => {
    for await (const event of eventsOf(stream)) if (event.includes(CHANGED)) heard.push(event);
  })().catch(() => {});
  return { client, heard };
}

test.each(['legacy', 'modern'] as const)(
  'a %s client hears on the endpoint of a server what it announces, and elsewhere what is a change',
  async (era) => {
    const announcer = await startAnnouncer();
    const gateway = await startGateway({ mcpServers: { up: { url: announcer.server.url } } });
    const own = await hear(gateway, gateway.servers['up'] ?? '', era);
    const shared = await hear(gateway, gateway.url, era);
    for (const { client } of [own, shared]) await client.request('tools/list');
    expect(textOf(await own.client.call('echo'))).toBe('announced');
    await expect.poll(() => own.heard.length).toBe(1);
    announcer.tools = ['echo', 'other'];
    expect(textOf(await own.client.call('echo'))).toBe('announced');
    await expect.poll(() => shared.heard.length).toBe(1);
    await expect.poll(() => own.heard.length).toBe(2);
    expect(shared.heard).toHaveLength(1);
  },
);
