import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { memoryOf, resetPeak } from './process-table.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const LARGE = JSON.stringify({ content: [{ type: 'text', text: 'line "x" of text\n'.repeat(2_600_000) }] });

async function start(characters: number): Promise<RunningGateway> {
  const upstream = await startHttpUpstream({
    behave(message, response) {
      if (message.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${LARGE}}`);
      return true;
    },
  });
  const config = { mcpServers: { web: { url: upstream.url, era: 'legacy' } }, results: { characters } };
  return startGateway(config as Parameters<typeof startGateway>[0]);
}

async function peakOf(characters: number): Promise<number> {
  const gateway = await start(characters);
  const client = new PlainClient(gateway);
  await client.askModern('tools/list');
  await resetPeak(gateway.pid);
  const answer = await client.askModern('tools/call', { name: 'web_echo', arguments: {} });
  expect(answer.body.length).toBeGreaterThan(1_000);
  const { peak } = memoryOf(gateway.pid);
  await gateway.process.stop();
  return peak;
}

test('50 MB that are cut take no more memory than 50 MB that pass whole', async () => {
  const [whole, cut] = [await peakOf(0), await peakOf(25_000)];
  console.info(`peak in MiB: whole ${whole}, cut ${cut}`);
  expect(cut).toBeLessThan(whole + 32);
});

test('kill -9 while a result is stored leaves nothing that looks whole', async () => {
  const gateway = await start(25_000);
  const folder = join(gateway.process.stateDir, 'artifacts');
  const answer = new PlainClient(gateway)
    .askModern('tools/call', { name: 'web_echo', arguments: {} })
    .catch(() => undefined);
  const list = () => (existsSync(folder) ? readdirSync(folder) : []);
  while (list().length === 0) await new Promise((resolve) => setImmediate(resolve));
  await gateway.process.stop('SIGKILL');
  await answer;
  const left = list();
  expect(left.length).toBe(1);
  expect(left[0]).toMatch(/\.part$/);
});
