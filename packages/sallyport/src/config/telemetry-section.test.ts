// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { describe, expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';

function load(telemetry: unknown, env: Record<string, string> = {}) {
  const text = JSON.stringify({ telemetry, mcpServers: { up: { command: 'x' } } });
  return loadSnapshot({ file: '/etc/sallyport.json', text, env, stateDir: '/var/s', version: 1 });
}

function refusal(telemetry: unknown): string {
  try {
    load(telemetry);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'was taken';
}

describe('telemetry', () => {
  test('is off unless it is written', () => {
    expect(load(undefined).telemetry).toBeUndefined();
    expect(load({}).telemetry).toEqual({ metrics: false, metricsPort: undefined, otlp: undefined });
  });

  test('takes secrets from the environment, and an address with a slash', () => {
    const otlp = { endpoint: 'https://otel.example:4318/', headers: { 'x-key': '${OTLP_KEY}' } };
    expect(load({ otlp }, { OTLP_KEY: 's3cret' }).telemetry?.otlp).toEqual({
      endpoint: 'https://otel.example:4318',
      headers: { 'x-key': 's3cret' },
      traces: true,
      metrics: true,
      sample: 1,
      intervalMs: 5_000,
    });
  });

  test.each([
    [{ metric: true }, 'telemetry.metric: unknown key; did you mean "metrics"?'],
    [{ metricsPort: 70_000 }, 'telemetry.metricsPort'],
    [{ otlp: {} }, 'telemetry.otlp.endpoint'],
    [{ otlp: { endpoint: 'collector:4317' } }, 'telemetry.otlp.endpoint: expected an http:// or https:// address'],
    [{ otlp: { endpoint: 'http://me:s3cret@x' } }, 'telemetry.otlp.endpoint'],
    [{ otlp: { endpoint: 'http://x/?key=s3cret' } }, 'telemetry.otlp.endpoint'],
    [{ otlp: { endpoint: 'http://x', headers: { 'a b': 's3cret' } } }, 'telemetry.otlp.headers.a b'],
    [{ otlp: { endpoint: 'http://x', headers: { a: 's3cret\r\nb: c' } } }, 'telemetry.otlp.headers.a'],
    [{ otlp: { endpoint: 'http://x', sample: 2 } }, 'telemetry.otlp.sample'],
    [{ otlp: { endpoint: 'http://x', headers: { a: '${NOT_SET}' } } }, 'NOT_SET is not set'],
  ])('%j is refused, and no value is shown', (written, message) => {
    expect(refusal(written)).toContain(message);
    expect(refusal(written)).not.toContain('s3cret');
  });
});
