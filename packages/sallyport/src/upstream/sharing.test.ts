import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openSubject } from '../../test/http-subject.ts';
import {
  CAPABLE,
  childSettings,
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import type { UpstreamStatus } from '../core/upstream-port.ts';

const CHILD = fileURLToPath(new URL('../../test/fixtures/child-era.mjs', import.meta.url));
const opened: Opened[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function open(settings: ServerSettings): Opened {
  const upstreams = openUpstreams(settings);
  opened.push(upstreams);
  return upstreams;
}
const child = (own: Partial<ServerSettings> = {}, manner = 'legacy') => childSettings([CHILD, manner], own);

async function pid(upstreams: Opened, exchange: TestExchange, name = 'tool', args: JsonObject = {}): Promise<unknown> {
  const answer = await upstreams.send('subject', toCall(name, args), exchange);
  return answer.result?.['pid'];
}

/** A client that can be asked; every answer names it. */
const askable = (key: string, own: { exclusive?: boolean } = {}) =>
  new TestExchange({
    client: createClient(key, CAPABLE),
    answer: () => Answer.result('1', { roots: [], of: key }),
    ...own,
  });

/** Nobody answers before so many are asked. */
function answerOnceAsked(exchanges: readonly TestExchange[], count: number): void {
  let asked = 0;
  let open: () => void = () => {};
  const enough = new Promise<void>((resolve) => {
    open = resolve;
  });
  for (const exchange of exchanges)
    exchange.answer = async () => {
      if (++asked === count) open();
      await enough;
      return Answer.result('1', { roots: [] });
    };
}

async function until(upstreams: Opened, wanted: (status: UpstreamStatus) => boolean): Promise<void> {
  for (;;) {
    const status = upstreams.status('subject');
    if (status !== undefined && wanted(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a legacy child', () => {
  it('is shared by clients that cannot be asked, whatever else they declare', async () => {
    const upstreams = open(child());
    const pids = await Promise.all(
      ['a', 'b'].map((key) => pid(upstreams, new TestExchange({ client: createClient(key) }))),
    );
    expect(new Set(pids).size).toBe(1);
    expect(upstreams.status('subject')).toMatchObject({ connections: 1, pids: [pids[0]] });
  });

  it('is one per client that can be asked, and the question reaches that client', async () => {
    const upstreams = open(child());
    const [a, b] = [askable('a'), askable('b')];
    const answers = await Promise.all(
      [a, b].map((exchange) => upstreams.send('subject', toCall('ask', { for: exchange.client.key }), exchange)),
    );
    expect(answers.map(({ result }) => result?.['answer'])).toEqual([
      { roots: [], of: 'a' },
      { roots: [], of: 'b' },
    ]);
    expect([a, b].map(({ asked }) => asked.map(({ params }) => params['for']))).toEqual([['a'], ['b']]);
    expect(upstreams.status('subject')?.connections).toBe(2);
  });

  it('is one per client when the settings say so', async () => {
    const upstreams = open(child({ sharing: 'client' }));
    const pids = await Promise.all(
      ['a', 'b', 'a'].map((key) => pid(upstreams, new TestExchange({ client: createClient(key) }))),
    );
    expect(new Set(pids).size).toBe(2);
  });

  it('ends with its client', async () => {
    const upstreams = open(child());
    await pid(upstreams, askable('a'));
    const b = await pid(upstreams, askable('b'));
    upstreams.release('a');
    await until(upstreams, ({ pids }) => pids.length === 1);
    expect(await pid(upstreams, askable('b'))).toBe(b);
  });

  it('asks through the request that is not being asked yet', async () => {
    const upstreams = open(child());
    const exchanges = [askable('a'), askable('a'), askable('a')];
    answerOnceAsked(exchanges, 3);
    await Promise.all(exchanges.map((exchange) => upstreams.send('subject', toCall('ask'), exchange)));
    expect(exchanges.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  it('is leased whole to each request without a session, up to four, then they wait', async () => {
    const upstreams = open(child());
    await pid(upstreams, askable('a', { exclusive: true }));
    const exchanges = Array.from({ length: 6 }, () => askable('a', { exclusive: true }));
    // Each of the four has a child to itself by then.
    answerOnceAsked(exchanges, 4);
    const answers = await Promise.all(
      exchanges.map((exchange, index) => upstreams.send('subject', toCall('ask', { for: index }), exchange)),
    );
    exchanges.forEach((exchange, index) => {
      expect(exchange.asked.map(({ params }) => params['for'])).toEqual([index]);
    });
    expect(new Set(answers.map(({ result }) => result?.['pid'])).size).toBe(4);
    expect(upstreams.status('subject')?.connections).toBe(4);
  });

  it('a wait for a lease ends with the client or the deadline', async () => {
    const upstreams = open(child({ timeoutMs: 1500 }));
    const busy = Array.from({ length: 4 }, () =>
      pid(upstreams, askable('a', { exclusive: true }), 'wait', { milliseconds: 1200 }),
    );
    await until(upstreams, ({ connections }) => connections === 4);
    const leaver = askable('a', { exclusive: true });
    const left = pid(upstreams, leaver);
    setImmediate(() => leaver.cancel());
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    await Promise.all(busy);
  });
});

describe('a modern child', () => {
  it('is one for all, also for clients that can be asked', async () => {
    const upstreams = open(child({}, 'modern'));
    const pids = await Promise.all(['a', 'b', 'c'].map((key) => pid(upstreams, askable(key, { exclusive: true }))));
    expect(new Set(pids).size).toBe(1);
  });
});

describe('an idle child', () => {
  it('is stopped, and started by the next call', async () => {
    const upstreams = open(child({ idleMs: 150 }));
    const first = await pid(upstreams, new TestExchange());
    await until(upstreams, ({ connections, pids }) => connections === 0 && pids.length === 0);
    expect(upstreams.status('subject')).toMatchObject({ state: 'idle', lastError: undefined });
    expect(await pid(upstreams, new TestExchange())).not.toBe(first);
  });

  it('is not idle while it works, is asked, or is followed', async () => {
    const upstreams = open(child({ idleMs: 300 }));
    const first = await pid(upstreams, new TestExchange(), 'wait', { milliseconds: 900 });
    expect(upstreams.status('subject')?.connections).toBe(1);
    await upstreams.subscribe('subject', 'x:1', createClient());
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await pid(upstreams, new TestExchange())).toBe(first);
  });
});

describe('limits', () => {
  it('so many at once, the rest in line', async () => {
    const upstreams = open(child({ concurrency: 2 }));
    await pid(upstreams, new TestExchange());
    const calls = Array.from({ length: 6 }, () => pid(upstreams, new TestExchange(), 'wait', { milliseconds: 30 }));
    expect(upstreams.status('subject')?.inFlight).toBe(2);
    await Promise.all(calls);
    expect(upstreams.status('subject')?.inFlight).toBe(0);
  });

  it('a full line turns away', async () => {
    const upstreams = open(child({ concurrency: 1 }));
    const calls = Array.from({ length: 258 }, () =>
      pid(upstreams, new TestExchange()).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 'overloaded')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(257);
  });

  it('failures in a row open the breaker, others do not', async () => {
    const subject = await openSubject();
    const upstreams = open(httpSettings(subject.url, { era: 'legacy', timeoutMs: 1_000 }));
    const call = () => upstreams.send('subject', toCall('tool'), new TestExchange());
    subject.on('tools/call', ({ error }) => error(-32602, 'no'));
    for (let i = 0; i < 5; i++) await call();
    subject.on('tools/call', ({ send }) => send(500, {}, ''));
    for (let i = 0; i < 5; i++) await expect(call()).rejects.toMatchObject({ code: 'upstream_protocol' });
    subject.on('tools/call', () => {});
    for (let i = 0; i < 3; i++) await expect(call()).rejects.toMatchObject({ code: 'timeout' });
    const before = subject.seen.length;
    await expect(call()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/failed 3 times in a row.*did not answer tools\/call/),
    });
    expect(subject.seen.length).toBe(before);
    subject.on('tools/call', ({ result }) => result({ back: true }));
    await upstreams.restart('subject');
    expect((await call()).result).toEqual({ back: true });
    await subject.close();
  });

  it('one slow tool beside others that answer opens nothing', async () => {
    const upstreams = open(child({ timeoutMs: 2_000, breaker: { failures: 1, openMs: 60_000 } }));
    await pid(upstreams, new TestExchange());
    const slow = pid(upstreams, new TestExchange(), 'wait', { milliseconds: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await pid(upstreams, new TestExchange());
    await expect(slow).rejects.toMatchObject({ code: 'timeout' });
    await pid(upstreams, new TestExchange());
  });

  it('a connection that cannot be made is one failure, however many wait for it', async () => {
    const upstreams = open(child({ breaker: { failures: 2, openMs: 60_000 } }, 'broken'));
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => pid(upstreams, new TestExchange()).catch((error: Error) => error.message)),
    );
    expect(outcomes.join()).not.toContain('times in a row and is tried again');
  });
});

describe('a change of the configuration', () => {
  it('lets calls finish, closes what changed and keeps what did not', async () => {
    const kept = { ...child(), name: 'kept' };
    const upstreams = openUpstreams([child(), kept]);
    opened.push(upstreams);
    const keptPid = await upstreams.send('kept', toCall('tool'), new TestExchange());
    await pid(upstreams, new TestExchange());
    const finishing = pid(upstreams, new TestExchange(), 'wait', { milliseconds: 300 });
    const changed = child({ timeoutMs: 4000 });
    upstreams.reconfigure(
      new Map([
        ['subject', changed],
        ['kept', { ...kept }],
      ]),
    );
    const fresh = await pid(upstreams, new TestExchange());
    expect(await finishing).not.toBe(fresh);
    await until(upstreams, ({ pids }) => pids.length === 1 && pids[0] === fresh);
    expect((await upstreams.send('kept', toCall('tool'), new TestExchange())).result).toEqual(keptPid.result);
    upstreams.reconfigure(new Map([['kept', kept]]));
    await expect(pid(upstreams, new TestExchange())).rejects.toMatchObject({ code: 'not_found' });
    expect(upstreams.status('subject')).toBeUndefined();
  });

  it('who is asked who it is while it is replaced is answered by what took its place', async () => {
    const upstreams = open(child());
    const asked = upstreams.identify('subject', createClient('a'));
    upstreams.reconfigure(new Map([['subject', child({ timeoutMs: 4000 })]]));
    await expect(asked).resolves.toMatchObject({ revision: expect.any(String) });
  });

  it('restart ends children at once', async () => {
    const upstreams = open(child());
    const first = await pid(upstreams, new TestExchange());
    const inFlight = pid(upstreams, new TestExchange(), 'wait', { milliseconds: 5000 });
    const failed = expect(inFlight).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('being restarted'),
    });
    await upstreams.restart('subject');
    await failed;
    expect(await pid(upstreams, new TestExchange())).not.toBe(first);
  });

  it('nothing is left after close, and nothing starts any more', async () => {
    const upstreams = open(child());
    const running = pid(upstreams, new TestExchange()).catch((error: { code: string }) => error.code);
    await upstreams.close();
    expect(['draining', 'cancelled', 'unreachable']).toContain(await running);
    await expect(pid(upstreams, new TestExchange())).rejects.toMatchObject({ code: 'draining' });
  });
});
