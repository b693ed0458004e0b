import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEvents } from './matrix/event-stream.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const SERVER = new URL('../../../servers/conformance-mcp-server/dist/main.js', import.meta.url).pathname;
const REVISION = '2026-07-28';

let gateway: RunningGateway;
beforeAll(async () => {
  const jobs = { command: process.execPath, args: [SERVER, '--transport', 'stdio', '--era', 'modern'] };
  gateway = await startGateway({ mcpServers: { jobs, other: { ...jobs } }, taint: { mode: 'off' } });
});
afterAll(() => gateway.process.stop());

type Fields = Record<string, unknown>;

function post(
  method: string,
  params: Fields,
  options: { path?: string; client?: string; id?: number } = {},
): Promise<Response> {
  const { path = '/mcp', client = 'first', id = 1 } = options;
  const name = params['taskId'] ?? params['name'];
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  return fetch(new URL(path, gateway.url), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${gateway.key}`,
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(name === undefined ? {} : { 'Mcp-Name': String(name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
  });
}

async function result(...call: Parameters<typeof post>): Promise<Fields> {
  const { result: found, error } = (await (await post(...call)).json()) as { result?: Fields; error?: unknown };
  expect(error).toBeUndefined();
  return found ?? {};
}

test('a task is reached from any connection by the id the shared endpoint gave it, and at its own server by its own', async () => {
  const created = await result('tools/call', { name: 'jobs_slow_compute', arguments: { seconds: 30 } });
  expect(created['resultType']).toBe('task');
  const id = String(created['taskId']);
  expect(id).toMatch(/^jobs:/);
  expect(await result('tasks/get', { taskId: id }, { client: 'second' })).toMatchObject({
    taskId: id,
    status: 'working',
  });
  const own = id.slice('jobs:'.length);
  expect(await result('tasks/get', { taskId: own }, { path: '/servers/jobs/mcp' })).toMatchObject({
    taskId: own,
    status: 'working',
  });
  await result('tasks/cancel', { taskId: id }, { client: 'third' });
  expect(await result('tasks/get', { taskId: id })).toMatchObject({ status: 'cancelled' });
});

test("a task of one server is not another's, and an unknown one is an error with its reason", async () => {
  const created = await result('tools/call', { name: 'jobs_slow_compute', arguments: { seconds: 30 } });
  const own = String(created['taskId']).slice('jobs:'.length);
  for (const taskId of [`other:${own}`, own, 'nobody:1']) {
    const answer = (await (await post('tasks/get', { taskId })).json()) as { error: { code: number } };
    expect(answer.error.code).toBe(-32602);
  }
});

test('status notifications of a followed task arrive under the id the client knows, and only those', async () => {
  const created = await result('tools/call', { name: 'jobs_confirm_delete', arguments: { filename: 'a' } });
  const id = String(created['taskId']);
  const stream = await post('subscriptions/listen', { notifications: { taskIds: [id] } }, { id: 9 });
  const events = readEvents(stream.body as unknown as AsyncIterable<Uint8Array>);
  const next = async () => JSON.parse(String((await events.next()).value?.data)) as { method: string; params: Fields };
  expect(await next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [id] } },
  });
  await result('tasks/cancel', { taskId: id });
  const told = await next();
  expect(told).toMatchObject({ method: 'notifications/tasks', params: { taskId: id, status: 'cancelled' } });
  expect(told.params['_meta']).toMatchObject({ 'io.modelcontextprotocol/subscriptionId': 9 });
  await events.return(undefined);
});
