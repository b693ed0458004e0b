import { afterEach, describe, expect, it } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, toolsOf, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { waitFor } from '../../test/wait-for.ts';
import { FaultError } from '../core/errors.ts';

afterEach(closeCatalogs);

/** Answers once `open` is called. */
function gated(answer: () => string) {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server: FakeServer = {
    capabilities: { tools: {}, prompts: {} },
    instructions: 'Late.',
    start: () => gate,
    answer: (method) => (method === 'tools/list' ? answer() : '{"prompts":[]}'),
  };
  return { server, open: () => open() };
}

const call = (name: string) => ({ method: 'tools/call', params: { name } });
const LIST = { method: 'tools/list', params: {} };
const INITIALIZE = { method: 'initialize', params: {} };

describe('while a server has not answered yet', () => {
  const snapshot = snapshotOf([serverSettings('good'), serverSettings('silent')]);

  async function beside(late = gated(() => toolsOf('late'))) {
    const set = setUp({ good: withTools('x'), silent: late.server });
    const view = (asked = LIST, client = clientOf()) => set.catalog.view(snapshot, ALL, client, asked);
    await waitFor(() => {
      void view(call('good_x'));
      expect(set.upstreams.asked).toContain('good tools/list');
    });
    await view(call('good_x'));
    return { ...set, ...late, view };
  }

  it('a call of another server does not wait', async () => {
    const { view } = await beside();
    const found = view(call('good_x'));
    expect(found).not.toBeInstanceOf(Promise);
    expect((await found).tool('good_x')).toMatchObject({ upstream: 'good' });
    expect(view(call('nobody_x'))).not.toBeInstanceOf(Promise);
  });

  it('a call that may be for it waits for it, and for nothing else', async () => {
    const { view, open } = await beside();
    const waiting = view(call('silent_late'));
    expect(waiting).toBeInstanceOf(Promise);
    open();
    expect((await waiting).tool('silent_late')).toMatchObject({ upstream: 'silent' });
  });

  it('an introduction is there at once and declares every list', async () => {
    const { view } = await beside();
    let listed = false;
    const list = view().then(() => {
      listed = true;
    });
    const { capabilities } = await view(INITIALIZE);
    // A list that was asked for before is still waiting.
    expect(listed).toBe(false);
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true },
      prompts: { listChanged: true },
    });
    await list;
  });

  it('an introduction does not wait again for a server that was asked a while ago', async () => {
    const { view, time } = await beside();
    time.ahead = 1000;
    let isThere = false;
    void Promise.resolve(view(INITIALIZE)).then(() => {
      isThere = true;
    });
    for (let turn = 0; turn < 10 && !isThere; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isThere).toBe(true);
  });

  it('a list names the gap, and the change is announced when it is filled', async () => {
    const { view, open, changes, time } = await beside();
    time.ahead = 10_000;
    const { items, missing } = (await view()).list('tools', undefined);
    expect([items.includes('good_x'), missing]).toEqual([true, ['silent']]);
    const announced = () => changes.filter(({ upstream, list }) => upstream === 'silent' && list === 'tools');
    expect(announced()).toEqual([]);
    open();
    await waitFor(() => expect(announced()).toHaveLength(1));
    const page = (await view()).list('tools', undefined);
    expect([page.missing, namesIn(await view())]).toEqual([[], ['good_x', 'silent_late']]);
  });

  it('a call that waits for it when a reload takes it away is told so', async () => {
    const { view, catalog } = await beside();
    const waiting = view(call('silent_late'));
    catalog.adopt(snapshotOf([serverSettings('good')], {}, 2));
    expect((await waiting).unavailable).toMatchObject([
      { upstream: 'silent', reason: expect.stringMatching(/reload/) },
    ]);
  });

  it('a list waits 2 s at most', async () => {
    const { view } = await beside();
    const startedAt = performance.now();
    expect((await view()).list('tools', undefined).missing).toEqual(['silent']);
    expect(performance.now() - startedAt).toBeGreaterThan(1900);
  });

  it('a list that comes in time is announced to nobody', async () => {
    const { view, open, changes } = await beside();
    const waiting = view();
    open();
    expect(namesIn(await waiting)).toEqual(['good_x', 'silent_late']);
    expect(changes).toEqual([]);
  });
});

describe('the endpoint of a server that was never reached', () => {
  const snapshot = snapshotOf([serverSettings('s')]);
  const endpoint = { kind: 'server', name: 's' } as const;

  it('is introduced as soon as the server is there, even after a failure', async () => {
    let isThere = false;
    const late: FakeServer = {
      ...withTools('x'),
      start: () => {
        if (!isThere) throw new FaultError('unreachable', 'it is not there');
      },
    };
    const { catalog, upstreams } = setUp({ s: late });
    await catalog.view(snapshot, endpoint, clientOf());
    const waiting = catalog.view(snapshot, endpoint, clientOf(), INITIALIZE);
    expect(waiting).toBeInstanceOf(Promise);
    isThere = true;
    upstreams.emit({ kind: 'connected', upstream: 's' });
    expect(await waiting).toMatchObject({ isIntroduced: true, serverInfo: { name: 's' } });
  });

  it('has a list with a named gap, never an empty one', async () => {
    const failing: FakeServer = { capabilities: { tools: {} }, answer: () => '!{"code":-32603,"message":"no"}' };
    const { catalog } = setUp({ s: failing });
    const view = await catalog.view(snapshot, endpoint, clientOf(), LIST);
    expect(view.list('tools', undefined)).toMatchObject({ items: '[]', missing: ['s'] });
    expect(view.list('prompts', undefined)).toMatchObject({ items: '[]', missing: [] });
  });
});
