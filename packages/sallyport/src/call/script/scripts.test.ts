import { afterEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../core/endpoint.ts';
import { Request } from '../../core/message.ts';
import { KEY_HOLDER, type Principal } from '../../core/principal.ts';
import type { Inbound } from '../inbound.ts';
import { Scripts } from './scripts.ts';

const ADA: Principal = { ...KEY_HOLDER, id: 'key:ada', agent: 'desk', groups: ['staff', 'admin'], scopes: ['read'] };
const ALL: Endpoint = { kind: 'all' };

interface Asking {
  readonly principal?: Principal;
  readonly session?: string;
  readonly endpoint?: Endpoint;
  readonly run?: string;
}

/** What the store of scripts reads of a request. */
function ask({ principal = ADA, session = 's1', endpoint = ALL, run }: Asking = {}): Inbound {
  const params = run === undefined ? {} : { _meta: { 'dev.sallyport/run': run } };
  const client = { key: session, principal };
  return { request: Request.of('1', 'tools/call', params), exchange: { client }, endpoint } as unknown as Inbound;
}

const ended: string[] = [];
const script = (name: string) => ({ close: async () => void ended.push(name) });
let scripts = new Scripts();
afterEach(async () => {
  await scripts.close();
  scripts = new Scripts();
  ended.length = 0;
});

const pause = (inbound: Inbound) => {
  const own = scripts.begin(() => script('a'), inbound, 8);
  return scripts.pause(own, inbound, async () => ({ went: 'on' }));
};

describe('a paused script', () => {
  it.each<[string, Asking]>([
    ['another caller', { principal: { ...ADA, id: 'key:bob' } }],
    ['another program of the caller', { principal: { ...ADA, agent: 'phone' } }],
    ['the caller with a group less', { principal: { ...ADA, groups: ['staff'] } }],
    ['the caller with other scopes', { principal: { ...ADA, scopes: [] } }],
    ['another session, which has read other things', { session: 's2' }],
    ['another run', { run: 'other' }],
    ['another endpoint', { endpoint: { kind: 'bundle', name: 'b' } }],
  ])('does not go on for %s', (_, other) => {
    const id = pause(ask());
    expect(scripts.resume(id, ask(other))).toBeUndefined();
    expect(scripts.resume(id, ask())).toBeDefined();
  });

  it('goes on once, for whoever began it, in whatever order groups are named', async () => {
    const id = pause(ask({ run: 'task' }));
    const goOn = scripts.resume(id, ask({ run: 'task', principal: { ...ADA, groups: ['admin', 'staff'] } }));
    expect(await goOn?.(ask())).toEqual({ went: 'on' });
    expect(scripts.resume(id, ask({ run: 'task' }))).toBeUndefined();
    expect(scripts.resume('constructor', ask())).toBeUndefined();
  });

  it('ends with the program', async () => {
    pause(ask());
    await scripts.close();
    expect(ended).toEqual(['a']);
  });
});

describe('the number of scripts', () => {
  const bob = ask({ principal: { ...ADA, id: 'key:bob' } });

  it('has a bound, of which one caller does not get all', async () => {
    const open = Array.from({ length: 7 }, (_, i) => scripts.begin(() => script(`a${i}`), ask(), 8));
    const more = () => scripts.begin(() => script('more'), ask(), 8);
    expect(more).toThrow(expect.objectContaining({ code: 'overloaded' }));
    const own = scripts.begin(() => script('b'), bob, 8);
    expect(() => scripts.begin(() => script('c'), bob, 8)).toThrow(/Too many scripts/);
    await scripts.end(own);
    for (const one of open) await scripts.end(one);
    expect(more).not.toThrow();
  });
});
