import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, MODERN_HELLO, openSubject, type Stream, type Subject, type Turn } from '../../test/http-subject.ts';
import {
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';

const _VERSION = 'io.modelcontextprotocol/protocolVersion';
const _INFO = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

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

describe('listening', () => {
  const acknowledge = (turn: Turn, stream: Stream, notifications: unknown = turn.message.params?.['notifications']) =>
    stream.event({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [SUBSCRIPTION]: turn.message.id }, notifications },
    });
  const filters = () => seenOf('subscriptions/listen').map(({ message }) => message.params?.['notifications']);

  const listens = (count: number) => subject.saw(() => seenOf('subscriptions/listen').length >= count);

  /** Keeps the newest stream that was acknowledged. */
  function listening(honour: (asked: Record<string, unknown>) => unknown = (asked) => asked): {
    open: { turn: Turn; stream: Stream }[];
  } {
    const streams: { turn: Turn; stream: Stream }[] = [];
    subject.on('server/discover', ({ result }) =>
      result({
        ...MODERN_HELLO,
        capabilities: { tools: { listChanged: true }, prompts: {}, resources: { listChanged: true, subscribe: true } },
      }),
    );
    subject.on('subscriptions/listen', (turn) => {
      const stream = turn.stream();
      streams.push({ turn, stream });
      acknowledge(turn, stream, honour(turn.message.params?.['notifications'] ?? {}));
    });
    return { open: streams };
  }

  it('to list changes begins with the connection; what it brings are events without the subscription id', async () => {
    const { open: streams } = listening();
    const upstreams = open();
    await upstreams.identify('subject', createClient());
    await subject.saw(({ message }) => message.method === 'subscriptions/listen');
    expect(filters()).toEqual([{ toolsListChanged: true, resourcesListChanged: true }]);
    const [{ turn, stream } = { turn: undefined, stream: undefined }] = streams;
    expect(turn?.headers).toMatchObject({ 'mcp-method': 'subscriptions/listen' });
    stream?.event({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [SUBSCRIPTION]: turn?.message.id } },
    });
    await upstreams.event('list_changed');
    stream?.write(
      `data: {"jsonrpc":"2.0","method":"notifications/x","params":{"n":1.0,"_meta":{"${SUBSCRIPTION}":${turn?.message.id},"a":1.0}}}\n\n`,
    );
    expect((await upstreams.event('other')).notification.bytes.toString()).toBe(
      '{"jsonrpc":"2.0","method":"notifications/x","params":{"n":1.0,"_meta":{"a":1.0}}}',
    );
  });

  it('to resources opens a wider stream before it closes the old one', async () => {
    const { open: streams } = listening();
    const upstreams = open();
    const client = createClient();
    await upstreams.identify('subject', client);
    await listens(1);
    expect((await upstreams.subscribe('subject', 'x:1', client)).result).toEqual({});
    const [first, second] = streams;
    if (first === undefined || second === undefined) throw new Error('not two streams');
    if (!first.turn.response.closed) await new Promise((resolve) => first.turn.response.once('close', resolve));
    expect(second.turn.response.closed).toBe(false);
    second.stream.event({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'x:1', _meta: { [SUBSCRIPTION]: second.turn.message.id } },
    });
    expect((await upstreams.event('resource_updated')).uri).toBe('x:1');
    await upstreams.subscribe('subject', 'x:1', createClient('other'));
    await upstreams.unsubscribe('subject', 'x:1', client);
    expect(filters()).toHaveLength(2);
    await upstreams.unsubscribe('subject', 'x:1', createClient('other'));
    await listens(3);
    expect(filters().at(-1)).toEqual({ toolsListChanged: true, resourcesListChanged: true });
  });

  it('to what the upstream does not honour is an error', async () => {
    listening(({ resourceSubscriptions: _, ...rest }) => rest);
    expect((await open().subscribe('subject', 'x:1', createClient())).outcome).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('to a task declares the extension', async () => {
    const { open: streams } = listening();
    const upstreams = open();
    expect(await upstreams.followTask('subject', 't-1', createClient())).toBe(true);
    expect(metaOf(streams.at(-1)?.turn)[CAPABILITIES]).toEqual({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
    expect(filters().at(-1)).toMatchObject({ taskIds: ['t-1'] });
    const before = streams.length;
    upstreams.unfollowTask('subject', 't-1', createClient());
    await listens(before + 1);
    expect(filters().at(-1)).not.toHaveProperty('taskIds');
  });

  it('begins again when the stream is lost or ended', async () => {
    const { open: streams } = listening();
    await open().identify('subject', createClient());
    await subject.saw(({ message }) => message.method === 'subscriptions/listen');
    streams[0]?.stream.cut();
    await listens(2);
    const last = streams[1];
    if (last === undefined) throw new Error('no second stream');
    last.stream.event(answerTo(last.turn, { resultType: 'complete' }));
    last.stream.end();
    await listens(3);
  });

  it('that is refused is not tried for ever, and calls go on', async () => {
    listening();
    subject.on('subscriptions/listen', ({ error }) => error(-32601, 'no', { status: 404 }));
    subject.on('tools/call', ({ result }) => result({ ok: 1 }));
    const upstreams = open();
    expect((await upstreams.send('subject', toCall('tool'), new TestExchange())).result).toEqual({ ok: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect(seenOf('subscriptions/listen')).toHaveLength(1);
  });
});
