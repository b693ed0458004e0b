import { beforeAll, expect, it } from 'vitest';
import { messageIn } from './http-exchange.ts';
import { MODERN, modernHeaders, PlainClient, textOf } from './plain-client.ts';
import { memoryOf } from './process-table.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['echo'], resources: ['test://one'] }) } });
  const client = await new PlainClient(gateway).initialize();
  // The first large messages grow buffers that stay; what is measured comes after them.
  for (let i = 0; i < 5; i++) await client.call('bad_echo', { a: 'x'.repeat(3_000_000) });
});

async function growth(work: () => Promise<void>): Promise<number> {
  const before = memoryOf(gateway.pid).now;
  await work();
  return memoryOf(gateway.pid).now - before;
}

const LARGE = 'x'.repeat(3_000_000);
const KEY = 'io.modelcontextprotocol/';

it('clients that say something new and long about themselves with each request are not remembered for it', async () => {
  const client = new PlainClient(gateway);
  const ask = (index: number, info: unknown, capabilities: unknown) => {
    const _meta = {
      [`${KEY}protocolVersion`]: MODERN,
      [`${KEY}clientInfo`]: info,
      [`${KEY}clientCapabilities`]: capabilities,
    };
    return client.post(
      JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/list', params: { _meta } }),
      modernHeaders('tools/list'),
    );
  };
  const grown = await growth(async () => {
    for (let i = 0; i < 60; i++) {
      const named = await ask(
        i,
        { name: `${i}${LARGE}`, version: LARGE.slice(0, 10), extra: LARGE.slice(0, 500_000) },
        {},
      );
      expect(named.status).toBe(200);
      const able = await ask(i, { name: 'c', version: '1' }, { experimental: { [`${i}`]: LARGE } });
      expect(messageIn(able).error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/capabilities.*16384/),
      });
    }
  });
  expect(grown).toBeLessThan(128);
  expect((await ask(1, { name: 'c', version: '1' }, { experimental: { a: 'x'.repeat(10_000) } })).status).toBe(200);
});

it('nor are sessions that begin that way', async () => {
  const grown = await growth(async () => {
    for (let i = 0; i < 40; i++) {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: { experimental: { [`${i}`]: LARGE } },
        clientInfo: { name: 'c', version: '1' },
      };
      const answer = await new PlainClient(gateway).post(
        JSON.stringify({ jsonrpc: '2.0', id: i, method: 'initialize', params }),
      );
      expect(messageIn(answer).error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/capabilities.*16384/),
      });
      expect(answer.headers['mcp-session-id']).toBeUndefined();
    }
  });
  expect(grown).toBeLessThan(128);
});

it('a session follows a bounded number of resources', async () => {
  const client = await new PlainClient(gateway, gateway.servers['bad']).initialize();
  const follow = (index: number) => client.ask('resources/subscribe', { uri: `test://${index}/${'u'.repeat(100)}` });
  for (let from = 0; from < 1_000; from += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => follow(from + i)));
    for (const answer of answers) expect(messageIn(answer).result).toEqual({});
  }
  const refused = await follow(1_000);
  expect(refused.status).toBe(429);
  expect(messageIn(refused).error).toEqual({
    code: -32000,
    message: 'This session follows 1000 resources already. Unsubscribe from one first.',
  });
  expect(messageIn(await follow(0)).result).toEqual({});
  expect(messageIn(await client.ask('resources/unsubscribe', { uri: `test://0/${'u'.repeat(100)}` })).result).toEqual(
    {},
  );
  expect(messageIn(await follow(1_000)).result).toEqual({});
  expect(textOf(await client.call('echo'))).toContain('"tools/call"');
});
