import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../core/log.ts';
import type { Judge } from '../guard/scan/results/raise-findings.ts';
import { createScanJudge } from './scan-judge.ts';

const ASKED = { upstream: 'web', tool: 'fetch', result: { content: [] }, findings: [] };

/** A judge that answers with this, or not at all. */
async function judgeThat(answer: string | undefined, status = 200) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (chunk: string) => heard.push(chunk));
    request.on('end', () => {
      if (answer !== undefined) response.writeHead(status).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const judging = createScanJudge({
    settings: () => ({ url, timeoutMs: answer === undefined ? 50 : 1_500 }),
    log: silentLog,
  });
  return { heard, judge: (asked: Parameters<Judge>[0]) => judging({ version: 1 }, asked) };
}

test('a yes raises, and it is told what was found where', async () => {
  const { heard, judge } = await judgeThat('{"suspicious":true}');
  expect(await judge(ASKED)).toBe('suspicious');
  expect(JSON.parse(heard.join(''))).toMatchObject({ server: 'web', tool: 'fetch', text: '{"content":[]}' });
});

test('of what is no result of a tool it is told the URI or the name', async () => {
  const { heard, judge } = await judgeThat('{"suspicious":false}');
  await judge({ upstream: 'web', item: 'note://a', result: { contents: [] }, findings: [] });
  const told = JSON.parse(heard.join('')) as Record<string, unknown>;
  expect(told).toMatchObject({ server: 'web', item: 'note://a', text: '{"contents":[]}' });
  expect(told).not.toHaveProperty('tool');
});

test.each([
  ['a no', '{"suspicious":false}', 200],
  ['nonsense', 'yes', 200],
  ['a failure', '{"suspicious":true}', 500],
  ['silence', undefined, 200],
])('%s changes nothing', async (_what, answer, status) => {
  const { judge } = await judgeThat(answer, status);
  expect(await judge(ASKED)).toBe('unsure');
});

test('nobody is asked where nobody is named', () => {
  expect(createScanJudge({ settings: () => undefined, log: silentLog })({ version: 1 }, ASKED)).toBeUndefined();
});
