import { beforeAll, expect, it } from 'vitest';
import { openExchange } from './http-exchange.ts';
import { keyHolder } from './keyed-callers.ts';
import { eventsOf } from './message-channels.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

const mcpServers = { bad: misbehaving({ tools: ['echo', 'hang', 'flood-notifications'] }) };
let gateway: RunningGateway;
let anna: RunningGateway;
let ben: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ mcpServers });
  anna = await keyHolder(gateway, 'anna', []);
  ben = await keyHolder(gateway, 'ben', []);
});

/** A session that wants all logs, and what its stream says. */
async function open(holder: RunningGateway) {
  const client = await new PlainClient(holder).initialize();
  expect((await client.request('logging/setLevel', { level: 'debug' })).result).toEqual({});
  const stream = await openExchange({
    url: holder.url,
    method: 'GET',
    headers: { ...holder.headers, ...client.session, accept: 'text/event-stream' },
  });
  const heard: string[] = [];
  const reading = (async () => {
    for await (const event of eventsOf(stream)) heard.push(event);
  })();
  return {
    client,
    heard,
    async end() {
      stream.destroy();
      await reading.catch(() => {});
    },
  };
}

/** The server logs three lines and then answers; the log lines say nothing of the call they belong to. */
const LOGS = { times: 3, filler: 40 };

it('log lines of a caller reach its own sessions while it is the only one', async () => {
  const [one, two] = [await open(anna), await open(anna)];
  void one.client.call('bad_hang').catch(() => {});
  void one.client.call('bad_hang').catch(() => {});
  expect(textOf(await one.client.call('bad_flood-notifications', LOGS))).toBe('flooded');
  expect(textOf(await two.client.call('bad_echo'))).toContain('"tools/call"');
  await expect.poll(() => two.heard.filter((text) => text.includes('nnnn')).length).toBe(3);
  await Promise.all([one.end(), two.end()]);
});

it.each([
  ['while calls of both are in flight', true],
  ['while it makes none, or the only one', false],
])('log lines of one caller never reach another %s', async (_, isBusy) => {
  const [theirs, mine] = [await open(ben), await open(anna)];
  expect(textOf(await theirs.client.call('bad_echo'))).toContain('"tools/call"');
  if (isBusy) void theirs.client.call('bad_hang').catch(() => {});
  expect(textOf(await mine.client.call('bad_flood-notifications', LOGS))).toBe('flooded');
  const answer = await theirs.client.ask('tools/call', { name: 'bad_echo', arguments: {} });
  expect(answer.body).toContain('"tools/call\\');
  expect(answer.body).not.toContain('nnnn');
  // A change that everybody hears comes behind all that was said before.
  gateway.process.write({ mcpServers: { ...mcpServers, [`more${isBusy}`]: misbehaving({ tools: ['echo'] }) } });
  await expect.poll(() => theirs.heard.some((text) => text.includes('list_changed'))).toBe(true);
  expect(theirs.heard.filter((text) => text.includes('nnnn'))).toEqual([]);
  await Promise.all([theirs.end(), mine.end()]);
});
