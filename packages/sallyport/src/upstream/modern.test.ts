import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, MODERN_HELLO, openSubject, type Subject, streaming } from '../../test/http-subject.ts';
import {
  CAPABLE,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
  toRequest,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import { Notification, parseMessage, type Request } from '../core/message.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const INFO = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const _SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

let subject: Subject;
const opened: Opened[] = [];

beforeEach(async () => {
  subject = await openSubject('modern');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await subject.close();
});

function open(own: Partial<ServerSettings> = {}): Opened {
  const upstreams = openUpstreams(httpSettings(subject.url, own));
  opened.push(upstreams);
  return upstreams;
}

const seenOf = (method: string) => subject.seen.filter(({ message }) => message.method === method);
const metaOf = (seen: { message: { params?: Record<string, unknown> } } | undefined) =>
  seen?.message.params?.['_meta'] as Record<string, unknown>;

describe('a modern upstream', () => {
  it('is discovered, never initialized, and has no stream or session', async () => {
    subject.on('tools/call', ({ result }) =>
      result({ resultType: 'complete', content: [] }, { 'mcp-session-id': 'x' }),
    );
    const upstreams = open();
    await upstreams.send('subject', toCall('tool'), new TestExchange());
    await upstreams.send('subject', toCall('tool'), new TestExchange());
    expect(await upstreams.identify('subject', createClient())).toEqual({
      serverInfo: { name: 'subject', version: '2' },
      capabilities: { tools: {} },
      instructions: undefined,
      revision: '2026-07-28',
    });
    expect(upstreams.status('subject')).toMatchObject({ era: 'modern', revision: '2026-07-28', connections: 1 });
    await upstreams.close();
    expect(subject.seen.map(({ method, message }) => `${method} ${message.method}`)).toEqual([
      'POST server/discover',
      'POST tools/call',
      'POST tools/call',
    ]);
    for (const { headers } of subject.seen) expect(headers['mcp-session-id']).toBeUndefined();
  });

  it('that sends logs for a request without a level means its client; with a level they are as it asked', async () => {
    const levels = [];
    for (const logLevel of [undefined, 'warning']) {
      const talk = streaming(subject);
      const exchange = new TestExchange(logLevel === undefined ? {} : { logLevel });
      const upstreams = open();
      const answer = upstreams.send('subject', toCall('tool'), exchange);
      const { turn, stream } = await talk;
      for (const level of ['info', 'error'])
        stream.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } });
      stream.event(answerTo(turn, { resultType: 'complete', content: [] }));
      stream.end();
      await answer;
      expect(upstreams.events.map(({ kind }) => kind)).toEqual(['connected']);
      levels.push(exchange.notified.map(({ params }) => params['level']));
    }
    expect(levels).toEqual([['info', 'error'], ['error']]);
  });

  it('is told of a legacy client what its handshake said, with each request', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    await open().send(
      'subject',
      toCall('tool'),
      new TestExchange({ client: createClient('c', CAPABLE), logLevel: 'info' }),
    );
    const [seen] = seenOf('tools/call');
    expect(metaOf(seen)).toEqual({
      progressToken: seen?.message.id,
      [VERSION]: '2026-07-28',
      [INFO]: { name: 'tester', version: '1' },
      [CAPABILITIES]: CAPABLE,
      'io.modelcontextprotocol/logLevel': 'info',
    });
  });

  it('sees a modern client’s own metadata byte for byte, but for the token', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    const meta = `"${VERSION}":"2026-07-28","${INFO}":{"name":"x","n":1.0},"${CAPABILITIES}":{"extensions":{"io.modelcontextprotocol/tasks":{}}},"traceparent":"00-a"`;
    const text = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"tool","_meta":{${meta},"progressToken":"p"},"arguments":{"n":1.0}}}`;
    await open().send(
      'subject',
      { request: parseMessage(Buffer.from(text)) as Request, edits: [], target: 'tool', paramHeaders: undefined },
      new TestExchange(),
    );
    const [seen] = seenOf('tools/call');
    expect(seen?.body).toBe(
      text
        .replace('"id":"a"', `"id":${seen?.message.id}`)
        .replace('"progressToken":"p"', `"progressToken":${seen?.message.id}`),
    );
  });

  it('is told version, method and name in headers', async () => {
    for (const method of [
      'tools/call',
      'resources/read',
      'prompts/get',
      'tasks/get',
      'tools/list',
      'completion/complete',
    ])
      subject.on(method, ({ result }) => result({}));
    const upstreams = open();
    const call = toCall('你好 tool');
    await upstreams.send(
      'subject',
      {
        ...call,
        edits: [call.request.setParam('name', '"tool"')],
        target: 'tool',
        paramHeaders: { 'Mcp-Param-Region': 'us-west1', 'Mcp-Param-Text': ' x ' },
      },
      new TestExchange(),
    );
    await upstreams.send('subject', toRequest('resources/read', { uri: 'file:///ü' }), new TestExchange());
    await upstreams.send('subject', toRequest('prompts/get', { name: 'p' }), new TestExchange());
    await upstreams.send('subject', toRequest('tasks/get', { taskId: 't-1' }), new TestExchange());
    await upstreams.send('subject', toRequest('tools/list', { name: 'not a name' }), new TestExchange());
    const headers = subject.seen.map((seen) => [
      seen.headers['mcp-protocol-version'],
      seen.headers['mcp-method'],
      seen.headers['mcp-name'],
    ]);
    expect(headers).toEqual([
      ['2026-07-28', 'server/discover', undefined],
      ['2026-07-28', 'tools/call', 'tool'],
      ['2026-07-28', 'resources/read', '=?base64?ZmlsZTovLy/DvA==?='],
      ['2026-07-28', 'prompts/get', 'p'],
      ['2026-07-28', 'tasks/get', 't-1'],
      ['2026-07-28', 'tools/list', undefined],
    ]);
    expect(seenOf('tools/call')[0]?.headers).toMatchObject({
      'mcp-param-region': 'us-west1',
      'mcp-param-text': '=?base64?IHgg?=',
    });
  });

  it('is not sent headers that HTTP does not allow, and the request fails at once', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    const upstreams = open();
    const bad = { ...toCall('tool'), paramHeaders: { 'Mcp-Param-X\r\nx-evil': '1' } };
    await expect(upstreams.send('subject', bad, new TestExchange())).rejects.toMatchObject({ code: 'config' });
    await upstreams.send('subject', toCall('tool'), new TestExchange());
    expect(seenOf('tools/call')).toHaveLength(1);
  });

  it('is cancelled by closing the exchange alone', async () => {
    const talk = streaming(subject);
    const exchange = new TestExchange();
    const upstreams = open();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn } = await talk;
    const closed = new Promise((resolve) => turn.response.once('close', resolve));
    exchange.cancel();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    await closed;
    await upstreams.close();
    expect(seenOf('notifications/cancelled')).toEqual([]);
  });

  it('may not ask outside of results; its stream is read on', async () => {
    const talk = streaming(subject);
    const exchange = new TestExchange({ client: createClient('c', CAPABLE) });
    const answer = open().send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    stream.event({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    stream.event(answerTo(turn, { ok: 1 }));
    stream.end();
    expect((await answer).result).toEqual({ ok: 1 });
    expect(exchange.asked).toEqual([]);
  });

  it('is one connection for clients of all kinds', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    const upstreams = open();
    for (const [key, capabilities] of [
      ['a', {}],
      ['b', CAPABLE],
      ['c', { sampling: {} }],
    ] as const)
      await upstreams.send(
        'subject',
        toCall('tool'),
        new TestExchange({ client: createClient(key, capabilities), exclusive: true }),
      );
    expect(seenOf('server/discover')).toHaveLength(1);
    expect(seenOf('tools/call').map((seen) => metaOf(seen)[CAPABILITIES])).toEqual([{}, CAPABLE, { sampling: {} }]);
  });

  it('is asked again under a revision it names', async () => {
    let refused = false;
    subject.on('server/discover', ({ error, result }) => {
      if (refused) return result(MODERN_HELLO);
      refused = true;
      error(-32022, 'Unsupported protocol version', {
        status: 400,
        data: { supported: ['2026-07-28'], requested: 'x' },
      });
    });
    const upstreams = open();
    expect((await upstreams.identify('subject', createClient())).revision).toBe('2026-07-28');
    expect(seenOf('initialize')).toEqual([]);
  });

  it('has nothing to set a log level for', async () => {
    const upstreams = open();
    expect((await upstreams.setLogLevel('subject', 'info', createClient())).result).toEqual({});
    expect(seenOf('logging/setLevel')).toEqual([]);
  });

  it('hears custom notifications of clients, and none that its revision does not have', async () => {
    const upstreams = open();
    await upstreams.identify('subject', createClient());
    await upstreams.notify('subject', Notification.of('notifications/roots/list_changed'), createClient());
    await upstreams.notify('subject', Notification.of('notifications/custom'), createClient());
    const seen = await subject.saw(({ message }) => message.method === 'notifications/custom');
    expect(seen.headers).toMatchObject({ 'mcp-method': 'notifications/custom', 'mcp-protocol-version': '2026-07-28' });
    expect(seenOf('notifications/roots/list_changed')).toEqual([]);
  });
});

describe('rounds of input', () => {
  const asking = {
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create', params: {} } },
    requestState: 's-1',
  };

  it('are answered and sent again under new ids, with the state as it came', async () => {
    let round = 0;
    subject.on('tools/call', ({ result }) =>
      result(
        [
          asking,
          { resultType: 'input_required', requestState: 's-2' },
          { resultType: 'input_required', inputRequests: {} },
          { resultType: 'complete', done: true },
        ][round++],
      ),
    );
    const inputs: unknown[] = [];
    const exchange = new TestExchange({
      inputs(asked) {
        inputs.push(asked);
        return { who: { action: 'accept' } };
      },
    });
    const answer = await open().send('subject', toCall('tool', { n: 1 }), exchange);
    expect(answer.result).toEqual({ resultType: 'complete', done: true });
    expect(inputs).toEqual([asking.inputRequests, {}, {}]);
    const rounds = seenOf('tools/call').map(({ message }) => message.params as Record<string, unknown>);
    const inputResponses = { who: { action: 'accept' } };
    expect(
      rounds.map(({ inputResponses: responses, requestState, arguments: args, name }) => ({
        responses,
        requestState,
        args,
        name,
      })),
    ).toEqual([
      { responses: undefined, requestState: undefined, args: { n: 1 }, name: 'tool' },
      { responses: inputResponses, requestState: 's-1', args: { n: 1 }, name: 'tool' },
      { responses: inputResponses, requestState: 's-2', args: { n: 1 }, name: 'tool' },
      { responses: inputResponses, requestState: undefined, args: { n: 1 }, name: 'tool' },
    ]);
    expect(new Set(seenOf('tools/call').map(({ message }) => message.id)).size).toBe(4);
  });

  it('are the client’s own business when it is not asked question by question', async () => {
    subject.on('tools/call', ({ result }) => result(asking));
    expect((await open().send('subject', toCall('tool'), new TestExchange())).result).toEqual(asking);
  });

  it('end', async () => {
    subject.on('tools/call', ({ result }) => result(asking));
    await expect(
      open().send('subject', toCall('tool'), new TestExchange({ inputs: () => ({}) })),
    ).rejects.toMatchObject({ code: 'upstream_protocol', message: expect.stringContaining('more than 16 times') });
    expect(seenOf('tools/call')).toHaveLength(16);
  });

  it('pass on results of types nobody here knows', async () => {
    const task = { resultType: 'task', taskId: 't', status: 'working', ttlMs: null };
    subject.on('tools/call', ({ result }) => result(task));
    expect((await open().send('subject', toCall('tool'), new TestExchange())).result).toEqual(task);
  });
});
