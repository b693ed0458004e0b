import type { TelemetrySettings } from '../config/telemetry-section.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openMetricsListener } from './metrics-listener.ts';
import { toMetricsText } from './metrics-text.ts';
import { createOtlp, type Otlp } from './otlp.ts';
import { createProcessGauges, type GaugeSources, type ProcessGauges } from './process-gauges.ts';
import { createTracer, type Tracer } from './traces.ts';

/** Metrics and traces as configured; what is off is `undefined` and costs nothing. */
export interface Telemetry {
  readonly metrics: Metrics | undefined;
  readonly tracer: Tracer | undefined;
  /** The Prometheus text for GET /metrics on the gateway; `undefined`: there is none. */
  readonly metricsText: (() => string) | undefined;
  /** Opens the separate listener where one is configured. @throws FaultError `config` when its port is taken. */
  listen(): Promise<{ readonly port: number } | undefined>;
  close(): Promise<void>;
}

const NO_TELEMETRY: Telemetry = {
  metrics: undefined,
  tracer: undefined,
  metricsText: undefined,
  listen: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
};

export interface TelemetryOptions {
  readonly settings: TelemetrySettings | undefined;
  readonly version: string;
  readonly log: Log;
  readonly sources: GaugeSources;
  readonly post?: Post | undefined;
}

/** Puts together what the settings ask for. */
export function createTelemetry({ settings, version, log, sources, post }: TelemetryOptions): Telemetry {
  if (settings === undefined) return NO_TELEMETRY;
  const { otlp: otlpSettings, metricsPort } = settings;
  const counts = settings.metrics || metricsPort !== undefined || otlpSettings?.metrics === true;
  if (!counts && otlpSettings === undefined) return NO_TELEMETRY;
  const gauges: ProcessGauges | undefined = counts
    ? createProcessGauges({ ...sources, spansDropped: () => otlp?.dropped ?? 0 })
    : undefined;
  const metrics: Metrics | undefined = gauges && createMetrics({ gauges: gauges.collect });
  const otlp: Otlp | undefined =
    otlpSettings && createOtlp({ settings: otlpSettings, version, log, collect: () => metrics?.collect() ?? [], post });
  const text = metrics && (() => toMetricsText(metrics.collect()));
  const tracer =
    otlpSettings?.traces === true && otlp !== undefined
      ? createTracer({
          give: otlp.give,
          sample: otlpSettings.sample,
          random: Math.random,
          now: () => performance.timeOrigin + performance.now(),
        })
      : undefined;
  let listener: Awaited<ReturnType<typeof openMetricsListener>> | undefined;
  return {
    metrics,
    tracer,
    metricsText: settings.metrics ? text : undefined,
    async listen() {
      if (metricsPort === undefined || text === undefined) return undefined;
      listener ??= await openMetricsListener(metricsPort, text);
      return listener;
    },
    async close() {
      await listener?.close();
      gauges?.close();
      await otlp?.close();
    },
  };
}
