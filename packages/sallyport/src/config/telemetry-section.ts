import { z } from 'zod';
import { isHeader } from '../core/header.ts';

/** What Sallyport says about itself, and to whom. Nobody, unless the operator names somebody. */
export interface TelemetrySettings {
  /** GET /metrics on the gateway's listener, for principals of the group `admin`. */
  readonly metrics: boolean;
  /** A second listener on 127.0.0.1 that serves /metrics without a key; `undefined`: there is none. 0: the system chooses. */
  readonly metricsPort: number | undefined;
  /** An OTLP/HTTP collector; `undefined`: nothing is sent. */
  readonly otlp: OtlpSettings | undefined;
}

export interface OtlpSettings {
  /** Without `/v1/traces`; no slash at the end. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Share of the calls without a traceparent of their own that are traced, 0 to 1. */
  readonly sample: number;
  readonly intervalMs: number;
}

export const telemetrySchema = z.strictObject({
  metrics: z
    .boolean()
    .default(false)
    .describe(
      'true: GET /metrics on the gateway’s own address, in the Prometheus text format, for callers of the group admin. Off: names of tools are nobody else’s business.',
    ),
  metricsPort: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      'Serves /metrics on 127.0.0.1 at this port as well, without a key: for a collector on this machine. Every local program can read it.',
    ),
  otlp: z
    .strictObject({
      endpoint: z
        .string()
        .regex(/^https?:\/\/[^\s?#@]+$/, {
          error: 'expected an http:// or https:// address without user name and query',
        })
        .describe(
          'Address of an OTLP/HTTP collector, e.g. "http://127.0.0.1:4318"; /v1/traces and /v1/metrics are added.',
        ),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .describe('Sent along, e.g. an API key; write it as a variable of the environment.'),
      traces: z.boolean().default(true).describe('Send spans. Arguments and results are never in them.'),
      metrics: z.boolean().default(true).describe('Send metrics.'),
      sample: z
        .number()
        .min(0)
        .max(1)
        .default(1)
        .describe('Share of the calls that are traced where the client has not decided in its traceparent. 1: all.'),
      intervalMs: z
        .int()
        .min(100)
        .max(3_600_000)
        .default(5_000)
        .describe(
          'Spans are sent together this often, metrics twelve times less often. 5 s, as the OpenTelemetry SDKs have it.',
        ),
    })
    .optional()
    .describe('Sends traces and metrics to a collector. A slow collector loses spans; no call waits for it.'),
});

export type WrittenTelemetry = z.output<typeof telemetrySchema>;

export function resolveTelemetry(
  written: WrittenTelemetry,
  report: (path: readonly string[], message: string) => void,
): TelemetrySettings {
  const { otlp } = written;
  for (const [name, value] of Object.entries(otlp?.headers ?? {}))
    if (!isHeader(name, value)) report(['otlp', 'headers', name], 'no header that can be sent');
  if (otlp !== undefined && !URL.canParse(otlp.endpoint)) report(['otlp', 'endpoint'], 'no URL');
  return {
    metrics: written.metrics,
    metricsPort: written.metricsPort,
    otlp: otlp === undefined ? undefined : { ...otlp, endpoint: otlp.endpoint.replace(/\/+$/, '') },
  };
}
