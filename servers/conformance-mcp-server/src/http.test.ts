import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFlags } from './flags.ts';
import { type HttpServer, startHttp } from './http.ts';
import { type Fields, toFields } from './messages.ts';
import { World } from './world.ts';

let world: World;
let server: HttpServer;

beforeEach(async () => {
  world = new World({ pageSize: 0 });
  server = await startHttp(world, parseFlags(['--transport', 'http']));
});

afterEach(() => {
  world.close();
  server.close();
});

const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url, { method: 'POST', headers: { ...base, ...headers }, body: JSON.stringify(body) });
}

async function readEvents(response: Response, until: (events: Fields[]) => boolean): Promise<Fields[]> {
  const events: Fields[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.+)$/m.exec(part)?.[1];
      if (data !== undefined) events.push(JSON.parse(data));
    }
    if (until(events)) break;
  }
  return events;
}

async function initialize(protocolVersion: string, capabilities: Fields = {}): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } };
  const response = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  expect(toFields(toFields(await response.json()).result).protocolVersion).toBe(protocolVersion);
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

function postModern(method: string, params: Fields, more: { id?: number; capabilities?: Fields; name?: string } = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': more.capabilities ?? tasks,
  };
  const name: Record<string, string> = more.name === undefined ? {} : { 'mcp-name': more.name };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
  return post({ jsonrpc: '2.0', id: more.id ?? 1, method, params: { ...params, _meta } }, headers);
}

describe('legacy', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('negotiates %s', async (revision) => {
    const session = await initialize(revision);
    const pong = await post({ jsonrpc: '2.0', id: 'p', method: 'ping' }, session);
    expect(await pong.json()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  });

  it('takes batches in 2025-03-26 only', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const answers = await readEvents(
      await post(batch, await initialize('2025-03-26')),
      (events) => events.length === 2,
    );
    expect(answers.map((answer) => answer.id)).toEqual([1, 2]);
    expect((await post(batch, await initialize('2025-11-25'))).status).toBe(400);
  });

  it('replays what a lost connection missed', async () => {
    const session = await initialize('2025-11-25');
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'test_reconnection', arguments: {} } };
    const cut = await (await post(call, session)).text();
    const id = /^id: (.+)$/m.exec(cut)?.[1] ?? '';
    expect(cut).not.toContain('result');
    const headers = { ...session, accept: 'text/event-stream', 'last-event-id': id };
    const [answer] = await readEvents(await fetch(server.url, { headers }), (events) => events.length === 1);
    expect(answer).toMatchObject({ id: 5, result: { content: [{ type: 'text' }] } });
  });

  it.each([
    [{ 'mcp-session-id': 'unknown' }, 404],
    [{}, 400],
    [{ accept: 'application/json' }, 406],
    [{ 'content-type': 'text/plain' }, 415],
    [{ origin: 'http://evil.example.com' }, 403],
    [{ 'mcp-protocol-version': '2020-01-01' }, 400],
  ])('refuses %j with %d', async (headers, status) => {
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).status).toBe(status);
  });

  it('forgets a deleted session', async () => {
    const session = await initialize('2025-06-18');
    expect((await fetch(server.url, { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, session)).status).toBe(404);
  });
});

describe('modern', () => {
  it('tells listeners what becomes of a task', async () => {
    const called = await postModern(
      'tools/call',
      { name: 'slow_compute', arguments: { seconds: 0.05 } },
      { name: 'slow_compute' },
    );
    const { taskId, resultType } = toFields(toFields(await called.json()).result);
    expect(resultType).toBe('task');
    const cancelled = toFields(await (await postModern('tasks/cancel', { taskId }, { name: String(taskId) })).json());
    expect(toFields(cancelled.result).resultType).toBe('complete');
    const asked = await postModern(
      'tools/call',
      { name: 'confirm_delete', arguments: { filename: 'a' } },
      { name: 'confirm_delete' },
    );
    const second = String(toFields(toFields(await asked.json()).result).taskId);
    const stream = await postModern('subscriptions/listen', { notifications: { taskIds: [second] } }, { id: 9 });
    await postModern('tasks/cancel', { taskId: second }, { name: second });
    const events = await readEvents(stream, (seen) => seen.length === 2);
    expect(events[0]).toMatchObject({ params: { notifications: { taskIds: [second] } } });
    expect(events[1]).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId: second, status: 'cancelled', _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } },
    });
  });

  it('does not show tasks to clients without the extension', async () => {
    for (const [method, params] of [
      ['tasks/get', { taskId: 'x' }],
      ['subscriptions/listen', { notifications: { taskIds: ['x'] } }],
    ] as const) {
      const response = await postModern(method, params, { capabilities: {}, name: 'x' });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: tasks } } });
    }
  });

  it('binds requestState to the request it was made for', async () => {
    const elicitation = { elicitation: {} };
    const first = 'test_input_required_result_request_state';
    const asked = await postModern(
      'tools/call',
      { name: first, arguments: {} },
      { name: first, capabilities: elicitation },
    );
    const { requestState } = toFields(toFields(await asked.json()).result);
    const params = { requestState, inputResponses: { confirm: { action: 'accept', content: { ok: true } } } };
    const own = await postModern(
      'tools/call',
      { ...params, name: first, arguments: {} },
      { name: first, capabilities: elicitation },
    );
    expect(await own.json()).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'state-ok' }] } });
    const other = { name: 'count_side_effect', capabilities: elicitation };
    const foreign = await postModern('tools/call', { ...params, name: other.name, arguments: {} }, other);
    expect(await foreign.json()).toMatchObject({ error: { code: -32602 } });
    expect(world.counts.sideEffects).toBe(0);
  });

  it('checks nested and numeric parameter headers', async () => {
    const send = (headers: Record<string, string>): Promise<Response> => {
      const name = 'test_header_params';
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const args = { region: 'Zürich', priority: 42, place: { city: 'Bern' } };
      const all = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, ...headers };
      return post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }, all);
    };
    const region = `=?base64?${Buffer.from('Zürich').toString('base64')}?=`;
    const good = { 'mcp-param-region': region, 'mcp-param-priority': '42.0', 'mcp-param-city': 'Bern' };
    expect((await send(good)).status).toBe(200);
    expect((await send({ ...good, 'mcp-param-city': 'Basel' })).status).toBe(400);
    expect((await send({ ...good, 'mcp-param-urgent': 'true' })).status).toBe(400);
  });
});
