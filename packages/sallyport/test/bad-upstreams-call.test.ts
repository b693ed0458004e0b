import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { descendantsOf, memoryOf, openFiles, processesNaming, zombiesOf } from './process-table.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

let gateway: RunningGateway;
let client: PlainClient;
let folder: string;

/** A server of its own for each way of being bad, so that no row waits for the restart of another. */
const KINDS = [
  'crash',
  'hang',
  'half',
  'flood-stdout',
  'flood-stderr',
  'flood-notifications',
  'wrong-id',
  'twice',
  'nonsense',
  'huge',
  'count-and-die',
];

beforeAll(async () => {
  folder = newTestFolder();
  const quick = { timeoutMs: 1_000 };
  const servers = KINDS.map((kind) => [
    kind,
    misbehaving(
      { tools: ['echo', kind], counter: join(folder, kind) },
      ['hang', 'wrong-id'].includes(kind) ? quick : {},
    ),
  ]);
  gateway = await startGateway({
    mcpServers: { ...Object.fromEntries(servers), good: misbehaving({ tools: ['echo'] }) },
  });
  client = await new PlainClient(gateway).initialize();
  for (const kind of KINDS) expect(textOf(await client.call(`${kind}_echo`))).toContain('"tools/call"');
});

const counted = (kind: string) => readFileSync(join(folder, kind), 'utf8').split('\n').length - 1;

/** Runs `work` while somebody else uses another upstream all the time. */
async function besideOthers<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  let served = 0;
  while (!over || served === 0) {
    expect(textOf(await client.call('good_echo'))).toContain('"tools/call"');
    served++;
  }
  return done;
}

describe('a call to an upstream that goes wrong meanwhile', () => {
  const FAILS: readonly [kind: string, message: RegExp][] = [
    [
      'crash',
      /^The server "crash" exited with code 7 after [\d.]+ s\. Its last lines on stderr:\n {2}the disk of the test server is full$/,
    ],
    ['half', /^The server "half" exited with code 3 after [\d.]+ s in the middle of a line\./],
    ['hang', /^"hang" did not answer tools\/call in time\. The call may have run: .* can raise its timeoutMs\.$/],
    ['wrong-id', /^"wrong-id" did not answer tools\/call in time\./],
    [
      'huge',
      /^The server "huge" was ended by Sallyport after [\d.]+ s because it wrote a line of more than 16 MiB to stdout\./,
    ],
    [
      'count-and-die',
      /^The server "count-and-die" was killed by SIGKILL \(often the kernel, out of memory\) after [\d.]+ s\./,
    ],
  ];
  it.each(FAILS)('%s: fails with the cause, others go on, and the next call works', async (kind, message) => {
    const name = `${kind}_${kind}`;
    const before = memoryOf(gateway.pid).now;
    const answer = await besideOthers(client.call(name));
    expect(answer.error).toMatchObject({ code: -32000, message: expect.stringMatching(message) });
    expect(textOf(await besideOthers(client.call(`${kind}_echo`)))).toContain('"tools/call"');
    expect(memoryOf(gateway.pid).now - before).toBeLessThan(96);
  });

  const WORKS: readonly [kind: string, text: string][] = [
    ['flood-stdout', 'flooded'],
    ['flood-stderr', 'flooded'],
    ['flood-notifications', 'flooded'],
    ['twice', 'first'],
    ['nonsense', 'sense'],
  ];
  it.each(WORKS)('%s: is answered all the same, and others go on', async (kind, text) => {
    const before = memoryOf(gateway.pid).now;
    expect(textOf(await besideOthers(client.call(`${kind}_${kind}`)))).toBe(text);
    expect(textOf(await client.call(`${kind}_echo`))).toContain('"tools/call"');
    expect(memoryOf(gateway.pid).now - before).toBeLessThan(96);
  });

  it('a hundred calls at once over a server that crashes each get their answer, and one restart serves the next', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => client.call(index === 10 ? 'crash_crash' : 'crash_echo'));
    for (const answer of await besideOthers(Promise.all(calls)))
      expect(textOf(answer) ?? answer.error?.message).toMatch(/"tools\/call"|exited with code 7/);
    expect(textOf(await client.call('crash_echo'))).toContain('"tools/call"');
  });

  it('a call is never sent a second time: the server that died under it had counted', async () => {
    const before = counted('count-and-die');
    const answers = await Promise.all([
      client.call('count-and-die_count-and-die'),
      client.callModern('count-and-die_count-and-die'),
    ]);
    for (const answer of answers) expect(answer.error?.code).toBe(-32000);
    // Both may have reached the one that died, or the second its successor; none of them two.
    expect(counted('count-and-die') - before).toBeLessThanOrEqual(2);
    expect(textOf(await client.call('count-and-die_echo'))).toContain('"tools/call"');
    expect(counted('count-and-die') - before).toBeLessThanOrEqual(2);
  });
});

describe('an upstream that keeps failing', () => {
  it('opens the breaker, others go on, and it is used again when it is well; refused calls were never sent', async () => {
    let down = false;
    const server = await startHttpUpstream({
      behave: (_message, response) => {
        if (down) response.destroy();
        return down;
      },
    });
    const settings = { url: server.url, breaker: { failures: 3, openMs: 2_000 } };
    const other = await startGateway({ mcpServers: { shaky: settings, good: misbehaving({ tools: ['echo'] }) } });
    const caller = await new PlainClient(other).initialize();
    expect(textOf(await caller.call('shaky_echo'))).toBe('echo done');
    down = true;
    for (let i = 0; i < 3; i++)
      expect((await caller.call('shaky_echo')).error?.message).toMatch(/talking: it closed the connection/);
    expect(server.calls.get('echo')).toBe(4);
    for (let i = 0; i < 10; i++) {
      const { error } = await caller.call('shaky_echo');
      expect(error).toMatchObject({
        code: -32000,
        message: expect.stringMatching(/^"shaky" failed 3 times in a row and is tried again in [12] s\. http.*talking/),
        data: { retryAfterMs: expect.any(Number) },
      });
    }
    expect(server.calls.get('echo')).toBe(4);
    expect(textOf(await caller.call('good_echo'))).toContain('"tools/call"');
    // One call tries while it is down still: the breaker stays open.
    await waitFor(async () => {
      await caller.call('shaky_echo');
      expect(server.calls.get('echo')).toBe(5);
    });
    expect((await caller.call('shaky_echo')).error?.message).toContain('failed 4 times in a row');
    down = false;
    await waitFor(async () => expect(textOf(await caller.call('shaky_echo'))).toBe('echo done'));
    expect(server.calls.get('echo')).toBe(6);
  });

  it('of a child that dies again and again, no more are started for a while, and that is said', async () => {
    const other = await startGateway({
      mcpServers: { mortal: misbehaving({ tools: ['echo', 'crash'] }), good: misbehaving({ tools: ['echo'] }) },
    });
    const caller = await new PlainClient(other).initialize();
    await caller.call('mortal_echo');
    for (let i = 0; i < 5; i++)
      expect((await caller.call('mortal_crash')).error?.message).toContain('exited with code 7');
    const { error } = await caller.call('mortal_echo');
    expect(error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(
        /^The server "mortal" keeps ending right after its start: 5 times in a row\. The last one exited with code 7 after [\d.]+ s\. The next try is allowed in \d+ s\. Its last lines on stderr:\n {2}the disk of the test server is full$/,
      ),
      data: { retryAfterMs: expect.any(Number) },
    });
    expect(textOf(await caller.call('good_echo'))).toContain('"tools/call"');
    await waitFor(() => expect(zombiesOf(other.pid)).toEqual([]));
    await waitFor(() => expect(other.process.stderr.match(/"msg":"Child died"/g)).toHaveLength(5));
  });
});

describe('a server that is stopped in its tracks', () => {
  it('costs its callers their deadline and little memory, and is used again when it goes on', async () => {
    const frozen = misbehaving({ tools: ['echo'] }, { timeoutMs: 1_000, breaker: { failures: 1_000 } });
    const other = await startGateway({ mcpServers: { frozen, good: misbehaving({ tools: ['echo'] }) } });
    const caller = await new PlainClient(other).initialize();
    const before = new Set(descendantsOf(other.pid));
    await caller.call('frozen_echo');
    await caller.call('good_echo');
    const { pid } = JSON.parse(
      /\{[^\n]*"upstream":"frozen"[^\n]*"Child started"[^\n]*/.exec(other.process.stderr)?.[0] ?? '{}',
    );
    expect([...before, ...descendantsOf(other.pid)]).toContain(pid);
    // The thread that reads large messages is started, so that its memory is not counted.
    await caller.call('good_echo', { a: 'x'.repeat(50_000) });
    process.kill(pid, 'SIGSTOP');
    const memory = memoryOf(other.pid).now;
    // More than a pipe holds: what waits for the reader waits in our memory, within its bound.
    const waiting = Array.from({ length: 40 }, () => caller.call('frozen_echo', { a: 'x'.repeat(50_000) }));
    for (let i = 0; i < 20; i++) expect(textOf(await caller.call('good_echo'))).toContain('"tools/call"');
    for (const { error } of await Promise.all(waiting))
      expect(error?.message).toMatch(/^"frozen" did not answer tools\/call in time\./);
    // Its 40 messages of 50 KB, read in a thread, take some 50 MB there for a while; one copy for each wait would take far more.
    expect(memoryOf(other.pid).now - memory).toBeLessThan(120);
    process.kill(pid, 'SIGCONT');
    // The late answers of the calls that were given up are nobody else's.
    await waitFor(async () =>
      expect(textOf(await caller.call('frozen_echo', { mark: 'after' }))).toContain('"mark":"after"'),
    );
    expect(other.process.stderr).not.toContain('Child died');
  });
});

describe('what is left', () => {
  it('no zombies, no second child, no open file', async () => {
    await waitFor(() => expect(zombiesOf(gateway.pid)).toEqual([]));
    const files = openFiles(gateway.pid);
    const children = descendantsOf(gateway.pid).length;
    for (let i = 0; i < 2; i++) {
      await client.call('half_half');
      expect(textOf(await client.call('half_echo'))).toContain('"tools/call"');
    }
    await waitFor(() => {
      expect(descendantsOf(gateway.pid)).toHaveLength(children);
      expect(openFiles(gateway.pid)).toBeLessThanOrEqual(files + 2);
      expect(zombiesOf(gateway.pid)).toEqual([]);
    });
  });

  it('nothing after the end', async () => {
    const pids = descendantsOf(gateway.pid);
    expect(pids.length).toBeGreaterThan(KINDS.length);
    expect(await gateway.process.stop()).toEqual({ code: 0, signal: null });
    expect(pids.filter((pid) => descendantsOf(1).includes(pid))).toEqual([]);
    expect(processesNaming(folder)).toEqual([]);
  });
});
