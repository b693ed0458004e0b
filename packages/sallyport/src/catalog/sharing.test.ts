import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, tool, toolsOf, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { waitFor } from '../../test/wait-for.ts';
import { type Client, toDeclaration } from '../core/client.ts';
import { silentLog } from '../core/log.ts';

afterEach(closeCatalogs);

describe('clients that see different lists', () => {
  const roots = { roots: { listChanged: true } };
  const snapshot = snapshotOf([serverSettings('s')]);
  const dependent: FakeServer = {
    capabilities: { tools: {} },
    answer: (_method, _params, client) =>
      toolsOf('a', ...(Object.hasOwn(client.capabilities, 'roots') ? ['rooted'] : [])),
  };

  it('never see the list of another profile', async () => {
    const { catalog } = setUp({ s: dependent });
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
    const other = catalog.view(snapshot, ALL, clientOf(roots));
    expect(other).toBeInstanceOf(Promise);
    expect(namesIn(await other)).toEqual(['s_a', 's_rooted']);
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
  });

  it('share a request under way over one connection while they declare the same, and no other', async () => {
    const { catalog, upstreams } = setUp({ s: dependent });
    const connected = await upstreams.identify('s', clientOf());
    upstreams.identify = async () => connected;
    const legacy = { ...clientOf(), key: 'legacy', ...toDeclaration('legacy', {}) };
    const clients = [clientOf(), legacy, clientOf(roots)];
    const views = await Promise.all(clients.map((client) => catalog.view(snapshot, ALL, client)));
    expect(views.map((view) => namesIn(view))).toEqual([['s_a'], ['s_a'], ['s_a', 's_rooted']]);
    expect(upstreams.asked.filter((asked) => asked === 's tools/list')).toHaveLength(2);
    // What was announced since is not in an answer that was asked for before.
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(upstreams.asked.filter((asked) => asked === 's tools/list').length).toBeGreaterThan(3));
  });

  it('share one copy, and a refresh for one serves both, as long as the lists are equal', async () => {
    const { catalog, upstreams, time, kept } = setUp({ s: withTools('a') });
    const plain = await catalog.view(snapshot, ALL, clientOf());
    expect(await catalog.view(snapshot, ALL, clientOf(roots))).toBe(plain);
    time.ahead = 61_000;
    const before = upstreams.asked.length;
    void catalog.view(snapshot, ALL, clientOf());
    void catalog.view(snapshot, ALL, clientOf(roots));
    await waitFor(() => expect(upstreams.asked).toHaveLength(before + 2));
    await waitFor(() => expect(plain.list('tools', undefined).ttlMs).toBeGreaterThan(0));
    await catalog.close();
    expect(upstreams.asked).toHaveLength(before + 2);
    expect(kept.text?.split('\\"name\\":\\"a\\"')).toHaveLength(2);
    const next = setUp({}, { text: kept.text ?? '' });
    expect(namesIn(await next.catalog.view(snapshot, ALL, clientOf(roots)))).toEqual(['s_a']);
  });

  it('hear what a server that was connected anew says of itself, although another profile asked for the equal lists first', async () => {
    const server: FakeServer = { ...withTools('a'), instructions: 'Old.' };
    const { catalog, upstreams } = setUp({ s: server });
    const said = async (client: Client) => (await catalog.view(snapshot, ALL, client)).instructions;
    const [one, other] = [clientOf(), clientOf(roots)];
    expect([await said(one), await said(other)]).toEqual(['## s\n\nOld.', '## s\n\nOld.']);
    server.instructions = 'New.';
    upstreams.emit({ kind: 'connected', upstream: 's' });
    await waitFor(async () => expect(await said(one)).toContain('New.'));
    await waitFor(async () => expect(await said(other)).toContain('New.'));
  });

  it('are told apart by principal where the server says its list is private', async () => {
    const personal: FakeServer = {
      capabilities: { tools: {} },
      answer: (_method, _params, client) =>
        `{"tools":[${tool(`of_${client.principal.id}`)}],"cacheScope":"private","ttlMs":60000}`,
    };
    const { catalog, upstreams, kept } = setUp({ s: personal });
    const view = await catalog.view(snapshot, ALL, clientOf({}, 'ann'));
    expect(namesIn(view)).toEqual(['s_of_ann']);
    expect(view.list('tools', undefined).cacheScope).toBe('private');
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf({}, 'bob')))).toEqual(['s_of_bob']);
    expect(catalog.view(snapshot, ALL, clientOf({}, 'ann'))).toBe(view);
    expect(upstreams.asked.filter((asked) => asked === 's tools/list')).toHaveLength(2);
    await catalog.close();
    const next = setUp({ s: personal }, { text: kept.text ?? '' });
    expect(namesIn(await next.catalog.view(snapshot, ALL, clientOf({}, 'bob')))).toEqual(['s_of_bob']);
    expect(namesIn(await next.catalog.view(snapshot, ALL, clientOf({}, 'eve')))).toEqual(['s_of_eve']);
  });

  it('are told apart where each caller has its own credential, whatever the server says', async () => {
    const own = snapshotOf([serverSettings('s', { auth: { type: 'oauth', tokens: 'principal' } as never })]);
    const { catalog } = setUp({
      s: {
        capabilities: { tools: {} },
        answer(_method, _params, { principal }) {
          if (principal.id === 'eve') throw new Error('eve has not signed in');
          return toolsOf(`of_${principal.id}`);
        },
      },
    });
    const seen = async (who: string) => namesIn(await catalog.view(own, ALL, clientOf({}, who)));
    expect(await seen('ann')).toEqual(['s_of_ann']);
    expect(await seen('bob')).toEqual(['s_of_bob']);
    // Who has nothing to see hides nothing from others.
    expect(await seen('eve')).toEqual([]);
    expect(await seen('ann')).toEqual(['s_of_ann']);
    const view = await catalog.view(own, ALL, clientOf({}, 'bob'));
    expect(view.list('tools', undefined)).toMatchObject({ cacheScope: 'private' });
  });

  it('that are gone are no longer asked with', async () => {
    const { catalog, upstreams } = setUp({ s: withTools('a') });
    const client = clientOf(roots);
    await catalog.view(snapshot, ALL, client);
    await catalog.view(snapshot, ALL, clientOf());
    catalog.forget(client.key);
    upstreams.exchanges.splice(0);
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(upstreams.exchanges).toHaveLength(1));
    expect(upstreams.exchanges[0]?.client.capabilities).toEqual({});
  });
});

describe('what is kept between starts', () => {
  const snapshot = snapshotOf([serverSettings('s')]);

  async function keep(server: FakeServer = withTools('a')): Promise<string> {
    const { catalog, kept } = setUp({ s: server });
    await catalog.view(snapshot, ALL, clientOf());
    await catalog.close();
    return kept.text ?? '';
  }

  it('is served without touching an upstream, then looked at again', async () => {
    const text = await keep();
    const { catalog, upstreams, changes } = setUp({ s: withTools('a', 'b') }, { text });
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(upstreams.asked).toEqual([]);
    expect(namesIn(view)).toEqual(['s_a']);
    expect(view.list('tools', undefined).ttlMs).toBe(0);
    await waitFor(() => expect(changes).toEqual([{ upstream: 's', list: 'tools', profile: expect.any(String) }]));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a', 's_b']);
  });

  it('is served although the server is down', async () => {
    const text = await keep();
    const { catalog } = setUp({}, { text });
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect([namesIn(view), view.unavailable]).toEqual([['s_a'], []]);
    await waitFor(() =>
      expect(catalog.reports()).toContainEqual({
        kind: 'list',
        upstream: 's',
        item: 'tools/list',
        problem: 's is not there',
      }),
    );
  });

  it.each([
    ['is no JSON', (text: string) => text.slice(0, -5)],
    ['is of another version', (text: string) => text.replace('"version":1', '"version":2')],
    ['is not ours', () => '[]'],
    ['has lost its parts', () => '{"version":1}'],
  ])('is ignored with a warning when it %s', async (_, damage) => {
    const warn = vi.fn();
    const { catalog, upstreams } = setUp(
      { s: withTools('b') },
      { text: damage(await keep()), log: { ...silentLog, warn } },
    );
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_b']);
    expect(upstreams.asked).toContain('s tools/list');
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('starting without it'));
  });

  it('is ignored for another command', async () => {
    const text = await keep();
    const { catalog } = setUp({ s: withTools('b') }, { text });
    const transport = { type: 'stdio', command: 'other', args: [], env: {}, cwd: undefined } as const;
    const moved = snapshotOf([serverSettings('s', { transport })]);
    expect(namesIn(await catalog.view(moved, ALL, clientOf()))).toEqual(['s_b']);
  });

  it('is written after a while, once, and not again when nothing changed', async () => {
    const saves: string[] = [];
    const store = { load: async () => undefined, save: async (text: string) => void saves.push(text) };
    const { catalog } = setUp({ s: withTools('a') }, { store });
    await catalog.view(snapshot, ALL, clientOf());
    await waitFor(() => expect(saves).toHaveLength(1));
    await catalog.close();
    await catalog.close();
    expect(saves).toHaveLength(1);
  });

  it('may fail to be read or written without harm', async () => {
    const broken = () => Promise.reject(new Error('disk'));
    const { catalog } = setUp({ s: withTools('a') }, { store: { load: broken, save: broken } });
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['s_a']);
    await catalog.close();
  });

  it('does not hold servers that left the configuration', async () => {
    const text = await keep();
    const { catalog, kept } = setUp({ t: withTools('x') }, { text });
    await catalog.view(snapshotOf([serverSettings('t')]), ALL, clientOf());
    await catalog.close();
    expect(kept.text).toContain('"t"');
    expect(kept.text).not.toContain('"s"');
  });
});
