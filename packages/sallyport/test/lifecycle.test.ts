import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exchange, openExchange, RawConnection } from './http-exchange.ts';
import { eventsOf, INITIALIZE } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { descendantsOf, openFiles } from './process-table.ts';
import {
  misbehaving,
  newTestFolder,
  SallyportProcess,
  StdioGateway,
  startGateway,
  type WrittenConfig,
} from './running-sallyport.ts';
import { isRunning } from './stdio-child.ts';
import { waitFor } from './wait-for.ts';

const npm = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

/** A command line that is expected to fail: its exit code, the one JSON value on stdout, the talk on stderr. */
async function fail(config: WrittenConfig | string, args: readonly string[] = ['up', '--port', '0', '--json']) {
  const started = new SallyportProcess(config, args);
  const { code } = await started.exited;
  return { code, error: JSON.parse(started.stdout).error, stderr: started.stderr };
}

/** Of 14 MB, which is longer on its way than a process takes to end. */
const WHOLE = { characters: 0 };

describe('a start', () => {
  it('makes a key nobody else can read, and keeps it', async () => {
    const gateway = await startGateway({});
    const key = join(gateway.process.stateDir, 'key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(gateway.process.stateDir, 'seal-key')).mode & 0o777).toBe(0o600);
    expect(statSync(gateway.process.stateDir).mode & 0o077).toBe(0);
    expect(gateway.key).toMatch(/^sp_[A-Za-z0-9_-]{32}$/);
    expect(gateway.process.stderr).not.toContain(gateway.key);
    await gateway.process.stop();
  });

  it('without servers serves empty lists', async () => {
    const gateway = await startGateway({});
    const client = await new PlainClient(gateway).initialize();
    expect((await client.request('tools/list')).result).toEqual({ tools: [] });
    expect((await client.requestModern('tools/list')).result).toMatchObject({ tools: [], resultType: 'complete' });
    expect((await client.call('anything')).error).toMatchObject({
      code: -32602,
      message: 'Unknown tool: anything. tools/list has the names.',
    });
    expect(
      (await exchange({ url: `${gateway.origin}/servers/none/mcp`, headers: gateway.headers, body: '{}' })).status,
    ).toBe(404);
    expect((await exchange({ url: `${gateway.origin}/healthz`, method: 'GET' })).body).toBe('ok\n');
  });

  it('takes limits in any order of size', async () => {
    const gateway = await startGateway({ gateway: { limits: { requestMs: 5_000 } } });
    expect((await exchange({ url: `${gateway.origin}/healthz`, method: 'GET' })).status).toBe(200);
  });

  it('on a port in use says so, and how to mend it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, error, stderr } = await fail({ gateway: { port } }, ['up', '--json']);
    other.close();
    const message = `Listening on 127.0.0.1:${port} failed: port ${port} is in use: stop the other program, or set gateway.port (0 lets the system choose).`;
    expect(code).toBe(1);
    expect(error).toEqual({ code: 'config', message });
    expect(stderr).toContain(message);
  });

  const BAD: readonly [name: string, config: WrittenConfig | string, message: RegExp][] = [
    ['no JSON', '{"mcpServers": {', /sallyport\.json.*(line 1|column|position|end of)/s],
    ['an unknown key', { mcpServer: {} } as WrittenConfig, /mcpServer.*mcpServers/s],
    ['an unknown key of a server', { mcpServers: { a: { comand: 'x' } } }, /comand.*command/s],
    ['a wrong type', { gateway: { port: '80x' } }, /gateway\.port/],
    ['a server that is neither', { mcpServers: { a: {} } }, /a.*(command|url)/s],
    [
      'no key beyond loopback',
      { gateway: { host: '0.0.0.0', auth: 'none' } },
      /would let everyone who reaches 0\.0\.0\.0 use every tool/,
    ],
    ['a list', '[]', /object/],
  ];
  it.each(BAD)('with a configuration that is %s says what and where', async (_name, config, message) => {
    const { code, error, stderr } = await fail(config);
    expect(code).toBe(1);
    expect(error).toMatchObject({ code: 'config', message: expect.stringMatching(message) });
    expect(stderr).toContain('sallyport: ');
  });

  it('with a configuration that is not there, or is a folder, says so', async () => {
    const folder = newTestFolder();
    for (const [path, message] of [
      [join(folder, 'missing.json'), /There is no file .*missing\.json/],
      [folder, /cannot be read; check that it is a file and its permissions/],
    ] as const) {
      const started = new SallyportProcess({}, ['up', '--port', '0', '--json', '--config', path]);
      started.child.stdin?.end();
      expect((await started.exited).code).toBe(1);
      expect(JSON.parse(started.stdout).error).toMatchObject({
        code: 'config',
        message: expect.stringMatching(message),
      });
    }
  });

  it('with a state folder that cannot be one says so', async () => {
    const folder = newTestFolder();
    writeFileSync(join(folder, 'taken'), '');
    const started = new SallyportProcess({}, ['up', '--port', '0', '--json'], {
      SALLYPORT_STATE: join(folder, 'taken', 'state'),
    });
    expect((await started.exited).code).toBe(1);
    expect(JSON.parse(started.stdout).error).toMatchObject({ code: 'config', message: expect.stringMatching(/taken/) });
  });

  it('survives state that others damaged', async () => {
    const first = await startGateway({ mcpServers: { good: misbehaving({ tools: ['echo'] }) } });
    await (await new PlainClient(first).initialize()).call('good_echo');
    await first.process.stop();
    for (const damage of ['{', '{"version":99}', 'null']) {
      const state = newTestFolder();
      mkdirSync(state, { recursive: true });
      for (const file of ['catalog.json', 'eras.json']) writeFileSync(join(state, file), damage);
      chmodSync(join(state, 'catalog.json'), 0o644);
      const again = await startGateway({ mcpServers: { good: misbehaving({ tools: ['echo'] }) } }, [], {
        SALLYPORT_STATE: state,
      });
      expect(textOf(await (await new PlainClient(again).initialize()).call('good_echo'))).toContain('"tools/call"');
      await again.process.stop();
    }
  });
});

describe('the end', () => {
  const folder = () => {
    const path = newTestFolder();
    const gate = join(path, 'gate');
    return { gate, counter: join(path, 'counter'), open: () => writeFileSync(gate, '') };
  };

  it('on SIGTERM answers the calls in flight, refuses new ones with 503, and then leaves nothing', async () => {
    const { gate, counter, open } = folder();
    // Who asks for readiness before the signal arrives would otherwise be given time to notice.
    const gateway = await startGateway({
      mcpServers: { bad: misbehaving({ tools: ['wait', 'echo'], counter }) },
      gateway: { drainMs: 0 },
    });
    const legacy = await new PlainClient(gateway).initialize();
    const modern = new PlainClient(gateway);
    await legacy.call('bad_echo');
    const calls = [
      ...Array.from({ length: 3 }, () => legacy.call('bad_wait', { until: gate })),
      ...Array.from({ length: 3 }, () => modern.callModern('bad_wait', { until: gate })),
    ];
    await waitFor(() => expect(readFileSync(counter, 'utf8').split('\n')).toHaveLength(calls.length + 1));
    const children = descendantsOf(gateway.pid);
    gateway.process.child.kill('SIGTERM');
    await waitFor(async () =>
      expect((await exchange({ url: `${gateway.origin}/healthz`, method: 'GET' })).status).toBe(503),
    );
    for (const answer of [await legacy.ask('ping'), await modern.askModern('tools/list')]) {
      expect(answer.status).toBe(503);
      expect(JSON.parse(answer.body)).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'Sallyport is shutting down.' },
      });
    }
    open();
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => 'waited'));
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
    expect(children.filter(isRunning)).toEqual([]);
  });

  it('does not cut an answer that is being read', async () => {
    const gateway = await startGateway({
      mcpServers: { bad: misbehaving({ tools: ['echo', 'big'] }) },
      results: WHOLE,
    });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bad_echo');
    const { host } = new URL(gateway.origin);
    const params = { name: 'bad_big', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) });
    const lines = Object.entries({ ...gateway.headers, ...modernHeaders('tools/call', params) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const connection = new RawConnection(gateway.origin);
    connection.send(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await connection.answered();
    connection.socket.pause();
    gateway.process.child.kill('SIGTERM');
    await waitFor(async () =>
      expect(
        (await exchange({ url: `${gateway.origin}/healthz`, method: 'GET' }).catch(() => ({ status: 503 }))).status,
      ).toBe(503),
    );
    connection.socket.resume();
    await connection.closed;
    const length = Number(/content-length: (\d+)/i.exec(connection.received)?.[1]);
    expect(length).toBeGreaterThan(14_000_000);
    expect(connection.received.length - connection.received.indexOf('\r\n\r\n') - 4).toBe(length);
    expect((await gateway.process.exited).code).toBe(0);
  });

  it('is not held up by idle connections and open streams, and modern listeners are told', async () => {
    const gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['echo'] }) } });
    const client = await new PlainClient(gateway).initialize();
    const stream = await openExchange({
      url: gateway.url,
      method: 'GET',
      headers: { ...gateway.headers, ...client.session },
    });
    const sse = await openExchange({ url: gateway.sse, method: 'GET', headers: gateway.headers });
    const idle = new RawConnection(gateway.origin).send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.answered();
    for (const each of [stream, sse]) each.resume();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: modernParams({ notifications: { toolsListChanged: true } }),
    });
    const listening = await openExchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...modernHeaders('subscriptions/listen') },
      body,
    });
    const events = eventsOf(listening);
    expect((await events.next()).value).toContain('acknowledged');
    expect(await gateway.process.stop()).toEqual({ code: 0, signal: null });
    await idle.closed;
    // 2026-07-28 subscriptions#graceful-closure: a stream that ends well says so.
    expect(JSON.parse((await events.next()).value ?? '')).toMatchObject({
      id: 'l',
      result: { resultType: 'complete' },
    });
    expect((await events.next()).done).toBe(true);
  });

  it('comes at once when asked for twice', async () => {
    const gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['hang', 'echo'] }) } });
    const client = await new PlainClient(gateway).initialize();
    await client.call('bad_echo');
    const hanging = client.call('bad_hang').catch((error: unknown) => error);
    await client.call('bad_echo');
    const children = descendantsOf(gateway.pid);
    gateway.process.child.kill('SIGTERM');
    await gateway.process.logged(/Ending: calls in flight may finish/);
    gateway.process.child.kill('SIGTERM');
    expect(await gateway.process.exited).toEqual({ code: 130, signal: null });
    await waitFor(() => expect(children.filter(isRunning)).toEqual([]));
    await hanging;
  });

  it('by kill -9 leaves no child, those of npm servers included', async () => {
    const gateway = await startGateway({
      mcpServers: {
        everything: npm('everything', 'stdio'),
        memory: npm('memory'),
        files: npm('filesystem', newTestFolder()),
        own: misbehaving({ tools: ['echo'] }, { sharing: 'client' }),
        shell: { command: 'sh', args: ['-c', `sleep 1000 & exec "${process.execPath}" "${misbehaving().args[0]}"`] },
      },
    });
    const client = await new PlainClient(gateway).initialize();
    // A server of npm takes longer to start than a list waits.
    await waitFor(async () => {
      const { result } = await client.request('tools/list');
      for (const server of ['everything', 'memory', 'files', 'own', 'shell'])
        expect(JSON.stringify(result)).toContain(`"name":"${server}_`);
    });
    const children = descendantsOf(gateway.pid);
    expect(children.length).toBeGreaterThanOrEqual(6);
    expect(await gateway.process.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await waitFor(() => expect(children.filter(isRunning)).toEqual([]));
  });
});

describe('sallyport stdio', () => {
  const servers = { mcpServers: { bad: misbehaving({ tools: ['echo', 'wait'] }) } };
  const line = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

  it('answers all that was piped in before stdin closed, then ends with its children', async () => {
    const stdio = new StdioGateway(servers);
    const { child } = stdio.process;
    child.stdin?.end(
      line(1, 'initialize', INITIALIZE) +
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' +
        line(2, 'tools/list', {}) +
        line(3, 'tools/call', { name: 'bad_echo', arguments: {} }) +
        line(4, 'ping', {}).trimEnd(),
    );
    expect(await stdio.process.exited).toEqual({ code: 0, signal: null });
    const ids = stdio.lines.map((text) => JSON.parse(text).id).filter((id) => id !== undefined);
    expect(ids.sort()).toEqual([1, 2, 3, 4]);
    expect(stdio.lines.find((text) => text.includes('"id":3'))).toContain('tools/call');
  });

  it('ends only when the last answer has been taken by a slow reader', async () => {
    const stdio = new StdioGateway({ mcpServers: { bad: misbehaving({ tools: ['big'] }) }, results: WHOLE });
    const { child } = stdio.process;
    child.stdout?.pause();
    child.stdin?.end(line(1, 'initialize', INITIALIZE) + line(2, 'tools/call', { name: 'bad_big', arguments: {} }));
    await stdio.process.logged(/"outcome":"ok"/);
    child.stdout?.resume();
    expect((await stdio.process.exited).code).toBe(0);
    expect(stdio.lines.map((text) => JSON.parse(text).id)).toEqual([1, 2]);
    expect(stdio.lines.at(-1)?.length).toBeGreaterThan(14_000_000);
  });

  it('answers a lone initialize that was piped in', async () => {
    const stdio = new StdioGateway(servers);
    stdio.process.child.stdin?.end(line(1, 'initialize', INITIALIZE));
    expect((await stdio.process.exited).code).toBe(0);
    expect(stdio.lines.map((text) => JSON.parse(text).id)).toEqual([1]);
  });

  it('ends on shutdown, on SIGTERM, and when nobody reads any more; children end with it', async () => {
    for (const end of ['shutdown', 'SIGTERM', 'unread'] as const) {
      const stdio = new StdioGateway(servers);
      const { child, exited } = stdio.process;
      stdio.send(line(1, 'initialize', INITIALIZE).trim(), line(2, 'tools/list', {}).trim());
      await stdio.line('"id":2,');
      const children = descendantsOf(stdio.process.pid);
      expect(children.length).toBeGreaterThan(0);
      if (end === 'shutdown') stdio.send('{"jsonrpc":"2.0","id":3,"method":"shutdown"}');
      else if (end === 'SIGTERM') child.kill('SIGTERM');
      else {
        child.stdout?.destroy();
        stdio.send(line(4, 'ping', {}).trim(), line(5, 'ping', {}).trim());
      }
      expect((await exited).code, end).toBe(0);
      if (end === 'shutdown') expect(stdio.lines.at(-1)).toBe('{"jsonrpc":"2.0","id":3,"result":{}}');
      await waitFor(() => expect(children.filter(isRunning)).toEqual([]));
    }
  });

  it('opens no files for requests it has answered', async () => {
    const stdio = new StdioGateway(servers);
    stdio.send(line(1, 'initialize', INITIALIZE).trim(), line(2, 'tools/call', { name: 'bad_echo' }).trim());
    await stdio.line('"id":2,');
    const files = openFiles(stdio.process.pid);
    for (let id = 3; id < 203; id++) stdio.send(line(id, 'tools/call', { name: 'bad_echo' }).trim());
    await stdio.line('"id":202,');
    // A file of the state directory may be open at the moment of either look.
    await waitFor(() => expect(openFiles(stdio.process.pid)).toBeLessThanOrEqual(files));
  });
});
