import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { atTheEnd } from './at-the-end.ts';
import { exchange, messageIn } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

/** Its tools are written otherwise in each era. */
function makeServer(): McpServer {
  const server = new McpServer({ name: 'both', version: '1' });
  const counting = server.registerTool(
    'numbers',
    { description: 'Counts.', outputSchema: z.array(z.number()) },
    () => ({ content: [], structuredContent: [1, 2] }),
  );
  counting.execution = { taskSupport: 'optional' };
  server.registerTool('sign', { description: 'Needs a signature.' }, () => {
    const asked = { mode: 'url', elicitationId: 'e1', message: 'Sign here.', url: 'https://example.com/sign' } as const;
    throw new UrlElicitationRequiredError([asked]);
  });
  return server;
}

let direct: string;
let through: PlainClient;
beforeAll(async () => {
  const handle = toNodeHandler(createMcpHandler(makeServer));
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  direct = `http://127.0.0.1:${port}/mcp`;
  const gateway = await startGateway({ mcpServers: { both: { url: direct } } });
  through = new PlainClient(gateway, gateway.url.replace(/\/mcp$/, '/servers/both/mcp'));
  await through.initialize();
});

async function askDirect(era: 'legacy' | 'modern', method: string, params: Record<string, unknown>) {
  const own = era === 'modern' ? modernHeaders(method, params) : { 'mcp-protocol-version': '2025-11-25' };
  const sent = era === 'modern' ? modernParams(params) : params;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent });
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...own };
  return messageIn(await exchange({ url: direct, headers, body }));
}

const ask = (era: 'legacy' | 'modern', method: string, params: Record<string, unknown>) =>
  era === 'modern' ? through.requestModern(method, params) : through.request(method, params);

/** What a server is free to add in its own name. */
const bare = ({ result, error }: Awaited<ReturnType<typeof askDirect>>) => {
  const { _meta, ttlMs, cacheScope, ...rest } = result ?? {};
  return { result: result && rest, error };
};

describe('a server of the official SDK, which speaks both eras', () => {
  // Back and forth: what one era was shown must not hold what the other one is shown.
  it.each(['legacy', 'modern', 'legacy', 'modern'] as const)(
    'says to a %s client what it says without Sallyport',
    async (era) => {
      for (const [method, params] of [
        ['tools/list', {}],
        ['tools/call', { name: 'numbers', arguments: {} }],
        ['tools/call', { name: 'sign', arguments: {} }],
      ] as const)
        expect(bare(await ask(era, method, params))).toEqual(bare(await askDirect(era, method, params)));
    },
  );

  it('keeps what its clients of 2025-11-25 need', async () => {
    const listed = await through.request('tools/list');
    expect(listed.result?.['tools']).toMatchObject([
      { execution: { taskSupport: 'optional' }, outputSchema: { type: 'object', required: ['result'] } },
      {},
    ]);
    expect((await through.call('numbers')).result?.['structuredContent']).toEqual({ result: [1, 2] });
    expect((await through.call('sign')).error?.code).toBe(-32042);
  });
});
