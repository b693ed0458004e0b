import type { OtlpSettings } from '../config/telemetry-section.ts';
import type { Log } from '../core/log.ts';
import type { Post } from '../core/post.ts';
import type { Family } from './metric-families.ts';
import { toMetricsJson, toSpansJson } from './otlp-json.ts';
import type { Span } from './traces.ts';

export interface OtlpOptions {
  readonly settings: OtlpSettings;
  readonly version: string;
  readonly log: Log;
  /** What is sent as metrics. */
  readonly collect: () => readonly Family[];
  /** Default: any address that its name leads to. */
  readonly post?: Post | undefined;
}

/** Sends batches to a collector; never makes a call wait, and loses what the collector does not take in time. */
export interface Otlp {
  give(span: Span): void;
  readonly dropped: number;
  /** Sends what is there, within the deadline of one request. Idempotent. */
  close(): Promise<void>;
}

/** Spans that wait; more are dropped. As the OpenTelemetry SDKs have it. */
const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** One request to the collector. Milliseconds. */
const REQUEST_MS = 10_000;
/** The last one, when Sallyport ends. Milliseconds. */
const LAST_MS = 2_000;
/** Metrics are sent every so many rounds. */
const METRIC_ROUNDS = 12;

/** Traces and metrics over OTLP/HTTP as JSON (OpenTelemetry protocol specification 1.7). */
export function createOtlp({ settings, version, log, collect, post: deliver = fetch }: OtlpOptions): Otlp {
  const startedAt = Date.now();
  const resource = { version, instance: `${process.pid}-${startedAt}` };
  let waiting: Span[] = [];
  let dropped = 0;
  let round = 0;
  let failing = false;
  let sending: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** Never rejects, whatever the collector does and whatever fails while the body is made. */
  async function post(path: string, toBody: () => string, deadlineMs: number): Promise<void> {
    try {
      const body = toBody();
      const response = await deliver(`${settings.endpoint}${path}`, {
        method: 'POST',
        headers: { ...settings.headers, 'content-type': 'application/json' },
        body,
        // The headers may hold a key: it goes to the address the operator wrote and to no other.
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`status ${response.status}`);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ path, error }, 'the OTLP collector did not take what was sent; it is dropped');
      failing = true;
    }
  }

  async function sendAll(deadlineMs: number, withMetrics: boolean): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await post('/v1/traces', () => toSpansJson(batch, resource), deadlineMs);
      if (failing) {
        dropped += batch.length;
        break;
      }
    }
    if (withMetrics && settings.metrics)
      await post('/v1/metrics', () => toMetricsJson(collect(), resource, { startedAt, at: Date.now() }), deadlineMs);
  }

  function send(deadlineMs: number, withMetrics: boolean): Promise<void> {
    sending ??= sendAll(deadlineMs, withMetrics).finally(() => {
      sending = undefined;
    });
    return sending;
  }

  const timer = setInterval(() => {
    // One request at a time: a slow collector is not given more to do.
    if (sending === undefined) void send(REQUEST_MS, round++ % METRIC_ROUNDS === 0);
  }, settings.intervalMs).unref();

  return {
    give(span) {
      if (closing === undefined && waiting.length < MAX_WAITING) waiting.push(span);
      else dropped++;
    },
    get dropped() {
      return dropped;
    },
    close() {
      closing ??= (async () => {
        clearInterval(timer);
        const deadline = new Promise<void>((resolve) => setTimeout(resolve, LAST_MS).unref());
        const last = async () => {
          await sending;
          await send(LAST_MS, true);
        };
        await Promise.race([last(), deadline]);
      })();
      return closing;
    },
  };
}
