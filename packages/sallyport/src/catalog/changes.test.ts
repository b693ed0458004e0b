import { afterEach, describe, expect, it } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, toolsOf, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { waitFor } from '../../test/wait-for.ts';

afterEach(closeCatalogs);

describe('pages', () => {
  const numbered = (...numbers: number[]) => withTools(...numbers.map((n) => `t${n}`));
  const snapshot = snapshotOf([serverSettings('s')], { pageSize: 3, prefix: 'none' });

  it('follow one another to the end', async () => {
    const { catalog } = setUp({ s: numbered(1, 2, 3, 4, 5, 6, 7) });
    const view = await catalog.view(snapshot, ALL, clientOf());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = view.list('tools', cursor);
      seen.push(...JSON.parse(page.items).map((item: { name: string }) => item.name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7']);
    expect(() => view.list('tools', 'nonsense')).toThrow(expect.objectContaining({ code: 'invalid_params' }));
  });

  it.each([
    ['an item in front is gone', [2, 3, 4, 5], ['t4', 't5']],
    ['an item in front is new', [0, 1, 2, 3, 4, 5], ['t4', 't5']],
    ['the last one seen is gone', [1, 2, 4, 5], ['t4', 't5']],
    ['the next one is gone', [1, 2, 3, 5], ['t5']],
    ['both are gone', [1, 2, 5, 6], ['t6']],
  ])('go on in the right place when %s', async (_, after, expected) => {
    const server = numbered(1, 2, 3, 4, 5);
    const { catalog, changes, upstreams } = setUp({ s: server });
    const cursor = (await catalog.view(snapshot, ALL, clientOf())).list('tools', undefined).nextCursor;
    Object.assign(server, numbered(...after));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(changes).toHaveLength(1));
    const page = (await catalog.view(snapshot, ALL, clientOf())).list('tools', cursor);
    expect(JSON.parse(page.items).map((item: { name: string }) => item.name)).toEqual(expected);
  });
});

describe('changes', () => {
  const snapshot = snapshotOf([serverSettings('s')]);

  it('are served after a refresh behind, and told apart from what a server announced without one', async () => {
    const server = withTools('a');
    const { catalog, changes, repeated, upstreams } = setUp({ s: server });
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(repeated).toEqual([{ upstream: 's', list: 'tools', profile: '', isSame: true }]));
    expect(upstreams.asked.filter((asked) => asked === 's tools/list')).toHaveLength(2);
    Object.assign(server, withTools('a', 'b'));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    const stale = catalog.view(snapshot, ALL, clientOf());
    expect(namesIn(await stale)).toEqual(['s_a']);
    await waitFor(() => expect(changes).toEqual([{ upstream: 's', list: 'tools', profile: '' }]));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a', 's_b']);
  });

  it('of resources and of their templates are told as one, once both are there', async () => {
    let go = () => {};
    let isGoing = Promise.resolve();
    let version = 1;
    const server: FakeServer = {
      capabilities: { resources: {} },
      answer: async (method) => {
        if (method !== 'resources/templates/list') return `{"resources":[{"uri":"x:${version}","name":"x"}]}`;
        await isGoing;
        return `{"resourceTemplates":[{"uriTemplate":"x:{a}${version}","name":"x"}]}`;
      },
    };
    const { catalog, changes, upstreams } = setUp({ s: server });
    await catalog.view(snapshot, ALL, clientOf());
    version = 2;
    isGoing = new Promise((resolve) => (go = resolve));
    const asked = () => upstreams.asked.filter((one) => one === 's resources/list').length;
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'resources' });
    await waitFor(() => expect(asked()).toBe(2));
    expect(changes).toEqual([]);
    go();
    await waitFor(() => expect(changes).toEqual([{ upstream: 's', list: 'resources', profile: '' }]));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'resources' });
    await waitFor(() => expect(asked()).toBe(3));
    expect(changes).toHaveLength(1);
  });

  it('of a list that each caller has of its own are told that caller alone', async () => {
    let names = ['a'];
    const answer = () => toolsOf(...names).replace(/}$/, ',"cacheScope":"private"}');
    const { catalog, changes, upstreams } = setUp({ s: { capabilities: { tools: {} }, answer } });
    for (const principal of ['ann', 'bob']) await catalog.view(snapshot, ALL, clientOf({}, principal));
    names = ['a', 'b'];
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(changes).toHaveLength(2));
    expect(changes.map(({ principal }) => principal).sort()).toEqual(['ann', 'bob']);
  });

  it('are told each profile once its own list is the new one', async () => {
    const server = withTools('a');
    const { catalog, upstreams } = setUp({ s: server });
    const clients = [clientOf(), clientOf({ roots: {} }), clientOf({ sampling: {} })];
    for (const client of clients) await catalog.view(snapshot, ALL, client);
    const seen: [string | undefined, string[]][] = [];
    catalog.onChange(({ profile }) => {
      const client = clients.find((one) => one.profile === profile) ?? clientOf();
      const view = catalog.view(snapshot, ALL, client);
      seen.push([profile, view instanceof Promise ? [] : namesIn(view)]);
    });
    Object.assign(server, withTools('a', 'b'));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(seen).toHaveLength(3));
    expect(new Set(seen.map(([profile]) => profile))).toEqual(new Set(clients.map((client) => client.profile)));
    expect(seen.map(([, names]) => names)).toEqual(clients.map(() => ['s_a', 's_b']));
  });

  it('are looked for as long as one client is there, whoever came first', async () => {
    const server = withTools('a');
    const { catalog, changes, upstreams } = setUp({ s: server });
    const [first, second] = [clientOf(), { ...clientOf(), key: 'second' }];
    await catalog.view(snapshot, ALL, first);
    await catalog.view(snapshot, ALL, second);
    catalog.forget(first.key);
    Object.assign(server, withTools('a', 'b'));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(changes).toHaveLength(1));
  });

  it('that come without end are asked for at a bounded rate', async () => {
    let count = 0;
    const { catalog, upstreams, changes } = setUp({
      s: { capabilities: { tools: {} }, answer: () => toolsOf(`t${count++}`) },
    });
    await catalog.view(snapshot, ALL, clientOf());
    for (let i = 0; i < 10_000; i++) upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(changes.length).toBeGreaterThan(0));
    expect(count).toBe(2);
  });

  it('of a list that grew old are looked for at its next use', async () => {
    const server: FakeServer = { capabilities: { tools: {} }, answer: () => '{"tools":[],"ttlMs":5000}' };
    const { catalog, upstreams, changes, time } = setUp({ s: server });
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(view.list('tools', undefined).ttlMs).toBeGreaterThan(4000);
    Object.assign(server, { answer: () => toolsOf('new') });
    time.ahead = 4000;
    expect(catalog.view(snapshot, ALL, clientOf())).toBe(view);
    time.ahead = 6000;
    expect(view.list('tools', undefined).ttlMs).toBe(0);
    const asked = upstreams.asked.length;
    expect(catalog.view(snapshot, ALL, clientOf())).toBe(view);
    expect(upstreams.asked).toHaveLength(asked);
    await waitFor(() => expect(changes).toHaveLength(1));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_new']);
  });

  it('are looked for when a connection was made anew, but not in a circle', async () => {
    let crashes = false;
    const server: FakeServer = {
      capabilities: { tools: {} },
      answer: () => {
        if (crashes) throw new Error('crashed');
        return toolsOf('a');
      },
    };
    const { catalog, upstreams } = setUp({ s: server });
    server.start = () => upstreams.emit({ kind: 'connected', upstream: 's' });
    await catalog.view(snapshot, ALL, clientOf());
    expect(upstreams.asked).toEqual(['s identify', 's tools/list']);
    crashes = true;
    upstreams.emit({ kind: 'connected', upstream: 's' });
    await waitFor(() => expect(upstreams.asked).toHaveLength(4));
    // The second try comes a second later, not at once.
    const started = Date.now();
    await waitFor(() => expect(upstreams.asked.length).toBeGreaterThan(4));
    expect(Date.now() - started).toBeGreaterThan(500);
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
    expect(catalog.reports()).toEqual([
      { kind: 'list', upstream: 's', item: 'tools/list', problem: expect.any(String) },
    ]);
  });

  it('of the snapshot are announced', async () => {
    const { catalog, changes } = setUp({ s: withTools('a'), t: withTools('b') });
    await catalog.view(snapshot, ALL, clientOf());
    catalog.adopt(snapshotOf([serverSettings('s', { listTtlMs: 1 })], {}, 2));
    expect(changes).toEqual([]);
    const wider = snapshotOf([serverSettings('s'), serverSettings('t')], {}, 3);
    catalog.adopt(wider);
    expect(changes).toContainEqual({ upstream: 't', list: 'tools' });
    expect(changes.every((change) => change.upstream === 't')).toBe(true);
    expect(namesIn(await catalog.view(wider, ALL, clientOf()))).toEqual(['s_a', 't_b']);
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
  });

  it('of the command behind a name start from nothing', async () => {
    const server = withTools('a');
    const { catalog } = setUp({ s: server });
    await catalog.view(snapshot, ALL, clientOf());
    Object.assign(server, withTools('other'));
    const transport = { type: 'http', url: 'http://x/mcp', headers: {} } as const;
    const moved = snapshotOf([serverSettings('s', { transport })], {}, 2);
    expect(namesIn(await catalog.view(moved, ALL, clientOf()))).toEqual(['s_other']);
  });
});
