import { expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { MODERN, modernParams, PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const note = (method: string, params: Record<string, unknown> = {}) =>
  JSON.stringify({ jsonrpc: '2.0', method, params: modernParams(params) });

test.each([
  ['modern', true],
  ['legacy', false],
] as const)('notifications of a modern client reach a %s server, in their order', async (_, modern) => {
  const server = await startHttpUpstream({ modern });
  const gateway = await startGateway({ mcpServers: { up: { url: server.url } } });
  const client = new PlainClient(gateway, gateway.servers['up']);
  await client.callModern('echo', {});
  const send = async (method: string, params?: Record<string, unknown>) => {
    const { status } = await client.post(note(method, params), {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
    });
    expect(status).toBe(202);
  };
  const before = server.heard.length;
  for (const method of ['vendor/first', 'notifications/custom', 'vendor/second']) await send(method, { a: 1 });
  // A call without an id is no notification; the others belong to a stream or to a handshake.
  for (const method of ['tools/call', 'ping', 'notifications/cancelled', 'notifications/initialized'])
    await send(method, { name: 'echo' });
  await send('vendor/last');
  await waitFor(() => expect(server.heard).toContain('vendor/last'));
  expect(server.heard.slice(before).filter((method) => method !== 'notifications/initialized')).toEqual([
    'vendor/first',
    'notifications/custom',
    'vendor/second',
    'vendor/last',
  ]);
});

test('where an allow list says what may be reached, only notifications of the protocol pass', async () => {
  const server = await startHttpUpstream({ modern: true });
  const gateway = await startGateway({ mcpServers: { up: { url: server.url, allow: { tools: ['echo'] } } } });
  const client = new PlainClient(gateway, gateway.servers['up']);
  await client.callModern('echo', {});
  for (const method of ['vendor/beat', 'notifications/last'])
    await client.post(note(method), { 'mcp-protocol-version': MODERN, 'mcp-method': method });
  await waitFor(() => expect(server.heard).toContain('notifications/last'));
  expect(server.heard).not.toContain('vendor/beat');
});
