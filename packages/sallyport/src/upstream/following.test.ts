import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEGACY_HELLO, openSubject, type Subject } from '../../test/http-subject.ts';
import {
  createClient,
  httpSettings,
  type Opened,
  openUpstreams,
  TestExchange,
  toCall,
} from '../../test/upstream-set-up.ts';
import type { ServerSettings } from '../config/settings.ts';

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

describe('what clients follow', () => {
  beforeEach(() => {
    const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
    subject.on('initialize', ({ result }) => result({ ...LEGACY_HELLO, capabilities }));
    for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel', 'tools/call'])
      subject.on(method, ({ result }) => result({ of: method }));
  });
  const seen = (method: string) =>
    subject.seen
      .filter(({ message }) => message.method === method)
      .map(({ message }) => message.params?.['uri'] ?? message.params?.['level']);

  it('a resource is asked for once, and let go with the last', async () => {
    const upstreams = open();
    const [a, b] = [createClient('a'), createClient('b')];
    const answers = await Promise.all([
      upstreams.subscribe('subject', 'x:1', a),
      upstreams.subscribe('subject', 'x:1', b),
      upstreams.subscribe('subject', 'x:1', b),
    ]);
    expect(answers.map(({ result }) => result)).toEqual(Array(3).fill({ of: 'resources/subscribe' }));
    await upstreams.unsubscribe('subject', 'x:1', b);
    await upstreams.unsubscribe('subject', 'x:1', a);
    expect(seen('resources/unsubscribe')).toEqual([]);
    expect((await upstreams.unsubscribe('subject', 'x:1', b)).result).toEqual({ of: 'resources/unsubscribe' });
    expect((await upstreams.unsubscribe('subject', 'x:1', b)).result).toEqual({});
    expect(seen('resources/subscribe')).toEqual(['x:1']);
    expect(seen('resources/unsubscribe')).toEqual(['x:1']);
  });

  it('a refused subscription is the upstream’s error and is not kept', async () => {
    subject.on('resources/subscribe', ({ error }) => error(-32002, 'Resource not found'));
    const upstreams = open();
    expect((await upstreams.subscribe('subject', 'x:1', createClient())).outcome).toMatchObject({
      error: { code: -32002 },
    });
    await upstreams.subscribe('subject', 'x:1', createClient());
    expect(seen('resources/subscribe')).toEqual(['x:1', 'x:1']);
  });

  it('is let go when the client is gone', async () => {
    const upstreams = open();
    await upstreams.subscribe('subject', 'x:1', createClient('a'));
    await upstreams.subscribe('subject', 'x:2', createClient('b'));
    upstreams.release('a');
    await subject.saw(({ message }) => message.method === 'resources/unsubscribe');
    expect(seen('resources/unsubscribe')).toEqual(['x:1']);
  });

  it('is asked for again on a new connection, which is made without a call', async () => {
    const upstreams = open();
    await upstreams.subscribe('subject', 'x:1', createClient('a'));
    await upstreams.setLogLevel('subject', 'warning', createClient('a'));
    await upstreams.restart('subject');
    await subject.saw((each) => each.message.method === 'logging/setLevel' && subject.seen.indexOf(each) > 5);
    expect(seen('resources/subscribe')).toEqual(['x:1', 'x:1']);
    expect(seen('logging/setLevel')).toEqual(['warning', 'warning']);
  });

  it('the level of a shared connection is the most verbose of its clients', async () => {
    const upstreams = open();
    const [a, b] = [createClient('a'), createClient('b')];
    await upstreams.setLogLevel('subject', 'error', a);
    await upstreams.setLogLevel('subject', 'critical', b);
    await upstreams.setLogLevel('subject', 'info', b);
    await upstreams.setLogLevel('subject', 'error', b);
    expect(seen('logging/setLevel')).toEqual(['error', 'info', 'error']);
  });

  it('a request that names a level raises it once', async () => {
    const upstreams = open();
    for (const logLevel of ['warning', 'error', 'warning', 'debug', 'info'])
      await upstreams.send('subject', toCall('tool'), new TestExchange({ logLevel }));
    expect(seen('logging/setLevel')).toEqual(['warning', 'debug']);
  });

  it('a level the upstream refuses is its error, and changes nothing', async () => {
    subject.on('logging/setLevel', ({ error }) => error(-32602, 'no such level'));
    const upstreams = open();
    expect((await upstreams.setLogLevel('subject', 'loud', createClient())).outcome).toMatchObject({
      error: { code: -32602, message: 'no such level' },
    });
    subject.on('logging/setLevel', ({ result }) => result({}));
    await upstreams.setLogLevel('subject', 'error', createClient());
    expect(seen('logging/setLevel')).toEqual(['loud', 'error']);
  });
});
