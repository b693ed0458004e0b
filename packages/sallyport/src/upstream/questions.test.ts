import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, openSubject, type Stream, type Subject, streaming } from '../../test/http-subject.ts';
import {
  CAPABLE,
  capable,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
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

describe('a question of the server', () => {
  const question = (id: string, method: string, params = '{"x":1.0}') =>
    `data: {"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n\n`;

  it.each(['"q-1"', '0', '9007199254740993', '1.0', '"\\u0041"'])(
    'goes to the client of its request, and its answer back under the id %s',
    async (id) => {
      const upstreams = open();
      const talk = streaming(subject);
      const result = '{"role":"assistant","n":9007199254740993,"f":1.0,"x":{"y":[]}}';
      const exchange = capable({
        answer: () => parseMessage(Buffer.from(`{"jsonrpc":"2.0","id":"front","result":${result}}`)) as Answer,
      });
      const other = capable({ client: createClient('other', CAPABLE) });
      const answer = upstreams.send('subject', toCall('tool'), exchange);
      const { turn, stream } = await talk;
      const idle = streaming(subject);
      const second = upstreams.send('subject', toCall('tool'), other);
      const { turn: secondTurn, stream: secondStream } = await idle;
      stream.write(question(id, 'sampling/createMessage'));
      const back = await subject.saw(({ message }) => message.method === undefined && message.result !== undefined);
      expect(back.body).toBe(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      stream.event(answerTo(turn));
      stream.end();
      secondStream.event(answerTo(secondTurn));
      secondStream.end();
      await Promise.all([answer, second]);
      expect(exchange.asked.map((request) => request.bytes.toString())).toEqual([
        `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"x":1.0}}`,
      ]);
      expect(other.asked).toEqual([]);
    },
  );

  it('stops the clock while the client thinks, up to the cap', async () => {
    const upstreams = open({ timeoutMs: 1_000, maxTimeoutMs: 60_000 });
    const talk = streaming(subject);
    const thinking = capable({
      answer: () => new Promise((resolve) => setTimeout(() => resolve(Answer.result('1', { roots: [] })), 1_500)),
    });
    const answer = upstreams.send('subject', toCall('tool'), thinking);
    const { turn, stream } = await talk;
    stream.write(question('1', 'roots/list'));
    await subject.saw(({ message }) => message.result !== undefined);
    stream.event(answerTo(turn, { ok: 1 }));
    stream.end();
    expect((await answer).result).toEqual({ ok: 1 });
    const again = streaming(subject);
    const never = upstreams.send('subject', toCall('tool'), capable({ answer: () => new Promise(() => {}) }));
    (await again).stream.write(question('2', 'roots/list'));
    await expect(
      Promise.race([never.catch(() => 'over'), new Promise((resolve) => setTimeout(resolve, 1_500, 'waiting'))]),
    ).resolves.toBe('waiting');
    await upstreams.close();
    await expect(never).rejects.toMatchObject({ code: 'draining' });
  });

  it.each([
    ['a client that cannot', new FaultError('missing_capability', 'It cannot.'), -32021],
    ['a client that left', new FaultError('cancelled', 'Gone.'), -32000],
    ['a bug', new Error('secret'), -32603],
  ])('%s becomes a JSON-RPC error for the server', async (_name, fault, code) => {
    const upstreams = open();
    const talk = streaming(subject);
    const answer = upstreams.send('subject', toCall('tool'), capable({ answer: () => Promise.reject(fault) }));
    const { turn, stream } = await talk;
    stream.write(question('1', 'roots/list'));
    const back = await subject.saw(({ message }) => message.error !== undefined);
    expect(back.message).toMatchObject({ id: 1, error: { code } });
    expect(back.body).not.toContain('secret');
    stream.event(answerTo(turn));
    stream.end();
    await answer;
  });

  it('is refused when the client never declared it, and ping is answered by us', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    const exchange = new TestExchange();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    stream.write(question('1', 'elicitation/create') + question('"p"', 'ping'));
    const refused = await subject.saw(({ message }) => message.error !== undefined);
    expect(refused.message).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32601,
        message: 'Method not found: elicitation/create. The client did not declare the capability "elicitation".',
      },
    });
    const pong = await subject.saw(({ message }) => message.id === 'p');
    expect(pong.message).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.asked).toEqual([]);
  });

  it('that is taken back gets no answer', async () => {
    const upstreams = open();
    const talk = streaming(subject);
    let decide: ((answer: Answer) => void) | undefined;
    const exchange = capable({ answer: () => new Promise<Answer>((resolve) => (decide = resolve)) });
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    stream.write(question('"q"', 'roots/list'));
    stream.event({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
    stream.event(progress(turn.message.id, 1));
    stream.write(question('"later"', 'ping'));
    await subject.saw(({ message }) => message.id === 'later');
    decide?.(Answer.result('1', { roots: [] }));
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    await upstreams.close();
    expect(subject.seen.some(({ message }) => message.id === 'q')).toBe(false);
  });
});

describe('a question outside of the request it belongs to', () => {
  const asking = (id: unknown, method = 'roots/list') => ({ jsonrpc: '2.0', id, method });

  function outside(): Promise<Stream> {
    return new Promise((resolve) => void subject.on('GET', ({ stream }) => resolve(stream())));
  }

  it('goes to the one client with requests in flight, and from then on clients have sessions of their own', async () => {
    const upstreams = open();
    const listening = outside();
    const talk = streaming(subject);
    const exchange = capable();
    const answer = upstreams.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    (await listening).event(asking('q'));
    expect((await subject.saw(({ message }) => message.id === 'q')).message.result).toEqual({ roots: [] });
    expect(exchange.asked).toHaveLength(1);
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    subject.on('tools/call', ({ result }) => result({}));
    await upstreams.send('subject', toCall('tool'), capable());
    await upstreams.send('subject', toCall('tool'), capable({ client: createClient('other', CAPABLE) }));
    // The first client keeps the session it had alone.
    expect(subject.seen.filter(({ message }) => message.method === 'initialize')).toHaveLength(2);
    expect(upstreams.status('subject')?.connections).toBe(2);
  });

  it('is refused when it could be either of two clients', async () => {
    const upstreams = open();
    const listening = outside();
    const first = streaming(subject);
    const one = capable();
    const answer = upstreams.send('subject', toCall('tool'), one);
    const a = await first;
    const second = streaming(subject);
    const two = capable({ client: createClient('other', CAPABLE) });
    const otherAnswer = upstreams.send('subject', toCall('tool'), two);
    const b = await second;
    (await listening).event(asking('q'));
    expect((await subject.saw(({ message }) => message.id === 'q')).message.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('several clients'),
    });
    for (const { turn, stream } of [a, b]) {
      stream.event(answerTo(turn));
      stream.end();
    }
    await Promise.all([answer, otherAnswer]);
    expect([...one.asked, ...two.asked]).toEqual([]);
  });

  it('waits for a request when none is in flight, and is refused when none comes', async () => {
    subject.on('GET', ({ stream }) => stream().event(asking('early')));
    const upstreams = open({ startTimeoutMs: 400 });
    const client = createClient('c', CAPABLE);
    await upstreams.identify('subject', client);
    expect((await subject.saw(({ message }) => message.id === 'early')).message.error).toMatchObject({ code: -32603 });
    const patient = open();
    const talk = streaming(subject);
    const seenBefore = subject.seen.length;
    await patient.identify('subject', client);
    await subject.saw((seen) => seen.method === 'GET' && subject.seen.indexOf(seen) >= seenBefore);
    const exchange = new TestExchange({ client });
    const answer = patient.send('subject', toCall('tool'), exchange);
    const { turn, stream } = await talk;
    await subject.saw(({ message }) => message.id === 'early' && message.result !== undefined);
    stream.event(answerTo(turn));
    stream.end();
    await answer;
    expect(exchange.asked).toHaveLength(1);
  });
});
