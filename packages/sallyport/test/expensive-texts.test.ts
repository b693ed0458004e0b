import { expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

/** Each takes about a second of all guards together. */
const EXPENSIVE = 'eyJhbGciOiJIUzI1NiJ9.'.repeat(60_000);
const DOORS = { scan: { results: 'warn' }, secrets: {}, taint: {}, argumentSafety: {} };
/** More than are answered while the last bytes are on their way. */
const MANY = 20;

async function openGateway(answered: () => void) {
  const upstream = await startHttpUpstream({
    behave(message, response) {
      if (message.method !== 'tools/call') return false;
      const text = message.params?.name === 'say' ? EXPENSIVE : 'done';
      const result = { content: [{ type: 'text', text }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), answered);
      return true;
    },
    tools: ['say', 'take'],
  });
  const gateway = await startGateway({ ...DOORS, mcpServers: { web: { url: upstream.url } } });
  const client = await new PlainClient(gateway).initialize();
  // What is loaded for the first large message is loaded.
  await client.call('web_take', { text: 'a text. '.repeat(10_000) });
  return { gateway, client };
}

/** How often the gateway says that it is well before `done` is. */
async function countHealthy(origin: string, done: Promise<unknown>): Promise<number> {
  let [healthy, isDone] = [0, false];
  const ended = done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const response = await fetch(`${origin}/healthz`);
    if (response.ok && !isDone) healthy++;
    await response.text();
  }
  await ended;
  return healthy;
}

it('answers others while an expensive result is read', async () => {
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { gateway, client } = await openGateway(() => answer());
  await new Promise(setImmediate);
  const call = client.call('web_say', {});
  await answered;
  expect(await countHealthy(gateway.origin, call)).toBeGreaterThan(MANY);
});

it('answers others while an expensive argument is read', async () => {
  const { gateway, client } = await openGateway(() => {});
  const call = client.call('web_take', { text: EXPENSIVE });
  expect(await countHealthy(gateway.origin, call)).toBeGreaterThan(MANY);
});
