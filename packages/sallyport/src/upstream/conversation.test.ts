import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, openSubject, type Subject, streaming } from '../../test/http-subject.ts';
import {
  CAPABLE,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import { Answer, parseMessage } from '../core/message.ts';

let subject: Subject;
const opened: Opened[] = [];

beforeEach(async () => {
  subject = await openSubject();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await subject.close();
});

function open(own: Partial<ServerSettings> = {}): Opened {
  const upstreams = openUpstreams(httpSettings(subject.url, { era: 'legacy', ...own }));
  opened.push(upstreams);
  return upstreams;
}

const progress = (token: unknown, value: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: token, progress: value, total: 1.5, note: 'ü' },
});

describe('progress', () => {
  it('reaches the client under its own token, byte for byte otherwise', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange({ progressToken: '"my-token"' });
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    stream.write(
      `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${turn.message.id},"progress":1.0,"x":9007199254740993}}\n\n`,
    );
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.notified.map(({ bytes }) => bytes.toString())).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"my-token","progress":1.0,"x":9007199254740993}}',
    ]);
  });

  it('extends the deadline although the client asked for none, and the client hears nothing of it', async () => {
    const upstreams = open({ timeoutMs: 1_000 });
    const talk = streaming(subject);
    const exchange = new TestExchange();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    let steps = 0;
    const timer = setInterval(() => {
      stream.event(progress(turn.message.id, ++steps));
      if (steps < 8) return;
      clearInterval(timer);
      stream.event(answerTo(turn, { steps }));
      stream.end();
    }, 200);
    expect((await answer).result).toEqual({ steps: 8 });
    expect(exchange.notified).toEqual([]);
  });

  it('does not extend it beyond the cap', async () => {
    const upstreams = open({ timeoutMs: 1_000, maxTimeoutMs: 1_500 });
    const talk = streaming(subject);
    const start = performance.now();
    const answer = upstreams.send('subject', toCall('tool'), new TestExchange());
    const { turn, stream } = await talk;
    const timer = setInterval(() => stream.event(progress(turn.message.id, performance.now())), 40);
    await expect(answer).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^"subject" did not answer tools\/call in time\. The call may have run: /),
    });
    clearInterval(timer);
    expect(performance.now() - start).toBeGreaterThan(1_400);
  });

  it('under a token of nobody is dropped', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange({ progressToken: '1' });
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    for (const token of [-1, 0, 'constructor', null, [], {}, 2 ** 60]) stream.event(progress(token, 1));
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.notified).toEqual([]);
  });
});

describe('a deadline or a cancelled call', () => {
  it('tells the server, closes the exchange, and frees the client at once', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn } = await talk;
    const closed = new Promise((resolve) => turn.response.once('close', resolve));
    exchange.cancel('stop it');
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    const seen = await subject.saw(({ message }) => message.method === 'notifications/cancelled');
    expect(seen.message.params).toEqual({ requestId: turn.message.id, reason: 'stop it' });
    await closed;
    expect(exchange.onCancel).toBeUndefined();
  });

  it('is told after a timeout too, and a late answer is dropped', async () => {
    const upstreams = open({ timeoutMs: 1_000 });
    subject.on('tools/call', () => {});
    await expect(upstreams.send('subject', toCall('tool'), new TestExchange())).rejects.toMatchObject({
      code: 'timeout',
    });
    await subject.saw(({ message }) => message.method === 'notifications/cancelled');
    subject.on('tools/call', (turn) =>
      turn.send(
        200,
        { 'content-type': 'application/json' },
        JSON.stringify([
          { jsonrpc: '2.0', id: Number(turn.message.id) - 1, result: { late: 1 } },
          answerTo(turn, { ok: 1 }),
        ]),
      ),
    );
    expect((await upstreams.send('subject', toCall('tool'), new TestExchange())).result).toEqual({ ok: 1 });
  });

  it('is never told of initialize', async () => {
    subject.on('initialize', () => {});
    const upstreams = open({ startTimeoutMs: 100 });
    await expect(upstreams.send('subject', toCall('tool'), new TestExchange())).rejects.toMatchObject({
      code: 'timeout',
    });
    await upstreams.close();
    expect(subject.seen.map(({ message }) => message.method)).toEqual(['initialize']);
  });

  it('does not wait for a connection that is being made', async () => {
    subject.on('initialize', () => {});
    const upstreams = open();
    const exchange = new TestExchange();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    await subject.saw(({ message }) => message.method === 'initialize');
    exchange.cancel();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('of a client that left before it began reaches nobody', async () => {
    const upstreams = open();
    const exchange = new TestExchange();
    exchange.cancel();
    await expect(upstreams.send('subject', toCall('tool'), exchange)).rejects.toMatchObject({ code: 'cancelled' });
    expect(subject.seen).toEqual([]);
  });
});

describe('notifications', () => {
  const log = (level: string, data: string) => ({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level, data },
  });

  it('of a request reach its client as far as it wants them', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange({ logLevel: 'warning' });
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    for (const level of ['debug', 'warning', 'emergency', 'unheard-of']) stream.event(log(level, level));
    stream.event({ jsonrpc: '2.0', method: 'notifications/custom', params: { a: 1 } });
    stream.event({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.notified.map(({ method, params }) => params['level'] ?? method)).toEqual([
      'warning',
      'emergency',
      'unheard-of',
      'notifications/custom',
    ]);
    expect(upstreams.events.map((event) => (event.kind === 'list_changed' ? event.list : event.kind))).toEqual([
      'connected',
      'prompts',
    ]);
  });

  it('of a legacy client that chose no level are those the server sends', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange({ client: createClient('c', {}, 'legacy') });
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    for (const level of ['debug', 'error']) stream.event(log(level, level));
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.notified.map(({ params }) => params['level'])).toEqual(['debug', 'error']);
    expect(upstreams.events.map(({ kind }) => kind)).toEqual(['connected']);
  });

  it('of a client that wants no log are nobody else’s', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    stream.event(log('error', 'private'));
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.notified).toEqual([]);
    expect(upstreams.events.map(({ kind }) => kind)).toEqual(['connected']);
  });

  it('outside of requests become events', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    subject.on('GET', ({ stream }) => {
      const open = stream();
      open.event(log('info', 'hello'));
      open.event({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } });
    });
    const upstreams = open();
    await upstreams.send('subject', toCall('tool'), new TestExchange());
    expect((await upstreams.event('log')).notification.params['data']).toBe('hello');
    expect((await upstreams.event('other')).notification.params).toEqual({ elicitationId: 'e' });
  });

  it('outside of requests are for the caller of the connection while nobody has called', async () => {
    subject.on('GET', ({ stream }) => stream().event(log('info', 'hello')));
    const upstreams = open();
    const client = createClient();
    await upstreams.identify('subject', client);
    expect((await upstreams.event('log')).principal).toBe(client.principal.id);
  });

  it('of the client reach the server on its connection, and connect nothing', async () => {
    const upstreams = open();
    const { bytes } = Answer.result('1', {});
    expect(bytes.length).toBeGreaterThan(0);
    const changed = parseMessage(
      Buffer.from('{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"x":1.0}}'),
    );
    if (changed.kind !== 'notification') throw new Error('no notification');
    const client = createClient('c', CAPABLE);
    await upstreams.notify('subject', changed, client);
    expect(subject.seen).toEqual([]);
    await upstreams.identify('subject', client);
    await upstreams.notify('subject', changed, client);
    const seen = await subject.saw(({ message }) => message.method === 'notifications/roots/list_changed');
    expect(seen.body).toBe(changed.bytes.toString());
  });
});
