import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exchange, openExchange } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { eventsOf, INITIALIZE } from './message-channels.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { descendantsOf, memoryOf, openFiles } from './process-table.ts';
import { misbehaving, newTestFolder, type RunningGateway, StdioGateway, startGateway } from './running-sallyport.ts';
import { isRunning } from './stdio-child.ts';
import { waitFor } from './wait-for.ts';

const RELOADS = 200;

/** Sections that speak of no server's own entry: each is another one with every version. */
const otherSections = (version: number) => ({
  scan: { keepHours: version + 1, servers: { child: { results: version % 2 === 0 ? 'warn' : 'show' } } },
  limits: { rules: [{ per: 'principal', rate: `${version + 100_000}/s` }] },
  secrets: { vault: { minutes: version + 1 } },
  argumentSafety: { roots: [`/tmp/${version}`] },
  approvals: { ttlMs: version + 60_000 },
  taint: { idleMs: version + 60_000 },
  plans: { minutes: version + 1 },
});

describe('a new configuration under load', () => {
  it('two hundred of them, every fourth bad: no call fails, the bad ones change nothing and say why', async () => {
    const steady = await startHttpUpstream();
    const changing = await startHttpUpstream();
    const child = misbehaving({ tools: ['echo'] });
    /** The changing server is another one with each version: its connections are retired under its callers. */
    const config = (version: number) => ({
      gateway: { pageSize: 100 + version },
      ...otherSections(version),
      mcpServers: {
        child,
        steady: { url: steady.url },
        changing: { url: changing.url, timeoutMs: 30_000 + version },
        [`v${version}`]: { url: steady.url },
      },
    });
    const gateway = await startGateway(config(0), ['--no-call-log']);
    const callers = await Promise.all([
      new PlainClient(gateway).initialize(),
      new PlainClient(gateway).initialize('2025-03-26'),
      new PlainClient(gateway),
    ]);
    for (const tool of ['child_echo', 'steady_echo', 'changing_echo'])
      expect(textOf(await callers[0]!.call(tool))).toBeDefined();
    let over = false;
    const failed: string[] = [];
    let answered = 0;
    const load = callers.flatMap((client, index) =>
      ['child_echo', 'steady_echo', 'changing_echo'].map(async (tool) => {
        while (!over) {
          const answer = await (index === 2 ? client.callModern(tool) : client.call(tool));
          answered++;
          if (textOf(answer) === undefined) failed.push(JSON.stringify(answer).slice(0, 300));
        }
      }),
    );
    const { pid } = gateway;
    const children = descendantsOf(pid);
    const files = openFiles(pid);
    const memory = memoryOf(pid).now;
    let refusals = 0;
    for (let version = 1; version <= RELOADS; version++) {
      if (version % 4 === 0) {
        gateway.process.write(
          version % 8 === 0
            ? `{"mcpServers": {"a": {"command": ${version}`
            : ({ mcpServers: { a: { comand: `${version}` } } } as object),
        );
        gateway.process.child.kill('SIGHUP');
        refusals++;
        await gateway.process.until(
          () => gateway.process.stderr.split('the changed configuration is not used').length > refusals,
        );
      } else {
        gateway.process.write(config(version));
        gateway.process.child.kill('SIGHUP');
        const url = `${gateway.origin}/servers/v${version}/mcp`;
        await waitFor(async () =>
          expect((await exchange({ url, method: 'OPTIONS', headers: gateway.headers })).status).toBe(405),
        );
      }
    }
    over = true;
    await Promise.all(load);
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(RELOADS);
    expect(gateway.process.stderr).toMatch(/the changed configuration is not used: .*sallyport\.json: line 1.*comand/);
    // The last good one counts, and nothing of the others is left.
    const last = RELOADS - 1;
    const { result } = await callers[0]!.request('tools/list');
    expect(((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name).sort()).toEqual([
      'changing_echo',
      'child_echo',
      'steady_echo',
      `v${last}_echo`,
    ]);
    await waitFor(() => {
      expect(openFiles(pid)).toBeLessThan(files + 20);
      // No section but its own entry ends a server.
      expect(descendantsOf(pid)).toEqual(children);
    });
    expect(memoryOf(pid).now - memory).toBeLessThan(96);
  });

  it('that takes servers away and brings them back: each call is answered, by the server or that there is none', async () => {
    const server = await startHttpUpstream();
    const all = (round: number) => ({
      mcpServers: { child: misbehaving({ tools: ['echo'] }), http: { url: server.url, timeoutMs: 20_000 + round } },
    });
    const gateway = await startGateway(all(0), ['--no-call-log']);
    const client = await new PlainClient(gateway).initialize();
    const modern = new PlainClient(gateway);
    await client.call('http_echo');
    let over = false;
    const odd: string[] = [];
    const load = ['child_echo', 'http_echo', 'child_echo', 'http_echo'].map(async (tool, index) => {
      while (!over) {
        const started = performance.now();
        const answer = await (index < 2 ? client.call(tool) : modern.callModern(tool));
        const gone = /^Unknown tool|^There is no server|removed or replaced by a reload|is being closed/.test(
          answer.error?.message ?? '',
        );
        if ((textOf(answer) === undefined && !gone) || performance.now() - started > 60_000)
          odd.push(JSON.stringify(answer).slice(0, 300));
      }
    });
    const url = gateway.servers['http'] ?? '';
    for (let round = 0; round < 40; round++) {
      for (const [config, status] of [
        [{ mcpServers: {} }, 404],
        [all(round), 405],
      ] as const) {
        gateway.process.write(config);
        gateway.process.child.kill('SIGHUP');
        await waitFor(async () =>
          expect((await exchange({ url, method: 'OPTIONS', headers: gateway.headers })).status).toBe(status),
        );
      }
    }
    over = true;
    await Promise.all(load);
    expect(odd).toEqual([]);
    for (const tool of ['child_echo', 'http_echo']) expect(textOf(await client.call(tool))).toBeDefined();
  });
});

describe('calls in flight at a reload', () => {
  const open = async (settings: Record<string, unknown> = {}) => {
    const folder = newTestFolder();
    const gate = join(folder, 'gate');
    const counter = join(folder, 'counter');
    const entry = misbehaving({ tools: ['wait', 'echo'], counter }, settings);
    const gateway = await startGateway({ mcpServers: { slow: entry, good: misbehaving({ tools: ['echo'] }) } });
    const client = await new PlainClient(gateway).initialize();
    await client.call('slow_echo');
    const started = (count: number) =>
      waitFor(() => expect(readFileSync(counter, 'utf8').split('\n')).toHaveLength(count + 1));
    return { gate, entry, gateway, client, started };
  };

  const reload = async (gateway: RunningGateway, mcpServers: Record<string, unknown>) => {
    const marked = { ...mcpServers, marker: misbehaving({ tools: ['echo'] }) };
    gateway.process.write({ mcpServers: marked });
    gateway.process.child.kill('SIGHUP');
    const url = `${gateway.origin}/servers/marker/mcp`;
    await waitFor(async () =>
      expect((await exchange({ url, method: 'OPTIONS', headers: gateway.headers })).status).toBe(405),
    );
  };

  it('finish under the configuration they began with, when their server is changed', async () => {
    const { gate, entry, gateway, client, started } = await open();
    const call = client.call('slow_wait', { until: gate });
    await started(1);
    const before = descendantsOf(gateway.pid);
    await reload(gateway, { slow: { ...entry, timeoutMs: 12_345 } });
    // New calls go to the new server at once.
    expect(textOf(await client.call('slow_echo'))).toContain('"tools/call"');
    writeFileSync(gate, '');
    expect(textOf(await call)).toBe('waited');
    await waitFor(() => expect(before.filter(isRunning).length).toBeLessThan(before.length));
  });

  it('finish when their server is removed, and new calls are told that it is gone', async () => {
    const { gate, gateway, client, started } = await open();
    const call = client.call('slow_wait', { until: gate });
    await started(1);
    await reload(gateway, {});
    expect((await client.call('slow_echo')).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Unknown tool: slow_echo/),
    });
    expect((await exchange({ url: gateway.servers['slow'] ?? '', headers: gateway.headers, body: '{}' })).status).toBe(
      404,
    );
    writeFileSync(gate, '');
    expect(textOf(await call)).toBe('waited');
  });

  it('that wait in line for their server are answered by it, too', async () => {
    const { gate, entry, gateway, client, started } = await open({ concurrency: 1 });
    const calls = Array.from({ length: 5 }, () => client.call('slow_wait', { until: gate }));
    await started(1);
    await reload(gateway, { slow: { ...entry, timeoutMs: 12_345 } });
    writeFileSync(gate, '');
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => 'waited'));
    await started(5);
  });
});

describe('a call that waits while the configuration changes', () => {
  const permitAll = 'permit(principal, action, resource);';
  const forbidAll = `${permitAll} forbid(principal, action == Action::"call", resource);`;

  it('is judged by the policies it began with, before and after a person agrees', async () => {
    const folder = newTestFolder();
    const file = join(folder, 'rules.cedar');
    writeFileSync(file, permitAll);
    const mcpServers = { slow: misbehaving({ tools: ['echo'] }), other: misbehaving({ tools: ['echo'] }) };
    const config = (asks: readonly string[], pageSize: number) => ({
      gateway: { pageSize },
      policy: { files: [file] },
      approvals: { asks, waitMs: 60_000, elicit: false },
      mcpServers,
    });
    const gateway = await startGateway(config(['slow/*'], 100));
    const client = await new PlainClient(gateway).initialize();
    const api = async (path: string, body?: unknown) => {
      const answer = await fetch(`${gateway.origin}/api/v1${path}`, {
        headers: gateway.headers,
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await answer.json()) as { items?: { id: string }[] };
    };
    const call = client.call('slow_echo');
    const id = await waitFor(async () => {
      const { items } = await api('/approvals?state=waiting');
      expect(items).toHaveLength(1);
      return items?.[0]?.id ?? '';
    });
    writeFileSync(file, forbidAll);
    gateway.process.write(config([], 101));
    gateway.process.child.kill('SIGHUP');
    const late = new PlainClient(gateway);
    await late.initialize();
    await waitFor(async () => expect(textOf(await late.call('other_echo')) ?? '').not.toContain('"tools/call"'));
    await api(`/approvals/${id}/allow`, {});
    expect(textOf(await call)).toContain('"tools/call"');
    expect(textOf(await late.call('slow_echo')) ?? '').not.toContain('"tools/call"');
  });
});

describe('a server that a new configuration adds', () => {
  it('is met before its first call: its definitions are read and can be decided about', async () => {
    const gateway = await startGateway({ mcpServers: { a: misbehaving({ tools: ['echo'] }) } });
    const added = { mcpServers: { a: misbehaving({ tools: ['echo'] }), late: misbehaving({ tools: ['echo'] }) } };
    gateway.process.write(added);
    gateway.process.child.kill('SIGHUP');
    await waitFor(async () => {
      const answer = await fetch(`${gateway.origin}/api/v1/pins?server=late`, { headers: gateway.headers });
      expect(await answer.json()).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ item: 'tools/echo' })]),
      });
    });
  });
});

describe('a server that is added or removed', () => {
  it('is told to clients of every kind', async () => {
    const good = misbehaving({ tools: ['echo'] });
    const more = misbehaving({ tools: ['count'] });
    const config = { mcpServers: { good } };
    const gateway = await startGateway(config);
    const stdio = new StdioGateway(config);
    const legacy = await new PlainClient(gateway).initialize();
    const stream = eventsOf(
      await openExchange({ url: gateway.url, method: 'GET', headers: { ...gateway.headers, ...legacy.session } }),
    );
    const sse = eventsOf(await openExchange({ url: gateway.sse, method: 'GET', headers: gateway.headers }));
    const posts = new PlainClient(gateway, gateway.origin + ((await sse.next()).value ?? ''));
    await posts.post(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { ...INITIALIZE, protocolVersion: '2024-11-05' },
      }),
    );
    expect((await sse.next()).value).toContain('"id":1');
    stdio.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }));
    await stdio.line('"id":1');

    const untilChanged = async (events: AsyncGenerator<string>) => {
      for (;;) if (((await events.next()).value ?? '').includes('notifications/tools/list_changed')) return;
    };
    const names = async () =>
      (((await legacy.request('tools/list')).result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
    expect(await names()).toEqual(['good_echo']);
    for (const [servers, expected] of [
      [{ good, more }, ['good_echo', 'more_count']],
      [{ good }, ['good_echo']],
    ] as const) {
      // The watcher sees the file by itself, without a signal.
      gateway.process.write({ mcpServers: servers });
      stdio.process.write({ mcpServers: servers });
      const heard = stdio.lines.length;
      await Promise.all([
        untilChanged(stream),
        untilChanged(sse),
        stdio.process.until(() =>
          stdio.lines.slice(heard).some((line) => line.includes('notifications/tools/list_changed')),
        ),
      ]);
      await waitFor(async () => expect(await names()).toEqual(expected));
    }
    expect(textOf(await legacy.call('good_echo'))).toContain('"tools/call"');
  });
});
