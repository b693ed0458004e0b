import { describe, expect, test } from 'vitest';
import { parseMetrics, sampleValue } from '../../test/prometheus.ts';
import type { CallRecord } from './call-log.ts';
import { createMetrics } from './metrics.ts';
import { toMetricsText } from './metrics-text.ts';

const record = (given: Partial<CallRecord> = {}): CallRecord => ({
  callId: '1',
  principal: 'p',
  client: 'c',
  upstream: 'up',
  tool: 'echo',
  outcome: 'ok',
  guard: undefined,
  reason: undefined,
  ms: 15,
  requestBytes: 1,
  resultBytes: 1,
  ...given,
});
const COUNT = 'mcp_server_operation_duration_seconds_count';
const BUCKET = 'mcp_server_operation_duration_seconds_bucket';
const ECHO = { mcp_method_name: 'tools/call', sallyport_upstream: 'up', gen_ai_tool_name: 'echo' };

test('durations land in their buckets', () => {
  const metrics = createMetrics();
  for (const ms of [0, 10, 10.1, 20, 400_000]) metrics.called(record({ ms }));
  const samples = parseMetrics(toMetricsText(metrics.collect()));
  expect(sampleValue(samples, BUCKET, { ...ECHO, le: '0.01' })).toBe(2);
  expect(sampleValue(samples, BUCKET, { ...ECHO, le: '0.02' })).toBe(4);
  expect(sampleValue(samples, BUCKET, { ...ECHO, le: '300' })).toBe(4);
  expect(sampleValue(samples, BUCKET, { ...ECHO, le: '+Inf' })).toBe(5);
  expect(sampleValue(samples, 'mcp_server_operation_duration_seconds_sum', ECHO)).toBeCloseTo(400.0401, 6);
});

describe('attacks', () => {
  test('names without end: no more series than there may be, and no call is lost', () => {
    const metrics = createMetrics({ maxTools: 20 });
    for (let i = 0; i < 5_000; i++) metrics.called(record({ tool: `t${i}`, upstream: `u${i % 3}` }));
    for (let i = 0; i < 5_000; i++) metrics.answered(`method-${i}`, 1, false);
    for (let i = 0; i < 5_000; i++) metrics.sent({ method: `m${i}`, upstream: `u${i}`, tool: undefined }, 1, 'ok');
    for (let i = 0; i < 5_000; i++) metrics.called(record({ outcome: 'denied', guard: `g${i}` }));
    const samples = parseMetrics(toMetricsText(metrics.collect()));
    const calls = samples.filter(({ name, labels }) => name === COUNT && labels['mcp_method_name'] === 'tools/call');
    expect(calls.length).toBeLessThanOrEqual(20 + 2 * 4);
    expect(calls.reduce((sum, { value }) => sum + value, 0)).toBe(10_000);
    expect(sampleValue(samples, COUNT, { mcp_method_name: 'other', error_type: 'failed' })).toBe(5_000);
    expect(samples.length).toBeLessThan(12_000);
  });

  test.each(['a"} 1\nevil 2', 'back\\slash', 'line\nbreak', 'return\rmark', '__proto__', 'constructor', 'zahlen-✓'])(
    'a tool called %j stays one label',
    (tool) => {
      const metrics = createMetrics();
      metrics.called(record({ tool }));
      const samples = parseMetrics(toMetricsText(metrics.collect()));
      expect(sampleValue(samples, COUNT, { ...ECHO, gen_ai_tool_name: tool.replace('\r', ' ') })).toBe(1);
      expect(samples.some(({ name }) => name === 'evil')).toBe(false);
    },
  );

  test.each([Number.NaN, -5, Number.NEGATIVE_INFINITY])('a duration of %d is not counted', (ms) => {
    const metrics = createMetrics();
    metrics.called(record({ ms }));
    expect(sampleValue(parseMetrics(toMetricsText(metrics.collect())), COUNT, ECHO)).toBe(0);
  });
});
