import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type JsonRpcResponse } from '@modelcontextprotocol/ext-tasks/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModernHandler } from '../modern-handler.ts';
import type { KitServer } from '../server.ts';
import { connectTestClient } from '../testing/testing.ts';
import { createJobs } from './jobs.fixture.ts';
import { LEASE_MS, LIFE_MS, openTaskStore } from './task-store.ts';

type Members = Record<string, unknown>;
type Send = (url: string, init: RequestInit) => Promise<Response>;

const JOBS = fileURLToPath(new URL('../../dist/tasks/jobs.fixture.js', import.meta.url));
const TASKS = { 'io.modelcontextprotocol/tasks': {} };
const FRAMING = {
  protocolVersion: '2026-07-28',
  clientInfo: { name: 'tasks-test', version: '1.0.0' },
  clientCapabilities: { elicitation: { form: {} }, extensions: TASKS },
};

let folder = '';
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kit-tasks-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** Sends requests of 2026-07-28 as they are on the wire. */
function wire(send: Send, url = 'http://kit.test/mcp') {
  return async (method: string, params: Members, capabilities: Members = FRAMING.clientCapabilities) => {
    const { protocolVersion, clientInfo } = FRAMING;
    const name = params['taskId'] ?? params['name'];
    const { _meta, ...rest } = params;
    return send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocolVersion,
        'mcp-method': method,
        ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 7, method },
        params: {
          ...rest,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': protocolVersion,
            'io.modelcontextprotocol/clientInfo': clientInfo,
            'io.modelcontextprotocol/clientCapabilities': capabilities,
            ...(_meta as Members | undefined),
          },
        },
      }),
    });
  };
}

async function read(response: Response): Promise<{ result?: Members; error?: { code: number; message: string } }> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

/** A server in this process. */
function open(): { readonly server: KitServer; readonly send: Send; readonly post: ReturnType<typeof wire> } {
  const server = createJobs(folder);
  const handler = createModernHandler(server);
  closing.push(() => handler.close().then(() => server.close()));
  const send: Send = (url, init) => handler.fetch(new Request(url, init));
  return { server, send, post: wire(send) };
}

/** The official client of the extension. */
async function connect(send: Send) {
  const client = new Client(FRAMING.clientInfo, {
    capabilities: FRAMING.clientCapabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://kit.test/mcp'), {
      fetch: (url, init) => send(String(url), init ?? {}),
    }),
  );
  const post = wire(send);
  const session = createTaskSessionFromClient(client, {
    endpointId: 'jobs',
    v2RequestFraming: FRAMING,
    rawDispatch: async (request) => {
      const { method, params, id } = request as unknown as { method: string; params: Members; id: number };
      return { ...(await read(await post(method, params))), jsonrpc: '2.0', id } as JsonRpcResponse;
    },
    onInputRequest: async () => ({ action: 'accept', content: { sure: true } }) as never,
  });
  closing.push(async () => {
    await session.close();
    await client.close();
  });
  return session;
}

describe('the client of the extension', () => {
  test('gets the result of long work, and of work that asks', async () => {
    const session = await connect(open().send);
    const waiting = await session.callTool('jobs_wait_file', { name: 'a' });
    writeFileSync(join(folder, 'a'), '');
    expect((await waiting.settle()).outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { said: 'found a' } },
    });
    const asking = await session.callTool('jobs_ask_person', {});
    expect((await asking.settle()).outcome).toMatchObject({ result: { structuredContent: { said: 'true true' } } });
    const failing = await session.callTool('jobs_wait_file', { name: 'refused' });
    expect((await failing.settle()).outcome).toMatchObject({
      result: { isError: true, content: [{ text: 'This file never comes. Wait for another.' }] },
    });
  });

  test('cancels', async () => {
    const session = await connect(open().send);
    const waiting = await session.callTool('jobs_wait_file', { name: 'never' });
    await waiting.cancel();
    expect((await waiting.settle()).outcome).toMatchObject({ status: 'cancelled' });
  });
});

describe('on the wire', () => {
  const start = async (post: ReturnType<typeof wire>, name: string, args: Members = {}, meta: Members = {}) =>
    (await read(await post('tools/call', { name, arguments: args, _meta: meta }))).result ?? {};
  const get = async (post: ReturnType<typeof wire>, taskId: unknown) =>
    (await read(await post('tasks/get', { taskId }))).result ?? {};

  test('a task says how far it is; clients without the extension get the plain result', async () => {
    const { server, post } = open();
    const started = await start(post, 'jobs_wait_file', { name: 'a' });
    expect(started).toMatchObject({ resultType: 'task', status: 'working', ttlMs: LIFE_MS });
    expect(await get(post, started['taskId'])).toMatchObject({
      resultType: 'complete',
      statusMessage: 'waiting for a',
    });
    writeFileSync(join(folder, 'a'), '');
    for (const era of ['legacy', 'modern'] as const) {
      const client = await connectTestClient(server, { era });
      expect(await client.call('jobs_wait_file', { name: 'a' })).toEqual({ said: 'found a' });
      await client.close();
    }
    await expect.poll(() => get(post, started['taskId'])).toMatchObject({ status: 'completed' });
  });

  test('the answer to one question is none to another, and no second one', async () => {
    const { post } = open();
    const { taskId } = await start(post, 'jobs_ask_person');
    const asked = () => expect.poll(() => get(post, taskId)).toMatchObject({ status: 'input_required' });
    await asked();
    const answer = (key: string, sure: boolean) =>
      post('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { sure } } } });
    await answer('answer1', false);
    await answer('toString', false);
    expect(Object.keys((await get(post, taskId))['inputRequests'] as Members)).toEqual(['answer0']);
    await Promise.all([answer('answer0', true), answer('answer0', false)]);
    await expect.poll(async () => (await get(post, taskId))['inputRequests']).toMatchObject({ answer1: {} });
    await answer('answer1', true);
    await expect
      .poll(() => get(post, taskId))
      .toMatchObject({ result: { structuredContent: { said: expect.stringMatching(/true$/) } } });
  });

  test('a client that cannot be asked, or did not declare the extension, is told so', async () => {
    const { post } = open();
    const { result } = await read(await post('tools/call', { name: 'jobs_ask_person' }, { extensions: TASKS }));
    await expect
      .poll(() => get(post, result?.['taskId']))
      .toMatchObject({
        status: 'failed',
        error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
      });
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await read(await post(method, { taskId: result?.['taskId'] }, {}))).error?.code).toBe(-32021);
    for (const taskId of ['none', '__proto__'])
      expect((await read(await post('tasks/get', { taskId }))).error?.code).toBe(-32602);
  });

  test('a call with a key that was seen is the same task, and no plain result', async () => {
    const { post } = open();
    const meta = { 'io.sallyport/idempotencyKey': 'k' };
    const first = await start(post, 'jobs_wait_file', { name: 'a' }, meta);
    writeFileSync(join(folder, 'a'), '');
    await expect.poll(() => get(post, first['taskId'])).toMatchObject({ status: 'completed' });
    const again = await start(post, 'jobs_wait_file', { name: 'a' }, meta);
    expect(again).toMatchObject({ resultType: 'task', taskId: first['taskId'], status: 'completed' });
    const plain = await post('tools/call', { name: 'jobs_wait_file', arguments: { name: 'a' }, _meta: meta }, {});
    expect((await read(plain)).result).toMatchObject({ isError: true, content: [{ text: /another call/ }] });
  });

  test('a stream tells each change of the tasks that it follows, and only of those', async () => {
    const { post } = open();
    const { taskId } = await start(post, 'jobs_ask_person');
    const other = await start(post, 'jobs_wait_file', { name: 'a' });
    const response = await post('subscriptions/listen', { notifications: { taskIds: [taskId, 'none'] } });
    const next = framesOf(response);
    expect(await next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
    await post('tasks/cancel', { taskId: other['taskId'] });
    await post('tasks/cancel', { taskId });
    expect(await next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'cancelled', _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } },
    });
    const late = framesOf(await post('subscriptions/listen', { notifications: { taskIds: [taskId] } }));
    await late();
    expect(await late()).toMatchObject({ params: { taskId, status: 'cancelled' } });
  });

  /** Reads a stream message by message. */
  function framesOf(response: Response): () => Promise<Members> {
    const reader = response.body?.getReader();
    closing.push(() => reader?.cancel());
    let text = '';
    return async () => {
      while (!text.includes('\n\n')) text += new TextDecoder().decode((await reader?.read())?.value);
      const [frame = '', ...rest] = text.split('\n\n');
      text = rest.join('\n\n');
      return JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Members;
    };
  }
});

describe('in a process of its own', () => {
  function startJobs(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [JOBS, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, JOBS: folder },
    });
    closing.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    });
    return child;
  }

  async function listening(child: ChildProcess): Promise<ReturnType<typeof wire>> {
    for await (const chunk of child.stderr ?? []) {
      const url = /listens at (\S+)/.exec(String(chunk))?.[1];
      if (url !== undefined) return wire(fetch, url);
    }
    throw new Error('it ended');
  }

  test('after kill -9, what cannot resume has failed with the reason, and what can goes on where it was', async () => {
    const first = startJobs('-t', 'http', '--port', '0');
    const before = await listening(first);
    const start = async (name: string, args: Members = {}) =>
      (await read(await before('tools/call', { name, arguments: args }))).result?.['taskId'];
    const waits = await start('jobs_wait_file', { name: 'go' });
    const writes = await start('jobs_write_lines');
    const asks = await start('jobs_ask_person');
    await expect.poll(() => existsSync(join(folder, 'lines.txt'))).toBe(true);
    await expect
      .poll(async () => (await read(await before('tasks/get', { taskId: asks }))).result?.['status'])
      .toBe('input_required');
    first.kill('SIGKILL');
    await once(first, 'exit');
    writeFileSync(join(folder, 'go'), '');

    const after = await listening(startJobs('-t', 'http', '--port', '0'));
    const get = async (taskId: unknown) => (await read(await after('tasks/get', { taskId }))).result;
    await expect
      .poll(() => get(waits))
      .toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(/server ended.*nobody knows.*jobs_wait_file again/) },
      });
    await expect
      .poll(() => get(writes))
      .toMatchObject({
        status: 'completed',
        result: { structuredContent: { lines: ['first', 'second'] } },
      });
    expect(await get(asks)).toMatchObject({ status: 'input_required' });
    expect(statSync(join(folder, 'calls.db')).mode & 0o077).toBe(0);
  });

  test('over stdio, with its notifications; a server that ends leaves its work as it says', async () => {
    const child = startJobs();
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    const next = async () =>
      JSON.parse((await lines.next()).value as string) as { id?: number; result: Members; params: Members };
    const send = (id: number, method: string, params: Members) => {
      const _meta = Object.fromEntries(
        Object.entries(FRAMING).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
      );
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
    };
    send(1, 'tools/call', { name: 'jobs_wait_file', arguments: { name: 'a' } });
    const { taskId } = (await next()).result;
    send(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
    expect((await next()).params).toMatchObject({ notifications: { taskIds: [taskId] } });
    writeFileSync(join(folder, 'a'), '');
    let told = await next();
    while (told.params?.['status'] === 'working') told = await next();
    expect(told.params).toMatchObject({ status: 'completed', result: { structuredContent: { said: 'found a' } } });
    send(3, 'tools/call', { name: 'jobs_wait_file', arguments: { name: 'b' } });
    let answered = await next();
    while (answered.id !== 3) answered = await next();
    child.stdin?.end();
    await once(child, 'exit');
    const store = openTaskStore(join(folder, 'calls.db'));
    expect(store.find(String(answered.result['taskId']))).toMatchObject({ status: 'failed' });
    store.close();
  });
});

test('a task is the work of one process at a time', () => {
  let now = 1_000;
  const file = join(folder, 'tasks.db');
  const [one, other] = [openTaskStore(file, () => now), openTaskStore(file, () => now)];
  closing.push(
    () => one.close(),
    () => other.close(),
  );
  const { id } = one.add({ caller: 'a\0b', tool: 't', args: { x: '\0' }, capabilities: {} });
  expect(other.find(id)).toMatchObject({ caller: 'a\0b', args: { x: '\0' }, status: 'working' });
  now += LEASE_MS - 1;
  expect(one.extend(id)).toBe(true);
  now += LEASE_MS - 1;
  expect(other.takeOver()).toEqual([]);
  expect(other.change(id, { status: 'completed' })).toBeUndefined();
  now += 2;
  expect(other.takeOver()).toMatchObject([{ id }]);
  expect([one.extend(id), one.change(id, { status: 'completed' })]).toEqual([false, undefined]);
  expect(one.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect([one.cancel(id), other.extend(id)]).toEqual([undefined, false]);
  now += LIFE_MS;
  one.tidy();
  expect(other.find(id)).toBeUndefined();
});
