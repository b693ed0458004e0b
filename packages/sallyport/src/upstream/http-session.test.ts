import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEGACY_HELLO, openSubject, type Stream, type Subject } from '../../test/http-subject.ts';
import {
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';

let subject: Subject;
let upstreams: Opened;

beforeEach(async () => {
  subject = await openSubject();
  upstreams = openUpstreams(httpSettings(subject.url, { era: 'legacy' }));
});
afterEach(async () => {
  await upstreams.close();
  await subject.close();
});

const call = (exchange = new TestExchange()) => upstreams.send('subject', toCall('tool'), exchange);
const called = () => subject.seen.filter(({ message }) => message.method === 'tools/call');

/** Sessions as servers give them: `s1`, `s2`, …; unknown ones are refused by `refuse`. */
function keepSessions(refuse: (turn: Parameters<Parameters<Subject['on']>[1]>[0]) => void): { live: Set<string> } {
  const live = new Set<string>();
  let last = 0;
  subject.on('initialize', ({ result }) => {
    last++;
    live.add(`s${last}`);
    result(LEGACY_HELLO, { 'mcp-session-id': `s${last}` });
  });
  subject.on('tools/call', (turn) => {
    if (live.has(String(turn.headers['mcp-session-id']))) turn.result({ session: turn.headers['mcp-session-id'] });
    else refuse(turn);
  });
  return { live };
}

describe('a session', () => {
  it('is kept, sent with everything and ended with DELETE', async () => {
    keepSessions(({ send }) => send(404, {}, ''));
    expect((await call()).result).toEqual({ session: 's1' });
    await subject.saw(({ method }) => method === 'GET');
    await upstreams.close();
    const after = subject.seen.slice(1);
    expect(after.map(({ method, message }) => message.method ?? method).sort()).toEqual([
      'DELETE',
      'GET',
      'notifications/initialized',
      'tools/call',
    ]);
    for (const seen of after)
      expect(seen.headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-11-25' });
    expect(subject.seen[0]?.headers['mcp-session-id']).toBeUndefined();
  });

  it.each([
    ['404', 404, ''],
    [
      '404 with a JSON-RPC error',
      404,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
    ],
    [
      '400 that speaks of the session',
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}',
    ],
  ])(
    'that has ended (%s) is followed by a new one, and the refused call is sent again',
    async (_name, status, body) => {
      const { live } = keepSessions(({ send }) => send(status, { 'content-type': 'application/json' }, body));
      await call();
      live.clear();
      expect((await call()).result).toEqual({ session: 's2' });
      expect(called()).toHaveLength(3);
    },
  );

  it('that ends again at once is given up', async () => {
    const { live } = keepSessions(({ send }) => send(404, {}, ''));
    subject.on('tools/call', ({ send }) => send(404, {}, ''));
    live.clear();
    await expect(call()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('has ended the session'),
    });
    expect(called()).toHaveLength(2);
  });

  it('ends without taking along what is still being answered', async () => {
    const { live } = keepSessions(({ send }) => send(404, {}, ''));
    await call();
    let slow: (() => void) | undefined;
    subject.on('tools/call', ({ result, send, headers }) => {
      if (slow === undefined) slow = () => result({ slow: true });
      else if (headers['mcp-session-id'] === 's1') send(404, {}, '');
      else result({ fresh: true });
    });
    const first = call();
    await subject.saw(() => slow !== undefined);
    live.clear();
    expect((await call()).result).toEqual({ fresh: true });
    slow?.();
    expect((await first).result).toEqual({ slow: true });
  });

  it('is not a tool that does not exist', async () => {
    keepSessions(() => {});
    subject.on('tools/call', ({ error }) => error(-32601, 'no such method', { status: 404 }));
    expect((await call()).outcome).toMatchObject({ error: { code: -32601 } });
    expect(called()).toHaveLength(1);
  });

  it('does not keep the end waiting when DELETE hangs', async () => {
    keepSessions(() => {});
    subject.on('tools/call', ({ result }) => result({}));
    subject.on('DELETE', () => {});
    await call();
    await upstreams.close();
  });
});

describe('a stream that breaks off', () => {
  const answer = (id: unknown) => ({ jsonrpc: '2.0', id, result: { ok: 1 } });

  it('is resumed where it stood, after the pause the server asked for (2025-11-25 polling)', async () => {
    let id: unknown;
    let closedAt = 0;
    subject.on('tools/call', (turn) => {
      id = turn.message.id;
      const stream = turn.stream();
      stream.event('', { id: 'e1', retry: 60 });
      stream.end();
      closedAt = performance.now();
    });
    let polls = 0;
    subject.on('GET', (turn) => {
      if (turn.headers['last-event-id'] === undefined) return turn.send(405, {}, '');
      const stream = turn.stream();
      if (++polls === 1) {
        expect(performance.now() - closedAt).toBeGreaterThanOrEqual(55);
        stream.event(
          { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } },
          { id: 'e2' },
        );
        stream.end();
      } else {
        stream.event(answer(id), { id: 'e3' });
        stream.end();
      }
    });
    const exchange = new TestExchange({ progressToken: '7' });
    expect((await call(exchange)).result).toEqual({ ok: 1 });
    expect(exchange.notified).toHaveLength(1);
    const positions = subject.seen
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers['last-event-id']);
    expect(positions.filter((position) => position !== undefined)).toEqual(['e1', 'e2']);
    expect(called()).toHaveLength(1);
  });

  it('is resumed when the connection is cut', async () => {
    subject.on('tools/call', (turn) => {
      const stream = turn.stream();
      stream.event('', { id: 'e1', retry: 10 });
      setImmediate(() => stream.cut());
      subject.on('GET', ({ stream: open }) => open().event(answer(turn.message.id)));
    });
    expect((await call()).result).toEqual({ ok: 1 });
  });

  it('may be answered on the stream outside of requests', async () => {
    let outside: Stream | undefined;
    subject.on('GET', ({ stream }) => {
      outside ??= stream();
    });
    subject.on('tools/call', (turn) => {
      const stream = turn.stream();
      stream.event('', { id: 'e1', retry: 5000 });
      stream.end();
      void subject.saw(({ method }) => method === 'GET').then(() => outside?.event(answer(turn.message.id)));
    });
    expect((await call()).result).toEqual({ ok: 1 });
  });

  it('is given up when the server does not resume', async () => {
    subject.on('tools/call', (turn) => {
      const stream = turn.stream();
      stream.event('', { id: 'e1', retry: 10 });
      stream.end();
    });
    await expect(call()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/broke off its answer and did not resume it.*405/),
    });
  });

  it('is given up when resuming brings nothing new', async () => {
    subject.on('tools/call', (turn) => {
      const stream = turn.stream();
      stream.event('', { id: 'e1', retry: 1 });
      stream.end();
    });
    subject.on('GET', ({ stream, headers, send }) =>
      headers['last-event-id'] === undefined ? send(405, {}, '') : stream().end(),
    );
    const own = openUpstreams(httpSettings(subject.url, { era: 'legacy', timeoutMs: 500 }));
    await expect(own.send('subject', toCall('tool'), new TestExchange())).rejects.toMatchObject({ code: 'timeout' });
    await own.close();
  });

  it('without ids cannot be resumed', async () => {
    subject.on('tools/call', ({ stream }) => stream().end());
    await expect(call()).rejects.toMatchObject({ code: 'upstream_protocol' });
  });
});

describe('the stream outside of requests', () => {
  it('brings changes as events, and is opened again where it stood', async () => {
    const positions: unknown[] = [];
    subject.on('tools/call', ({ result }) => result({}));
    subject.on('GET', (turn) => {
      positions.push(turn.headers['last-event-id']);
      const stream = turn.stream();
      if (positions.length === 1) {
        stream.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, { id: 'a', retry: 10 });
        stream.end();
      } else stream.event({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///x' } });
    });
    await call();
    await upstreams.event('list_changed', ({ list }) => list === 'tools');
    expect((await upstreams.event('resource_updated')).uri).toBe('file:///x');
    expect(positions).toEqual([undefined, 'a']);
  });

  it('is not asked for again where there is none', async () => {
    subject.on('tools/call', ({ result }) => result({}));
    await call();
    await subject.saw(({ method }) => method === 'GET');
    await call();
    expect(subject.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });
});

it('one session is shared by clients that declare the same', async () => {
  subject.on('tools/call', ({ result }) => result({}));
  await Promise.all(['a', 'b', 'c'].map((key) => call(new TestExchange({ client: createClient(key) }))));
  await call(new TestExchange({ client: createClient('d', { sampling: {} }) }));
  await call(new TestExchange({ client: createClient('e', { sampling: {} }) }));
  const hellos = subject.seen.filter(({ message }) => message.method === 'initialize');
  expect(hellos.map(({ message }) => message.params?.['capabilities'])).toEqual([{}, { sampling: {} }]);
  expect(upstreams.status('subject')).toMatchObject({
    connections: 2,
    era: 'legacy',
    revision: '2025-11-25',
    state: 'ready',
  });
});
