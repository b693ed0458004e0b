import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRecords } from '../src/telemetry/audit/read-records.ts';
import { exchange } from './http-exchange.ts';
import { INITIALIZE } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import {
  misbehaving,
  newTestFolder,
  type RunningGateway,
  type SallyportProcess,
  StdioGateway,
  startGateway,
} from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const health = (gateway: RunningGateway, headers: Record<string, string> = {}) =>
  exchange({ url: `${gateway.origin}/healthz`, method: 'GET', headers });

const isNotReady = (gateway: RunningGateway) =>
  waitFor(async () => expect(await health(gateway)).toMatchObject({ status: 503, body: 'draining\n' }));

/** How the calls of `wait` ended, as the record has it. */
async function endsOf({ stateDir }: SallyportProcess): Promise<unknown[]> {
  const ends: unknown[] = [];
  for await (const { value } of readRecords(join(stateDir, 'audit')))
    if (value['kind'] === 'outcome' && value['tool'] === 'wait') ends.push([value['outcome'], value['reason']]);
  return ends;
}

describe('readiness', () => {
  it('is answered whatever the Host header says, and says nothing else', async () => {
    const gateway = await startGateway({});
    for (const host of ['10.1.2.3:7411', 'sallyport.example', 'evil.example'])
      expect(await health(gateway, { host })).toMatchObject({ status: 200, body: 'ok\n' });
    // All else is refused as before: DNS rebinding gains nothing.
    for (const path of ['/mcp', '/healthz/', '/api/v1/health', '/metrics']) {
      const answer = await exchange({
        url: `${gateway.origin}${path}`,
        method: 'GET',
        headers: { ...gateway.headers, host: 'evil.example' },
      });
      expect(answer.status, path).toBe(403);
    }
  });
});

describe('on SIGTERM', () => {
  const servers = { bad: misbehaving({ tools: ['echo'] }) };

  it('is not ready at once and serves for drainMs, on connections that say they are the last', async () => {
    const gateway = await startGateway({ gateway: { drainMs: 3_000 }, mcpServers: servers });
    const legacy = await new PlainClient(gateway).initialize();
    const modern = new PlainClient(gateway);
    expect(textOf(await legacy.call('bad_echo'))).toContain('tools/call');
    gateway.process.child.kill('SIGTERM');
    await isNotReady(gateway);
    expect(textOf(await legacy.call('bad_echo'))).toContain('tools/call');
    expect(textOf(await modern.callModern('bad_echo'))).toContain('tools/call');
    const params = { name: 'bad_echo', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) });
    const headers = { ...gateway.headers, ...modernHeaders('tools/call', params), connection: 'keep-alive' };
    for (const more of [{}, { te: 'trailers' }]) {
      const answer = await exchange({ url: gateway.url, headers: { ...headers, ...more }, body });
      expect(answer.headers.connection).toBe('close');
    }
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
  });

  it('serves for a while without the setting where somebody asks for readiness', async () => {
    const gateway = await startGateway({ mcpServers: servers });
    expect((await health(gateway)).status).toBe(200);
    gateway.process.child.kill('SIGTERM');
    await isNotReady(gateway);
    expect(textOf(await new PlainClient(gateway).callModern('bad_echo'))).toContain('tools/call');
    gateway.process.child.kill('SIGTERM');
    expect(await gateway.process.exited).toEqual({ code: 130, signal: null });
  });

  it('answers a call that it cuts off, and records why', async () => {
    const counter = join(newTestFolder(), 'counter');
    const gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['wait', 'echo'], counter }) } });
    const legacy = await new PlainClient(gateway).initialize();
    const modern = new PlainClient(gateway);
    const hanging = [
      legacy.call('bad_wait', { until: `${counter}.never` }),
      modern.callModern('bad_wait', { until: `${counter}.never` }),
    ];
    await waitFor(() => expect(readFileSync(counter, 'utf8').match(/\n/g)).toHaveLength(2));
    gateway.process.child.kill('SIGTERM');
    const message = 'Sallyport ended before "bad" answered. The call may have run: look before you call again.';
    for (const answer of await Promise.all(hanging)) expect(answer.error).toMatchObject({ code: -32000, message });
    expect((await gateway.process.exited).code).toBe(0);
    expect(await endsOf(gateway.process)).toEqual([
      ['failed', message],
      ['failed', message],
    ]);
  });

  it('records the same of a call over stdio', async () => {
    const counter = join(newTestFolder(), 'counter');
    const stdio = new StdioGateway({ mcpServers: { bad: misbehaving({ tools: ['wait'], counter }) } });
    const given = { name: 'bad_wait', arguments: { until: `${counter}.never` } };
    for (const [id, method, params] of [
      [1, 'initialize', INITIALIZE],
      [2, 'tools/call', given],
    ])
      stdio.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await waitFor(() => expect(readFileSync(counter, 'utf8')).toContain('\n'));
    stdio.process.child.kill('SIGTERM');
    expect((await stdio.process.exited).code).toBe(0);
    expect(await endsOf(stdio.process)).toEqual([
      ['failed', 'Sallyport ended before "bad" answered. The call may have run: look before you call again.'],
    ]);
  });

  it('records a call that its client gives up as cancelled, as ever', async () => {
    const counter = join(newTestFolder(), 'counter');
    const gateway = await startGateway({ mcpServers: { bad: misbehaving({ tools: ['wait'], counter }) } });
    const legacy = await new PlainClient(gateway).initialize();
    const waiting = legacy.call('bad_wait', { until: `${counter}.never` });
    await waitFor(() => expect(readFileSync(counter, 'utf8')).toContain('\n'));
    // The first request after initialize has the id 1.
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await legacy.post(JSON.stringify(cancel), legacy.session);
    await waiting.catch(() => undefined);
    await gateway.process.stop();
    expect(await endsOf(gateway.process)).toEqual([['cancelled', expect.stringContaining('cancelled')]]);
  });
});
