import type { CallRecord } from './call-log.ts';
import { type Histogram, observe } from './histogram.ts';
import type { Family, Labels } from './metric-families.ts';
import {
  histogramOf,
  type MethodSeries,
  OTHER,
  type SentOutcome,
  SeriesTable,
  type ToolSeries,
} from './metric-series.ts';

/** Counts and durations of what happens, by names of OpenTelemetry's MCP conventions. All writers are synchronous and cheap. */
export interface Metrics {
  /** One tools/call as its caller sees it. */
  called(record: CallRecord): void;
  /** Any other request as its sender sees it. */
  answered(method: string, ms: number, ok: boolean): void;
  /** What a guard stopped that is no tools/call. */
  denied(guard: string | undefined): void;
  /** One request as we sent it to an upstream. */
  sent(request: SentRequest, ms: number, outcome: SentOutcome): void;
  /** What stands now. Bounded: no more series than there are tools, guards and methods, up to their limits. */
  collect(): Family[];
}

export interface SentRequest {
  readonly method: string;
  readonly upstream: string;
  /** Of a tools/call. */
  readonly tool: string | undefined;
}

export interface MetricsOptions {
  /** Tools with series of their own; all others of an upstream share the name `other`. */
  readonly maxTools?: number | undefined;
  /** What is looked at when somebody asks, and costs nothing before. */
  readonly gauges?: (() => readonly Family[]) | undefined;
}

/** A scrape of 500 tools with two outcomes each is about 2 MB. */
const MAX_TOOLS = 500;
/** Guards are ours and few; more names would mean that something else wrote there. */
const MAX_GUARDS = 100;
/** Requests that are about no upstream in particular. */
const OURS = '';

export function createMetrics({ maxTools = MAX_TOOLS, gauges }: MetricsOptions = {}): Metrics {
  const received = new SeriesTable(maxTools);
  const forwarded = new SeriesTable(maxTools);
  const denials = new Map<string, number>();
  const countDenied = (guard = OTHER) => {
    const name = denials.has(guard) || denials.size < MAX_GUARDS ? guard : OTHER;
    denials.set(name, (denials.get(name) ?? 0) + 1);
  };
  return {
    denied: countDenied,
    called(record) {
      const { called } = received.tool(record.upstream ?? OURS, record.tool ?? OURS);
      observe(histogramOf(called, record.outcome), record.ms);
      if (record.outcome === 'denied') countDenied(record.guard);
    },
    answered(method, ms, ok) {
      observe(histogramOf(received.method(OURS, method).byOutcome, ok ? 'ok' : 'failed'), ms);
    },
    sent({ method, upstream, tool }, ms, outcome) {
      const series =
        tool === undefined ? forwarded.method(upstream, method).byOutcome : forwarded.tool(upstream, tool).sent;
      observe(histogramOf(series, outcome), ms);
    },
    collect: () => [
      {
        kind: 'histogram',
        name: 'mcp.server.operation.duration',
        unit: 's',
        help: 'Requests of clients, from their arrival to their answer.',
        points: toPoints(received, (series) => series.called),
      },
      {
        kind: 'histogram',
        name: 'mcp.client.operation.duration',
        unit: 's',
        help: 'Requests to upstreams, from sending to their answer.',
        points: toPoints(forwarded, (series) => series.sent),
      },
      {
        kind: 'counter',
        name: 'sallyport.guard.denials',
        unit: '1',
        help: 'Calls and results that a guard stopped.',
        points: [...denials].map(([guard, value]) => ({ labels: [['sallyport.guard', guard]], value })),
      },
      ...(gauges?.() ?? []),
    ],
  };
}

interface Point {
  readonly labels: Labels;
  readonly histogram: Histogram;
}

function toPoints(
  table: SeriesTable,
  ofTool: (series: ToolSeries) => Readonly<Record<string, Histogram | undefined>>,
): Point[] {
  return [
    ...table.tools.flatMap((series) => toOutcomes(ofTool(series), toToolLabels(series))),
    ...table.methods.flatMap((series) => toOutcomes(series.byOutcome, toMethodLabels(series))),
  ];
}

/** One series per outcome that happened; a good one has no `error.type`. */
function toOutcomes(byOutcome: Readonly<Record<string, Histogram | undefined>>, labels: Labels): Point[] {
  return Object.entries(byOutcome).flatMap(([outcome, histogram]) =>
    histogram === undefined
      ? []
      : [{ labels: outcome === 'ok' ? labels : [...labels, ['error.type', outcome] as const], histogram }],
  );
}

function toToolLabels({ upstream, tool }: ToolSeries): Labels {
  return toLabels([
    ['mcp.method.name', 'tools/call'],
    ['sallyport.upstream', upstream],
    ['gen_ai.tool.name', tool],
  ]);
}

function toMethodLabels({ upstream, method }: MethodSeries): Labels {
  return toLabels([
    ['mcp.method.name', method],
    ['sallyport.upstream', upstream],
  ]);
}

function toLabels(labels: Labels): Labels {
  return labels.filter(([, value]) => value !== '');
}
