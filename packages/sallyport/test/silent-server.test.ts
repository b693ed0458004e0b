import { describe, expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { messageIn, openExchange } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { eventsOf, INITIALIZE } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { StdioGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** Accepts every connection and never answers. */
const startSilent = () => startHttpUpstream({ behave: () => true });

/** Refuses everything until it is opened. */
async function startLate(tools: readonly string[]) {
  let isOpen = false;
  const upstream = await startHttpUpstream({
    tools,
    behave: (_message, response) => {
      if (!isOpen) response.writeHead(503).end();
      return !isOpen;
    },
  });
  return {
    url: upstream.url,
    open: () => {
      isOpen = true;
    },
  };
}

const namesIn = (result: Record<string, unknown> | undefined) =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
const MISSING = { 'dev.sallyport/missing': ['silent'] };

describe('a server that accepts connections and says nothing', () => {
  it('delays no call of another server while it is added', async () => {
    const [steady, silent] = [await startHttpUpstream(), await startSilent()];
    const servers = { steady: { url: steady.url } };
    const gateway = await startGateway({ mcpServers: servers }, ['--no-call-log']);
    const legacy = await new PlainClient(gateway).initialize();
    const modern = new PlainClient(gateway);
    expect(textOf(await legacy.call('steady_echo'))).toBeDefined();
    gateway.process.write({ mcpServers: { ...servers, silent: { url: silent.url, startTimeoutMs: 600_000 } } });
    gateway.process.child.kill('SIGHUP');
    await waitFor(() => expect(silent.heard.length).toBeGreaterThan(0));
    let slowest = 0;
    for (let i = 0; i < 40; i++) {
      const startedAt = performance.now();
      const answer = i % 2 === 0 ? await legacy.call('steady_echo') : await modern.callModern('steady_echo');
      slowest = Math.max(slowest, performance.now() - startedAt);
      expect(textOf(answer)).toBeDefined();
    }
    // Far from the ten minutes that this start may take; what a call costs is for the bench.
    expect(slowest).toBeLessThan(60_000);
  });

  it('lets others be introduced and listed beside it, and is named as missing', async () => {
    const [steady, silent] = [await startHttpUpstream(), await startSilent()];
    const gateway = await startGateway({
      mcpServers: { silent: { url: silent.url, startTimeoutMs: 600_000 }, steady: { url: steady.url } },
    });
    const startedAt = performance.now();
    const legacy = await new PlainClient(gateway).initialize();
    const listed = await legacy.request('tools/list');
    const discovered = await new PlainClient(gateway).requestModern('server/discover');
    const modern = await new PlainClient(gateway).requestModern('tools/list');
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(namesIn(listed.result)).toEqual(['steady_echo']);
    expect(listed.result?.['_meta']).toEqual(MISSING);
    expect(namesIn(modern.result)).toEqual(['steady_echo']);
    expect(modern.result?.['_meta']).toMatchObject(MISSING);
    const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true } };
    expect(discovered.result?.['capabilities']).toMatchObject(capabilities);
  });

  it('has an endpoint that says so in both eras, with an error that clients retry', async () => {
    const silent = await startSilent();
    const gateway = await startGateway({ mcpServers: { silent: { url: silent.url } } });
    const client = new PlainClient(gateway, `${gateway.origin}/servers/silent/mcp`);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const legacy = await client.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    const modern = await client.askModern('server/discover');
    for (const answer of [legacy, modern]) {
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
      expect(messageIn(answer).error?.message).toBe('"silent" cannot be used now. It has not answered yet.');
    }
    const list = await client.requestModern('tools/list');
    expect(list).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('"silent" cannot be used') },
    });
  });
});

describe('a server that comes late', () => {
  it('is announced to clients of the shared endpoint in both eras', async () => {
    const [steady, late] = [await startHttpUpstream(), await startLate(['news'])];
    const gateway = await startGateway({ mcpServers: { steady: { url: steady.url }, late: { url: late.url } } });
    const legacy = await new PlainClient(gateway).initialize();
    const { accept: _, ...headers } = gateway.headers;
    const stream = await openExchange({
      url: gateway.url,
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream', ...legacy.session },
    });
    const listen = { notifications: { toolsListChanged: true } };
    const listening = await openExchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...modernHeaders('subscriptions/listen') },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: modernParams(listen) }),
    });
    for (const open of [stream, listening]) atTheEnd(() => open.destroy());
    expect(namesIn((await legacy.request('tools/list')).result)).toEqual(['steady_echo']);
    late.open();
    for (const open of [stream, listening])
      for await (const event of eventsOf(open)) if (event.includes('notifications/tools/list_changed')) break;
    expect(namesIn((await legacy.request('tools/list')).result)).toEqual(['steady_echo', 'late_news']);
  });

  it('is announced to a client that started Sallyport for it alone, and cannot try again', async () => {
    const late = await startLate(['news']);
    const gateway = new StdioGateway({ mcpServers: { late: { url: late.url } } }, ['--server', 'late']);
    gateway.send(JSON.stringify({ jsonrpc: '2.0', id: 'start', method: 'initialize', params: INITIALIZE }));
    const { result } = JSON.parse(await gateway.line('"id":"start"'));
    expect(result.capabilities.tools).toEqual({ listChanged: true });
    expect(result.instructions).toContain('The server late cannot be used now');
    gateway.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    late.open();
    await gateway.line('notifications/tools/list_changed');
    gateway.send('{"jsonrpc":"2.0","id":"list","method":"tools/list"}');
    expect(namesIn(JSON.parse(await gateway.line('"id":"list"')).result)).toEqual(['news']);
  });

  it('is introduced at its own endpoint to a client that tries again', async () => {
    const late = await startLate(['news']);
    const gateway = await startGateway({ mcpServers: { late: { url: late.url } } });
    const url = `${gateway.origin}/servers/late/mcp`;
    const client = new PlainClient(gateway, url);
    expect((await client.ask('initialize', INITIALIZE)).status).toBe(503);
    late.open();
    await client.initialize();
    expect(namesIn((await client.request('tools/list')).result)).toEqual(['news']);
  });
});
