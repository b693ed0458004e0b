import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEvents } from './matrix/event-stream.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const SERVER = new URL('../../../servers/conformance-mcp-server/dist/main.js', import.meta.url).pathname;
const KIT_SERVER = new URL('../../kit/dist/tasks/jobs.fixture.js', import.meta.url).pathname;
const REVISION = '2026-07-28';

const folder = mkdtempSync(join(tmpdir(), 'kit-jobs-'));
let gateway: RunningGateway;
beforeAll(async () => {
  const jobs = { command: process.execPath, args: [SERVER, '--transport', 'stdio', '--era', 'modern'] };
  const kit = { command: process.execPath, args: [KIT_SERVER], env: { JOBS: folder } };
  gateway = await startGateway({ mcpServers: { jobs, other: { ...jobs }, kit }, taint: { mode: 'off' } });
});
afterAll(async () => {
  await gateway.process.stop();
  rmSync(folder, { recursive: true });
});

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

test('tasks of a server of the kit: notifications, answers, and the truth after it was killed', async () => {
  const start = async (name: string, args: Fields = {}) =>
    String((await result('tools/call', { name: `kit_${name}`, arguments: args }))['taskId']);
  const get = (taskId: string) => result('tasks/get', { taskId });
  const found = await start('jobs_wait_file', { name: 'a' });
  const stream = await post('subscriptions/listen', { notifications: { taskIds: [found] } }, { id: 9 });
  const events = readEvents(stream.body as unknown as AsyncIterable<Uint8Array>);
  const next = async () => JSON.parse(String((await events.next()).value?.data)) as { params: Fields };
  expect(await next()).toMatchObject({ params: { notifications: { taskIds: [found] } } });
  writeFileSync(join(folder, 'a'), '');
  let told = await next();
  while (told.params['status'] === 'working') told = await next();
  expect(told.params).toMatchObject({ taskId: found, status: 'completed', result: { content: [{ type: 'text' }] } });
  await events.return(undefined);

  const asks = await start('jobs_ask_person');
  for (const key of ['answer0', 'answer1']) {
    await expect.poll(async () => (await get(asks))['inputRequests']).toHaveProperty(key);
    await result('tasks/update', {
      taskId: asks,
      inputResponses: { [key]: { action: 'accept', content: { sure: true } } },
    });
  }
  await expect.poll(() => get(asks)).toMatchObject({ result: { structuredContent: { said: 'true true' } } });

  const killed = await start('jobs_wait_file', { name: 'never' });
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
  await expect
    .poll(async () => {
      // The gateway starts the server again for the next request; one that was under way may fail.
      const answer = await post('tasks/get', { taskId: killed });
      return ((await answer.json()) as { result?: Fields }).result;
    })
    .toMatchObject({ status: 'failed', error: { message: expect.stringContaining('nobody knows') } });
});
