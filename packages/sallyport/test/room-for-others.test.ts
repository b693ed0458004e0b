import { beforeAll, describe, expect, it } from 'vitest';
import { openExchange } from './http-exchange.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const mcpServers = { bad: misbehaving({ tools: ['echo', 'hang'] }) };

/** Requests that the server works on. */
async function inFlight(gateway: RunningGateway): Promise<number> {
  const answer = await fetch(`${gateway.origin}/api/v1/servers/bad`, { headers: gateway.headers });
  return ((await answer.json()) as { inFlight: number }).inFlight;
}

describe('calls of one caller that hang', () => {
  let gateway: RunningGateway;
  let greedy: RunningGateway;
  let other: RunningGateway;

  beforeAll(async () => {
    gateway = await startGateway({ mcpServers });
    greedy = await keyHolder(gateway, 'greedy', []);
    other = await keyHolder(gateway, 'other', []);
    expect(textOf(await new PlainClient(other).callModern('bad_echo'))).toContain('"tools/call"');
  });

  it('leave room for another caller at the same server', async () => {
    const client = new PlainClient(greedy);
    for (let i = 0; i < 64; i++) void client.callModern('bad_hang').catch(() => {});
    const sessions = await Promise.all(Array.from({ length: 8 }, () => new PlainClient(greedy).initialize()));
    for (const session of sessions) for (let i = 0; i < 8; i++) void session.call('bad_hang').catch(() => {});
    await waitFor(async () => expect(await inFlight(gateway)).toBe(70));
    expect(textOf(await new PlainClient(other).callModern('bad_echo'))).toContain('"tools/call"');
    const legacy = await new PlainClient(other).initialize();
    expect(textOf(await legacy.call('bad_echo'))).toContain('"tools/call"');
  });

  it('do not keep anybody from the tools of a server, whatever the client declares', async () => {
    // The list for these capabilities is not known yet: the greedy caller asks for it first.
    const open = (holder: RunningGateway) =>
      new PlainClient(holder).initialize('2025-11-25', { experimental: { new: {} } });
    const [mine, theirs] = await Promise.all([open(greedy), open(other)]);
    expect((await theirs.request('tools/list')).result?.['tools']).toHaveLength(2);
    expect((await mine.request('tools/list')).result?.['tools']).toHaveLength(2);
  });
});

describe('sessions and streams of one caller', () => {
  it('end none of another, and leave room for more', async () => {
    const gateway = await startGateway({ mcpServers, gateway: { limits: { sessions: 64 } } });
    const greedy = await keyHolder(gateway, 'greedy', []);
    const other = await keyHolder(gateway, 'other', []);
    // Idle for the longest time.
    const first = await new PlainClient(other).initialize();
    for (let i = 0; i < 100; i++) await new PlainClient(greedy).initialize();
    expect((await first.ask('ping')).status).toBe(200);
    const openSse = (holder: RunningGateway) =>
      openExchange({ url: gateway.sse, method: 'GET', headers: { ...holder.headers, accept: 'text/event-stream' } });
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i < 70; i++) statuses.push((await openSse(greedy)).statusCode);
    expect(statuses).toContain(503);
    expect((await openSse(other)).statusCode).toBe(200);
    const second = await new PlainClient(other).initialize();
    expect(textOf(await second.call('bad_echo'))).toContain('"tools/call"');
    expect((await first.ask('ping')).status).toBe(200);
  });
});
