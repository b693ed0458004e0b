import { afterEach, describe, expect, it } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import type { BundleSettings, BundleTool } from '../config/access-settings.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Access } from '../core/access.ts';

afterEach(closeCatalogs);

const BUNDLE = { kind: 'bundle', name: 'mine' } as const;

function withBundle(...tools: (Pick<BundleTool, 'server' | 'item'> & Partial<BundleTool>)[]): Snapshot {
  const bundle: BundleSettings = {
    name: 'mine',
    title: undefined,
    description: undefined,
    instructions: undefined,
    tools: tools.map((tool) => ({ name: undefined, description: undefined, ...tool })),
    resources: [],
    prompts: [],
    groups: undefined,
  };
  return { ...snapshotOf([serverSettings('a'), serverSettings('b')]), bundles: new Map([['mine', bundle]]) };
}

describe('a bundle', () => {
  it('sets two tools of one name aside, naming both', async () => {
    const { catalog } = setUp({ a: withTools('x'), b: withTools('x', 'y') });
    const snapshot = withBundle(
      { server: 'a', item: '*' },
      { server: 'b', item: '*' },
      { server: 'b', item: 'y', name: 'a_x' },
    );
    const view = await catalog.view(snapshot, BUNDLE, clientOf());
    expect(namesIn(view)).toEqual(['b_x']);
    expect(view.tool('a_x')?.setAside).toBe('the bundle "mine" calls "a.x" and "b.y" both "a_x"; rename one');
  });

  it('writes its own description where the server wrote none, and in place of what it wrote', async () => {
    const said = {
      capabilities: { tools: {} },
      answer: () => `{"tools":[{"description":"Theirs","name":"x","inputSchema":{"type":"object"},"title":"T"}]}`,
    };
    const { catalog } = setUp({ a: said, b: withTools('y') });
    const snapshot = withBundle(
      { server: 'a', item: 'x', name: 'look', description: 'Ours "$&"' },
      { server: 'b', item: 'y', description: 'Ours too' },
    );
    const view = await catalog.view(snapshot, BUNDLE, clientOf());
    expect(view.list('tools', undefined).items).toBe(
      '[{"description":"Ours \\"$&\\"","name":"look","inputSchema":{"type":"object"},"title":"T"},' +
        '{"description":"Ours too","name":"b_y","inputSchema":{"type":"object"}}]',
    );
    expect(view.tool('look')).toMatchObject({ name: 'x', upstream: 'a', definition: { description: 'Theirs' } });
  });

  it('repairs the dots of names', async () => {
    const { catalog } = setUp({ a: withTools('x.y', 'z') });
    const snapshot = withBundle({ server: 'a', item: '*' }, { server: 'a', item: 'z', name: 'my.z' });
    const view = await catalog.view(snapshot, BUNDLE, clientOf());
    expect(namesIn(view)).toEqual(['a_x_y', 'my_z']);
    expect(view.tool('a_x_y')).toMatchObject({ name: 'x.y' });
    expect(view.tool('my_z')).toMatchObject({ name: 'z' });
  });

  it('does not ask servers that are not in it', async () => {
    const { catalog, upstreams } = setUp({ a: withTools('x'), b: withTools('y') });
    const view = await catalog.view(withBundle({ server: 'a', item: 'x' }), BUNDLE, clientOf());
    expect([namesIn(view), view.upstreams()]).toEqual([['a_x'], ['a']]);
    expect(JSON.stringify(upstreams)).not.toContain('b identify');
  });

  it('that is not there is not found', async () => {
    const { catalog } = setUp({ a: withTools('x') });
    const view = async () => catalog.view(snapshotOf([serverSettings('a')]), BUNDLE, clientOf());
    await expect(view()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what decides beside the configuration', () => {
  const snapshot = snapshotOf([serverSettings('a')]);

  it('narrows lists and calls alike, and is asked again when its version is another one', async () => {
    let version = 0;
    const access: Access = {
      version: () => version,
      mayUse: (_, __, tool) => tool.name !== (version === 0 ? 'x' : 'y'),
    };
    const { catalog, changes } = setUp({ a: withTools('x', 'y') }, { access: () => access });
    const before = await catalog.view(snapshot, ALL, clientOf());
    expect([namesIn(before), before.tool('a_x')]).toEqual([['a_y'], undefined]);
    version = 1;
    const after = await catalog.view(snapshot, ALL, clientOf());
    expect([namesIn(after), after.tool('a_y')]).toEqual([['a_x'], undefined]);
    expect(after.list('tools', undefined).cacheScope).toBe('private');
    changes.length = 0;
    catalog.adopt(snapshot);
    expect(changes).toContainEqual({ upstream: 'a', list: 'tools' });
  });

  it('has said no when it throws', async () => {
    const access: Access = {
      version: () => 0,
      mayUse() {
        throw new Error('engine broken');
      },
    };
    const { catalog } = setUp({ a: withTools('x') }, { access: () => access });
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect([namesIn(view), view.tool('a_x')]).toEqual([[], undefined]);
  });
});

it('looks at each definition once, and believes the operator first', async () => {
  const seen: unknown[] = [];
  const findSinks = (definition: object) => {
    seen.push(definition);
    return ['pay'] as const;
  };
  const { catalog } = setUp({ a: withTools('x', 'y') }, { findSinks });
  const plain = snapshotOf([serverSettings('a')]);
  const sinks = { floor: new Map(), overrides: [{ server: 'a', item: 'y', sinks: ['delete'] as const }] };
  const view = await catalog.view({ ...plain, sinks }, ALL, clientOf());
  expect([view.tool('a_x')?.sinks, view.tool('a_y')?.sinks]).toEqual([['pay'], ['delete']]);
  (await catalog.view({ ...plain, sinks, version: 2 }, ALL, clientOf())).tool('a_x');
  expect(seen).toHaveLength(2);
});
