import { expect, test } from 'vitest';
import type { Era } from '../load/messages.ts';
import { computeFigures, type Results } from './figures.ts';
import { joinRows, type Row, ratioOf, type Sample } from './rows.ts';

const sample = (cpuUs: number, p50 = 1, p99 = 2): Sample => ({
  callsPerSecond: 1,
  p50,
  p95: 1,
  p99,
  cpuUs,
  peakMb: 1,
  loadBusy: 0,
});

function row(program: string, era: Era, samples: (Sample | undefined)[], more: Partial<Row> = {}): Row {
  const kind = program === 'sallyport' ? 'sallyport' : program === 'raw' ? 'baseline' : 'peer';
  return {
    program,
    kind,
    via: 'http',
    tool: 'echo',
    era,
    callers: 16,
    samples,
    errors: 0,
    problem: undefined,
    ...more,
  };
}

function figure(results: Partial<Results>, name: string): { value: number | null; holds: boolean } | undefined {
  const { value, holds } =
    computeFigures({ rows: [], footprints: [], ten: undefined, ...results }).find((one) => one.name === name) ?? {};
  return value === undefined || holds === undefined ? undefined : { value, holds };
}

test('the worse era counts and rounds are compared with themselves', () => {
  const rows = [
    row('raw', 'modern', [sample(80), sample(8_000), sample(80)]),
    row('sallyport', 'modern', [sample(100), sample(10_000), sample(100)]),
    row('raw', 'legacy', [sample(70), undefined, sample(70)]),
    row('sallyport', 'legacy', [sample(100), sample(1), sample(100)]),
  ];
  expect(figure({ rows }, 'gateway.echo.vs_raw')).toEqual({ value: 0.7, holds: false });
  expect(figure({ rows: rows.slice(0, 2) }, 'gateway.echo.vs_raw')).toEqual({ value: null, holds: false });
});

test('the best peer counts, over whatever transport it is measured, and a failed one does not', () => {
  const eras: Era[] = ['legacy', 'modern'];
  const rows = eras.flatMap((era) => [
    row('sallyport', era, [sample(100)]),
    row('slow', era, [sample(2_000)]),
    row('fast', era, [sample(650)], { via: 'stdio' }),
    row('broken', era, [undefined], { problem: 'x' }),
  ]);
  expect(figure({ rows }, 'gateway.echo.vs_peer')).toEqual({ value: 6.5, holds: true });
});

test('added latency is the median difference at one caller', () => {
  const rows = (['legacy', 'modern'] as const).flatMap((era) => [
    row('raw', era, [sample(1, 0.2), sample(1, 0.3), sample(1, 0.2)], { callers: 1 }),
    row('sallyport', era, [sample(1, 0.3), sample(1, 0.5), sample(1, 0.32)], { callers: 1 }),
  ]);
  expect(figure({ rows }, 'gateway.added_p50_ms')).toEqual({ value: 0.12, holds: true });
});

test('what was not measured has no value and does not hold', () => {
  expect(
    computeFigures({ rows: [], footprints: [], ten: undefined }).map(({ value, holds }) => [value, holds]),
  ).toEqual(Array.from({ length: 17 }, () => [null, false]));
});

test('what is measured twice counts together, each round beside its own', () => {
  const raw = joinRows(row('raw', 'modern', [sample(80), undefined]), row('raw', 'modern', [sample(60)]));
  const ours = joinRows(row('all', 'modern', [sample(100), sample(1)]), row('all', 'modern', [sample(120)]));
  expect(ours.samples).toHaveLength(3);
  expect(ratioOf(ours, raw, 'cpuUs')).toBe((100 / 80 + 120 / 60) / 2);
});
