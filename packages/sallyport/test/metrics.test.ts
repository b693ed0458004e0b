import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { exchange } from './http-exchange.ts';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient } from './plain-client.ts';
import { parseMetrics, sampleValue } from './prometheus.ts';
import { startGateway } from './running-sallyport.ts';

const SERVER = 'mcp_server_operation_duration_seconds_count';
const CLIENT = 'mcp_client_operation_duration_seconds_count';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

async function gatewayWith(
  telemetry: Record<string, unknown>,
  more: Record<string, unknown> = {},
  args: string[] = [],
) {
  const metas: (Record<string, unknown> | undefined)[] = [];
  const behave = (message: Incoming, response: ServerResponse) => {
    if (message.method !== 'tools/call') return false;
    metas.push(message.params?._meta);
    if (message.params?.name !== 'fail') return false;
    const result = { content: [], isError: true };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    return true;
  };
  const upstream = await startHttpUpstream({ tools: ['echo', 'fail', 'o"d\\d'], behave });
  const config = { telemetry, ...more, mcpServers: { up: { type: 'http', url: upstream.url } } };
  const gateway = await startGateway(config, args);
  return { upstream, gateway, metas, client: await new PlainClient(gateway).initialize() };
}

describe('GET /metrics', () => {
  test('is Prometheus text, and counts what happened', async () => {
    const { client, gateway } = await gatewayWith(
      { metrics: true },
      { limits: { rules: [{ per: 'tool', rate: '3/hour', match: { tool: 'echo' } }] } },
    );
    for (let i = 0; i < 5; i++) await client.call('up_echo');
    await client.callModern('up_fail');
    await client.call('no such tool');
    await client.request('tools/list');
    await client.request('resources/read', { uri: 'x:nothing' });
    const answer = await exchange({ url: `${gateway.origin}/metrics`, method: 'GET', headers: gateway.headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = parseMetrics(answer.body);
    const tool = (name: string) => ({
      mcp_method_name: 'tools/call',
      sallyport_upstream: 'up',
      gen_ai_tool_name: name,
    });
    expect(sampleValue(samples, SERVER, tool('echo'))).toBe(3);
    expect(sampleValue(samples, SERVER, { ...tool('echo'), error_type: 'denied' })).toBe(2);
    expect(sampleValue(samples, SERVER, { ...tool('fail'), error_type: 'tool_error' })).toBe(1);
    expect(sampleValue(samples, SERVER, { mcp_method_name: 'tools/call', error_type: 'failed' })).toBe(1);
    expect(sampleValue(samples, SERVER, { mcp_method_name: 'resources/read', error_type: 'failed' })).toBe(1);
    expect(sampleValue(samples, CLIENT, tool('echo'))).toBe(3);
    expect(sampleValue(samples, 'sallyport_guard_denials_total', { sallyport_guard: 'rate-limit' })).toBe(2);
    expect(sampleValue(samples, 'sallyport_sessions', {})).toBe(1);
    expect(sampleValue(samples, 'sallyport_requests_in_flight', {})).toBe(0);
    expect(
      sampleValue(samples, 'sallyport_upstream_state', { sallyport_upstream: 'up', sallyport_upstream_state: 'ready' }),
    ).toBe(1);
    expect(sampleValue(samples, 'process_memory_usage_bytes', {})).toBeGreaterThan(1e7);
    expect(samples.some(({ name }) => name === 'nodejs_eventloop_delay_p99_seconds')).toBe(true);
  });

  test('is for administrators, and only where it is switched on', async () => {
    const on = await gatewayWith({ metrics: true });
    const url = `${on.gateway.origin}/metrics`;
    expect((await exchange({ url, method: 'GET' })).status).toBe(401);
    expect((await exchange({ url, method: 'POST', headers: on.gateway.headers, body: '{}' })).status).toBe(405);
    for (const [scope, status] of [
      ['control:viewer', 403],
      ['control:admin', 200],
    ] as const) {
      const holder = await keyHolder(on.gateway, `metrics-${status}`, ['--group', 'admin', '--scope', scope]);
      expect((await exchange({ url, method: 'GET', headers: holder.headers })).status).toBe(status);
    }
    const off = await gatewayWith({});
    const { gateway } = off;
    expect((await exchange({ url: `${gateway.origin}/metrics`, method: 'GET', headers: gateway.headers })).status).toBe(
      404,
    );
    const open = await gatewayWith({ metrics: true }, {}, ['--auth', 'none']);
    expect((await exchange({ url: `${open.gateway.origin}/metrics`, method: 'GET' })).status).toBe(403);
  });

  test('on a port of its own needs no key, and answers neighbours only', async () => {
    const { gateway, client } = await gatewayWith({ metricsPort: 0 });
    await client.call('up_echo');
    const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(
      await gateway.process.logged(/.*metrics are served here.*/),
    )?.[0];
    expect(url).toBeDefined();
    const read = (headers: Record<string, string> = {}) => exchange({ url: url ?? '', method: 'GET', headers });
    expect(parseMetrics((await read()).body).length).toBeGreaterThan(10);
    expect((await read({ host: 'evil.example:9464' })).status).toBe(403);
    expect((await read({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await exchange({ url: `${gateway.origin}/metrics`, method: 'GET', headers: gateway.headers })).status).toBe(
      404,
    );
  });
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** A collector that takes OTLP/HTTP JSON, or never answers. */
async function startCollector(answers = true) {
  const spans: SentSpan[] = [];
  const metrics: string[] = [];
  const keys = new Set<unknown>();
  let requests = 0;
  let wake: () => void = () => {};
  const server = createServer((request, response) => {
    requests++;
    keys.add(request.headers['x-key']);
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const data = JSON.parse(body);
      if (request.url === '/v1/traces') spans.push(...data.resourceSpans[0].scopeSpans[0].spans);
      else metrics.push(...data.resourceMetrics[0].scopeMetrics[0].metrics.map(({ name }: { name: string }) => name));
      wake();
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const until = async (done: () => boolean) => {
    while (!done())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, metrics, keys, until, requests: () => requests };
}

const from = (flags: string) => ({ traceparent: `00-${TRACE}-${SPAN}-${flags}`, tracestate: 'vendor=1' });

describe('traces', () => {
  test('the spans of a call hang where they belong, and the upstream’s will too', async () => {
    const collector = await startCollector();
    const { client, metas, gateway } = await gatewayWith({
      otlp: { endpoint: `${collector.url}/`, headers: { 'x-key': 'k1' }, intervalMs: 100 },
    });
    await client.request('tools/call', { name: 'up_echo', arguments: { secret: 'hunter2' }, _meta: from('01') });
    await collector.until(() => collector.spans.length >= 2 && collector.metrics.length > 0);
    const server = collector.spans.find(({ kind }) => kind === 2);
    const child = collector.spans.find(({ kind }) => kind === 3);
    expect(server).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, name: 'tools/call echo' });
    expect(child).toMatchObject({ traceId: TRACE, parentSpanId: server?.spanId, name: 'tools/call echo' });
    expect(metas).toMatchObject([{ traceparent: `00-${TRACE}-${child?.spanId}-01`, tracestate: 'vendor=1' }]);
    expect(server?.attributes).toContainEqual({ key: 'gen_ai.tool.name', value: { stringValue: 'echo' } });
    expect(BigInt(server?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(child?.endTimeUnixNano ?? 1));
    expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
    expect([...collector.keys]).toEqual(['k1']);
    expect(collector.metrics).toContain('mcp.server.operation.duration');
    // Without a context of its own a call begins a trace; it is there for the upstream, too.
    await client.callModern('up_echo');
    await collector.until(() => collector.spans.length >= 4);
    const own = collector.spans.slice(2).find(({ kind }) => kind === 2);
    expect(own?.traceId).not.toBe(TRACE);
    expect(own?.parentSpanId).toBeUndefined();
    expect(String(metas[1]?.['traceparent'])).toMatch(new RegExp(`^00-${own?.traceId}-[0-9a-f]{16}-01$`));
    await gateway.process.stop();
  });

  test('a client’s decision against it is kept, and so is what it wrote', async () => {
    const collector = await startCollector();
    const { client, metas } = await gatewayWith({ otlp: { endpoint: collector.url, intervalMs: 100 } });
    await client.request('tools/call', { name: 'up_echo', arguments: {}, _meta: from('00') });
    await client.request('tools/call', { name: 'up_echo', arguments: {}, _meta: from('01') });
    await collector.until(() => collector.spans.length >= 2);
    expect(collector.spans).toHaveLength(2);
    expect(metas[0]).toMatchObject(from('00'));
  });

  test('switched off, the context goes through as it came', async () => {
    const { client, metas } = await gatewayWith({});
    await client.request('tools/call', { name: 'up_echo', arguments: {}, _meta: { ...from('01'), baggage: 'a=b' } });
    expect(metas).toMatchObject([{ ...from('01'), baggage: 'a=b' }]);
  });

  test('a collector that never answers holds nobody: not a call, not the end', async () => {
    const collector = await startCollector(false);
    const { client, gateway } = await gatewayWith({ otlp: { endpoint: collector.url, intervalMs: 100 } });
    await client.call('up_echo');
    await collector.until(() => collector.requests() > 0);
    for (let i = 0; i < 50; i++) expect((await client.call('up_echo')).result).toBeDefined();
    expect((await gateway.process.stop()).code).toBe(0);
    expect(collector.requests()).toBeLessThanOrEqual(2);
  });
});
