import { beforeAll, describe, expect, it } from 'vitest';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({
    mcpServers: { one: misbehaving({ tools: ['echo', 'wait'] }), two: misbehaving({ tools: ['echo'] }) },
  });
});

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.origin}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${gateway.key}`, ...init.headers },
  });

describe('the REST API of a running Sallyport', () => {
  it('lists servers and tools, page by page', async () => {
    const tools = (await (await call('/tools?limit=2')).json()) as { items: { name: string }[]; next: string };
    expect(tools.items.map(({ name }) => name)).toEqual(['one_echo', 'one_wait']);
    expect(await (await call(`/tools?limit=2&cursor=${tools.next}`)).json()).toMatchObject({
      items: [{ name: 'two_echo' }],
    });
    expect(await (await call('/servers')).json()).toMatchObject({
      items: [
        { name: 'one', transport: 'stdio', state: 'ready' },
        { name: 'two', transport: 'stdio', state: 'ready' },
      ],
    });
  });

  it('restarts a server, and tells of it', async () => {
    const abort = new AbortController();
    const events = await call('/events', { signal: abort.signal });
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const restarted = await call('/servers/one/restart', { method: 'POST' });
    expect(restarted.status).toBe(200);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    await call('/tools');
    await fetch(`${gateway.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'one_echo',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'one_echo',
          arguments: {},
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    let text = '';
    while (!text.includes('event: connected\ndata: {"upstream":"one"}')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended: ${text}`);
      text += value;
    }
    abort.abort();
  });

  it('refuses strangers, other sites and what is not there', async () => {
    expect((await fetch(`${gateway.origin}/api/v1/servers`)).status).toBe(401);
    expect((await call('/servers', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    const missing = await call('/servers/three');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('content-type')).toBe('application/problem+json');
    expect(await missing.json()).toMatchObject({ code: 'not_found', detail: 'There is no server "three".' });
  });
});
