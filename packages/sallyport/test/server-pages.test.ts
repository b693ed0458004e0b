import { expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

/** Opaque, and nothing that a program in between should look into. */
const [SECOND, THIRD] = ['eyJvZmZzZXQiOjF9==/page-2?after=b', 'page 3'];
const PAGES: Readonly<Record<string, { readonly names: readonly string[]; readonly next?: string }>> = {
  '': { names: ['a', 'b'], next: SECOND },
  [SECOND]: { names: ['c'], next: THIRD },
  [THIRD]: { names: ['d', 'e'] },
  'of an earlier run': { names: ['b', 'unknown', 'c'], next: SECOND },
};

/** A server with pages of its own. */
async function startPaged() {
  const asked: (string | undefined)[] = [];
  const server = await startHttpUpstream({
    behave({ id, method, params }, response) {
      if (method !== 'tools/list') return false;
      asked.push(params?.cursor);
      const page = PAGES[params?.cursor ?? ''];
      const tools = page?.names.map((name) => ({ name, inputSchema: { type: 'object' } }));
      const answer =
        page === undefined
          ? { error: { code: -32602, message: 'no such cursor here' } }
          : { result: { tools, nextCursor: page.next } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      return true;
    },
  });
  return { server, asked };
}

const toPage = ({ result, error }: Awaited<ReturnType<PlainClient['request']>>) => ({
  names: ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
  next: result?.['nextCursor'],
  error,
});

test('the endpoint of a server has the pages and the cursors of that server', async () => {
  const { server, asked } = await startPaged();
  const gateway = await startGateway({ mcpServers: { up: { url: server.url, disabledTools: ['d'] } } });
  const legacy = await new PlainClient(gateway, gateway.servers['up']).initialize();
  expect(toPage(await legacy.request('tools/list'))).toEqual({ names: ['a', 'b'], next: SECOND });
  const modern = new PlainClient(gateway, gateway.servers['up']);
  expect(toPage(await modern.requestModern('tools/list', { cursor: SECOND }))).toEqual({ names: ['c'], next: THIRD });
  expect(toPage(await legacy.request('tools/list', { cursor: THIRD }))).toEqual({ names: ['e'] });
  expect(asked.filter((cursor) => cursor === SECOND).length).toBe(
    asked.filter((cursor) => cursor === undefined).length,
  );
});

test('a cursor that is not known here is up to its server, and what it shows is what the catalogue has', async () => {
  const { server } = await startPaged();
  const gateway = await startGateway({ mcpServers: { up: { url: server.url } } });
  const client = await new PlainClient(gateway, gateway.servers['up']).initialize();
  await client.request('tools/list');
  expect(toPage(await client.request('tools/list', { cursor: 'of an earlier run' }))).toEqual({
    names: ['b', 'c'],
    next: SECOND,
  });
  const refused = await client.request('tools/list', { cursor: 'of nobody' });
  expect(refused.error).toMatchObject({ code: -32602, message: 'no such cursor here' });
});

test.each([
  ['the shared endpoint', '/mcp', {}],
  ['an endpoint with an allow list', '/servers/up/mcp', { allow: { tools: ['*'] } }],
])('%s asks no server about a cursor', async (_, path, own) => {
  const { server, asked } = await startPaged();
  const gateway = await startGateway({ mcpServers: { up: { url: server.url, ...own } } });
  const client = await new PlainClient(gateway, `${gateway.origin}${path}`).initialize();
  await client.request('tools/list');
  const refused = await client.request('tools/list', { cursor: 'of nobody' });
  expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('not one this list gave out') });
  expect(asked).not.toContain('of nobody');
});
