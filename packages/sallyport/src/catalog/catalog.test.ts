import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALL, closeCatalogs, namesIn, setUp, tool, toolsOf, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { waitFor } from '../../test/wait-for.ts';
import type { Tool } from '../core/call.ts';
import type { ListChange } from './contract.ts';

afterEach(closeCatalogs);

describe('one view of several servers', () => {
  const rich: FakeServer = {
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, 'x-own': { a: 1 } },
    instructions: 'Read first.',
    answer: (method) =>
      method === 'tools/list'
        ? `{"tools":[${tool('read', ',"big":9007199254740993')},${tool('write')}]}`
        : method === 'resources/list'
          ? '{"resources":[{"uri":"file:///a","name":"a"}]}'
          : method === 'resources/templates/list'
            ? '{"resourceTemplates":[{"uriTemplate":"file:///{p}","name":"t"}]}'
            : '{"prompts":[{"name":"greet"}]}',
  };
  const servers = { files: rich, git: withTools('log'), notes: { ...rich, capabilities: { resources: {} } } };
  const snapshot = snapshotOf([serverSettings('files'), serverSettings('git'), serverSettings('notes')]);

  it('names, orders and finds again what all of them offer', async () => {
    const { catalog } = setUp(servers, { version: '1.2.3' });
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(view.upstreams()).toEqual(['files', 'git', 'notes']);
    expect(view.unavailable).toEqual([]);
    expect(view.list('tools', undefined).items).toBe(
      `[${tool('files_read', ',"big":9007199254740993')},${tool('files_write')},${tool('git_log')}]`,
    );
    expect(view.list('resources', undefined).items).toBe(
      '[{"uri":"files+file:///a","name":"a"},{"uri":"notes+file:///a","name":"a"}]',
    );
    expect(view.list('resourceTemplates', undefined).items).toContain('"notes+file:///{p}"');
    expect(view.list('prompts', undefined).items).toBe('[{"name":"files_greet"}]');
    expect(view.tool('git_log')).toMatchObject({
      upstream: 'git',
      name: 'log',
      publicName: 'git_log',
      setAside: undefined,
      approvedHints: {},
      sinks: [],
    });
    expect(view.tool('git_log')?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(view.tool('constructor')).toBeUndefined();
    expect(view.prompt('files_greet')).toEqual({ upstream: 'files', name: 'greet' });
    expect(view.prompt('greet')).toBeUndefined();
    expect(view.resource('notes+file:///a')).toEqual([{ upstream: 'notes', uri: 'file:///a', isListed: true }]);
    expect(view.resource('file:///a').map((owner) => owner.upstream)).toEqual(['files', 'notes']);
    expect(view.task(view.publicTaskId('git', 't:1'))).toEqual({ upstream: 'git', taskId: 't:1' });
    expect(view.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      'x-own': { a: 1 },
    });
    expect(view.serverInfo).toEqual({ name: 'sallyport', version: '1.2.3' });
    expect(view.instructions).toBe('## files\n\nRead first.\n\n## notes\n\nRead first.');
  });

  it('leaves a single server as it is', async () => {
    const { catalog, upstreams } = setUp(servers);
    const view = await catalog.view(snapshot, { kind: 'server', name: 'files' }, clientOf());
    expect(upstreams.asked.every((asked) => asked.startsWith('files '))).toBe(true);
    expect(view.list('tools', undefined).items).toBe(`[${tool('read', ',"big":9007199254740993')},${tool('write')}]`);
    expect(view.tool('read')).toMatchObject({ upstream: 'files', publicName: 'read' });
    expect(view.resource('anything:1')).toEqual([{ upstream: 'files', uri: 'anything:1', isListed: false }]);
    expect(view.publicUri('files', 'x:1')).toBe('x:1');
    expect(view.task('t:1')).toEqual({ upstream: 'files', taskId: 't:1' });
    expect([view.capabilities, view.serverInfo, view.instructions]).toEqual([
      rich.capabilities,
      { name: 'files', version: '1' },
      'Read first.',
    ]);
  });

  it('does not know servers that are not in the snapshot', () => {
    const { catalog } = setUp(servers);
    const view = async () => catalog.view(snapshot, { kind: 'server', name: '__proto__' }, clientOf());
    return expect(view()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('__proto__') });
  });

  it('asks only for lists that are declared, and once for many clients at a time', async () => {
    const { catalog, upstreams } = setUp(servers);
    await Promise.all([1, 2, 3].map(() => catalog.view(snapshot, ALL, clientOf())));
    expect([...upstreams.asked].sort()).toEqual([
      'files identify',
      'files prompts/list',
      'files resources/list',
      'files resources/templates/list',
      'files tools/list',
      'git identify',
      'git tools/list',
      'notes identify',
      'notes resources/list',
      'notes resources/templates/list',
    ]);
    const again = catalog.view(snapshot, ALL, clientOf());
    expect(again).not.toBeInstanceOf(Promise);
    expect(catalog.view(snapshot, ALL, clientOf())).toBe(again);
  });

  it('hides tools that are switched off without giving their names away', async () => {
    const { catalog } = setUp({ a: withTools('x', 'y'), b: withTools('x') });
    const off = snapshotOf([serverSettings('a', { disabledTools: ['x'] }), serverSettings('b')], { prefix: 'none' });
    const view = await catalog.view(off, ALL, clientOf());
    expect(namesIn(view)).toEqual(['y', expect.stringMatching(/^x_[0-9a-f]{8}$/)]);
    expect(view.tool('x')).toBeUndefined();
  });

  it('keeps random prefixes over a restart', async () => {
    const first = setUp({ a: withTools('x'), b: withTools('x') });
    const random = snapshotOf([serverSettings('a'), serverSettings('b')], { prefix: 'random' });
    const before = namesIn(await first.catalog.view(random, ALL, clientOf()));
    expect(before).toEqual([expect.stringMatching(/^[a-z]{4}_x$/), expect.stringMatching(/^[a-z]{4}_x$/)]);
    await first.catalog.close();
    const second = setUp({}, { text: first.kept.text ?? '' });
    expect(namesIn(await second.catalog.view(random, ALL, clientOf()))).toEqual(before);
  });
});

describe('trouble', () => {
  it('of one server leaves the others alone and ends by itself', async () => {
    let isDown = true;
    const shaky: FakeServer = {
      ...withTools('b'),
      start: () => {
        if (isDown) throw new Error('secret detail');
      },
    };
    const { catalog, changes } = setUp({ a: withTools('a'), b: shaky });
    const snapshot = snapshotOf([serverSettings('a'), serverSettings('b')]);
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(namesIn(view)).toEqual(['a_a']);
    expect(view.unavailable).toEqual([
      {
        upstream: 'b',
        reason: expect.stringContaining('Sallyport failed inside'),
        told: 'it does not answer as an MCP server does',
      },
    ]);
    expect(view.capabilities).toMatchObject({ resources: { listChanged: true }, prompts: { listChanged: true } });
    expect(catalog.reports()).toEqual([
      { kind: 'list', upstream: 'b', item: 'connection', problem: expect.any(String) },
    ]);
    expect(catalog.view(snapshot, ALL, clientOf())).toBe(view);
    isDown = false;
    await waitFor(() => expect(changes).toEqual([{ upstream: 'b', list: 'tools', profile: '' }]));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['a_a', 'b_b']);
    // Every list is tried again in its own time, and tools may be there first.
    await waitFor(() => expect(catalog.reports()).toEqual([]));
  });

  it('with a server that hangs costs its own start time once, and its lists come later', async () => {
    let go: () => void = () => {};
    const slow: FakeServer = { ...withTools('b'), start: () => new Promise((resolve) => (go = resolve)) };
    const { catalog, changes } = setUp({ a: withTools('a'), b: slow });
    const snapshot = snapshotOf([serverSettings('a'), serverSettings('b', { startTimeoutMs: 50 })]);
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(view.unavailable).toMatchObject([
      { upstream: 'b', reason: 'no answer within 50 ms of starting it; raise startTimeoutMs if it needs longer' },
    ]);
    expect(catalog.view(snapshot, ALL, clientOf())).not.toBeInstanceOf(Promise);
    go();
    await waitFor(() => expect(changes).toContainEqual({ upstream: 'b', list: 'tools', profile: '' }));
    expect(namesIn(await catalog.view(snapshot, ALL, clientOf()))).toEqual(['a_a', 'b_b']);
  });

  it('with one list leaves the other lists of that server', async () => {
    const half: FakeServer = {
      answer: (method) => (method === 'tools/list' ? toolsOf('a') : '!{"code":-32000,"message":"no database"}'),
    };
    const { catalog } = setUp({ s: half });
    const view = await catalog.view(snapshotOf([serverSettings('s')]), ALL, clientOf());
    expect(namesIn(view)).toEqual(['s_a']);
    expect(view.list('prompts', undefined)).toMatchObject({ items: '[]', ttlMs: 0 });
    expect(catalog.reports().map((report) => `${report.item}: ${report.problem}`)).toContain(
      'prompts/list: prompts/list was answered with error -32000: no database',
    );
  });

  it('with schemas costs the validation: the tool is listed, before its check ends and after, and reported', async () => {
    const found = new Map<string, string>();
    const checks: (() => void)[] = [];
    const schemas = {
      check: ({ name, digest }: Tool) =>
        new Promise<void>((resolve) => {
          checks.push(() => {
            if (name === 'bad') found.set(digest, 'its inputSchema took too long');
            resolve();
          });
        }),
      unusable: (digest: string) => [found.get(digest) ?? []].flat(),
    };
    const reported = vi.fn();
    const { catalog } = setUp({ s: withTools('good', 'bad') }, { schemas, reported });
    const snapshot = snapshotOf([serverSettings('s')]);
    const view = await catalog.view(snapshot, ALL, clientOf());
    expect(namesIn(view)).toEqual(['s_good', 's_bad']);
    expect(catalog.tally('s')).toMatchObject({ tools: 2, unvalidated: 0 });
    for (const end of checks) end();
    await waitFor(() => expect(reported).toHaveBeenCalledOnce());
    expect(catalog.reports('s')).toEqual([
      { kind: 'schema', upstream: 's', item: 'tools/list: bad', problem: 'its inputSchema took too long' },
    ]);
    expect(catalog.tally('s')).toMatchObject({ tools: 2, unvalidated: 1, malformed: 0 });
    const later = await catalog.view(snapshot, ALL, clientOf());
    expect(namesIn(later)).toEqual(['s_good', 's_bad']);
    expect(later.tool('s_bad')?.setAside).toBeUndefined();
    await catalog.close();
  });

  it('of a listener does not reach the others', async () => {
    const server = withTools('a');
    const { catalog, upstreams } = setUp({ s: server });
    const heard: ListChange[] = [];
    catalog.onChange(() => {
      throw new Error('listener');
    });
    const stop = catalog.onChange((change) => heard.push(change));
    await catalog.view(snapshotOf([serverSettings('s')]), ALL, clientOf());
    Object.assign(server, withTools('b'));
    upstreams.emit({ kind: 'list_changed', upstream: 's', list: 'tools' });
    await waitFor(() => expect(heard).toHaveLength(1));
    stop();
  });
});
