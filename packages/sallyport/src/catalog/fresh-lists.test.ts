import { afterEach, describe, expect, it } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, tool } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { waitFor } from '../../test/wait-for.ts';
import type { ServerSettings } from '../config/settings.ts';

afterEach(closeCatalogs);

const LIST = { method: 'tools/list', params: {} };
const OWN = { kind: 'server', name: 's' } as const;

/** @param capabilities of its tools @param state beside them in each answer */
function changing(state: string, capabilities = {}) {
  const names = ['a'];
  let [now, most] = [0, 0];
  const server: FakeServer = {
    capabilities: { tools: capabilities },
    answer: async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return `{"tools":[${names.map((name) => tool(name)).join(',')}]${state}}`;
    },
  };
  return { server, names, atOnce: () => most };
}

describe.each<[string, string, Partial<ServerSettings>, object]>([
  ['ttlMs is 0', ',"ttlMs":0', {}, {}],
  ['ttlMs is 0 and whose server announces changes', ',"ttlMs":0', {}, { listChanged: true }],
  ['listTtlMs is 0 and whose server says nothing', '', { listTtlMs: 0 }, { listChanged: true }],
])('a list whose %s', (_, state, settings, capabilities) => {
  const snapshot = snapshotOf([serverSettings('s', settings)]);

  it('is asked for again before the endpoint of its server answers', async () => {
    const { server, names } = changing(state, capabilities);
    const { catalog, time } = setUp({ s: server });
    const first = await catalog.view(snapshot, OWN, clientOf(), LIST);
    expect(first.list('tools', undefined).ttlMs).toBe(0);
    names.push('note');
    time.ahead = 1001;
    expect(namesIn(await catalog.view(snapshot, OWN, clientOf(), LIST))).toEqual(['a', 'note']);
  });

  it('is served at the shared endpoint, asked for behind, and announced', async () => {
    const { server, names } = changing(state, capabilities);
    const { catalog, changes, time } = setUp({ s: server });
    await catalog.view(snapshot, ALL, clientOf(), LIST);
    names.push('note');
    time.ahead = 1001;
    const served = catalog.view(snapshot, ALL, clientOf(), LIST);
    expect(served).not.toBeInstanceOf(Promise);
    expect(namesIn(await served)).toEqual(['s_a']);
    await waitFor(() => expect(changes).toContainEqual(expect.objectContaining({ list: 'tools' })));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf(), LIST))).toEqual(['s_a', 's_note']);
  });

  it('is asked for by one request at a time and one a second, for all clients together', async () => {
    const { server, atOnce } = changing(state, capabilities);
    const { catalog, upstreams, time } = setUp({ s: server });
    const clients = [clientOf(), clientOf({}, 'bob'), clientOf({ roots: {} }), clientOf({ sampling: {} }, 'eve')];
    for (const client of clients) await catalog.view(snapshot, ALL, client, LIST);
    const lists = () => upstreams.asked.filter((asked) => asked === 's tools/list').length;
    for (let second = 1; second <= 3; second++) {
      time.ahead = second * 1001;
      const before = lists();
      await Promise.all([ALL, OWN, ALL].flatMap((at) => clients.map((one) => catalog.view(snapshot, at, one, LIST))));
      await waitFor(() => expect(lists()).toBe(before + 1));
    }
    expect(atOnce()).toBe(1);
  });

  it('is asked for by calls no more often than before', async () => {
    const { server } = changing(state, capabilities);
    const { catalog, upstreams, time } = setUp({ s: server });
    const call = { method: 'tools/call', params: { name: 's_a' } };
    await catalog.view(snapshot, ALL, clientOf(), call);
    const { length } = upstreams.asked;
    time.ahead = 900;
    await catalog.view(snapshot, ALL, clientOf(), call);
    expect(upstreams.asked).toHaveLength(length);
  });
});

it('a list that its server announced as changed is asked for before the endpoint of that server answers', async () => {
  const { server, names } = changing('', { listChanged: true });
  const { catalog, upstreams } = setUp({ s: server });
  const snapshot = snapshotOf([serverSettings('s')]);
  await catalog.view(snapshot, OWN, clientOf(), LIST);
  names.push('note');
  upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
  expect(namesIn(await catalog.view(snapshot, OWN, clientOf(), LIST))).toEqual(['a', 'note']);
});

it('what was asked for too soon is asked for a second later, so that the change is announced', async () => {
  const { server, names } = changing(',"ttlMs":0');
  const { catalog, changes } = setUp({ s: server });
  const snapshot = snapshotOf([serverSettings('s')]);
  await catalog.view(snapshot, OWN, clientOf(), LIST);
  names.push('note');
  expect(namesIn(await catalog.view(snapshot, OWN, clientOf(), LIST))).toEqual(['a']);
  await waitFor(() => expect(changes).toHaveLength(1));
});
