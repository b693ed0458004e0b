import { describe, expect, test } from 'vitest';
import { Answer, Request } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import { toSpansJson } from './otlp-json.ts';
import { readTraceParent } from './trace-context.ts';
import { createTracer, type Span } from './traces.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const asked = (meta?: Record<string, unknown>) =>
  Request.of('1', 'tools/call', { name: 'echo', ...(meta === undefined ? {} : { _meta: meta as never }) });

describe('the context of a request', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
  ])('%s is read', (traceparent, sampled) => {
    expect(readTraceParent(asked({ traceparent }))).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  });

  test.each([
    undefined,
    7,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01"`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`,
  ])('%s is none', (traceparent) => {
    expect(readTraceParent(asked({ traceparent }))).toBeUndefined();
  });
});

function bench(sample = 1) {
  const spans: Span[] = [];
  let now = 1_000.25;
  const tracer = createTracer({ give: (span) => spans.push(span), sample, random: () => 0.5, now: () => now++ });
  const sent: UpstreamRequest[] = [];
  const follow = (request: Request, answer: () => Promise<Answer>) => {
    const outgoing = { request, edits: [request.setParam('name', '"own"')], target: 'own', paramHeaders: undefined };
    return tracer.begin(request)?.follow(outgoing, 'up', (carried) => {
      sent.push(carried);
      return answer();
    });
  };
  return { spans, sent, tracer, follow };
}

test.each([undefined, {}, { progressToken: 1 }, { traceparent: 'broken' }, { traceparent: `00-${TRACE}-${SPAN}-01` }])(
  'the upstream gets our span as its parent, whatever %j was there',
  async (meta) => {
    const { follow, sent, spans } = bench();
    await follow(asked(meta), () => Promise.resolve(Answer.result('1', {})));
    const [span] = spans;
    expect(sent[0]?.edits).toEqual([]);
    expect(sent[0]?.request.params).toEqual({
      name: 'own',
      _meta: { ...meta, traceparent: `00-${span?.traceId}-${span?.spanId}-01` },
    });
  },
);

test.each([
  [Promise.resolve(Answer.error('1', -32602, 'no')), '-32602'],
  [Promise.resolve(Answer.result('1', {})), undefined],
] as const)('how it ended', async (answer, type) => {
  const { follow, spans } = bench();
  await follow(asked(), () => answer);
  expect(spans[0]?.attributes['error.type']).toBe(type);
});

test('a failure is told and thrown on', async () => {
  const { follow, spans } = bench();
  await expect(follow(asked(), () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(spans[0]).toMatchObject({ failed: true, kind: 'client' });
});

test('only the share asked for is traced, unless the client decided', () => {
  const { tracer } = bench(0.4);
  expect(tracer.begin(asked())).toBeUndefined();
  expect(tracer.begin(asked({ traceparent: `00-${TRACE}-${SPAN}-01` }))).toBeDefined();
});

test('OTLP JSON: ids in hex, times as text, long names cut', async () => {
  const { follow, spans } = bench();
  await follow(asked(), () => Promise.resolve(Answer.result('1', {})));
  const span = { ...(spans[0] as Span), name: 'x'.repeat(1_000) };
  const json = JSON.parse(toSpansJson([span], { version: '1', instance: 'i' }));
  const [out] = json.resourceSpans[0].scopeSpans[0].spans;
  expect(out).toMatchObject({
    traceId: span.traceId,
    kind: 3,
    startTimeUnixNano: '1001250000',
  });
  expect(out.name.length).toBeLessThan(300);
});
