import { BOUNDS, countOf } from './histogram.ts';
import type { Family, Labels } from './metric-families.ts';
import type { Span } from './traces.ts';

export interface Resource {
  readonly version: string;
  readonly instance: string;
}

/** Enumerations of opentelemetry-proto: JSON has them as numbers. */
const SPAN_KIND = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const CUMULATIVE = 2;
/** Names of tools come from strangers. */
const MAX_TEXT = 256;

/** ExportTraceServiceRequest as OTLP/JSON: 64-bit numbers are texts, ids are hex. */
export function toSpansJson(spans: readonly Span[], resource: Resource): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: toResource(resource), scopeSpans: [{ scope: toScope(resource), spans: spans.map(toSpan) }] },
    ],
  });
}

/** ExportMetricsServiceRequest as OTLP/JSON; sums and histograms are cumulative since the start. */
export function toMetricsJson(
  families: readonly Family[],
  resource: Resource,
  time: { readonly startedAt: number; readonly at: number },
): string {
  const stamp = { startTimeUnixNano: toNano(time.startedAt), timeUnixNano: toNano(time.at) };
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: toResource(resource),
        scopeMetrics: [{ scope: toScope(resource), metrics: families.map((family) => toMetric(family, stamp)) }],
      },
    ],
  });
}

function toSpan(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
    flags: 1,
    name: cut(span.name),
    kind: SPAN_KIND[span.kind],
    startTimeUnixNano: toNano(span.startedAt),
    endTimeUnixNano: toNano(Math.max(span.startedAt, span.endedAt)),
    attributes: Object.entries(span.attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [toAttribute(key, value)],
    ),
    ...(span.failed ? { status: { code: STATUS_ERROR } } : {}),
  };
}

function toMetric(family: Family, stamp: { readonly startTimeUnixNano: string; readonly timeUnixNano: string }) {
  const { name, unit, help } = family;
  const head = { name, unit, description: help };
  if (family.kind === 'histogram') {
    const dataPoints = family.points.map(({ labels, histogram }) => ({
      ...stamp,
      attributes: toAttributes(labels),
      count: String(countOf(histogram)),
      sum: histogram.sum,
      bucketCounts: Array.from(histogram.counts, String),
      explicitBounds: BOUNDS,
    }));
    return { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = family.points.map(({ labels, value }) => ({
    ...stamp,
    attributes: toAttributes(labels),
    asDouble: Number.isFinite(value) ? value : 0,
  }));
  if (family.kind === 'gauge') return { ...head, gauge: { dataPoints } };
  return { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

function toResource({ version, instance }: Resource) {
  return {
    attributes: [
      toAttribute('service.name', 'sallyport'),
      toAttribute('service.version', version),
      toAttribute('service.instance.id', instance),
    ],
  };
}

function toScope({ version }: Resource) {
  return { name: 'sallyport', version };
}

function toAttributes(labels: Labels) {
  return labels.map(([key, value]) => toAttribute(key, value));
}

function toAttribute(key: string, value: string | number) {
  return { key, value: typeof value === 'string' ? { stringValue: cut(value) } : { doubleValue: value } };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Milliseconds with fractions as nanoseconds: more digits than a double has at this size would be invented. */
function toNano(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1_000)).padStart(3, '0')}000`;
}
