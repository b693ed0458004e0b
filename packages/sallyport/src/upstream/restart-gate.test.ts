import { describe, expect, it } from 'vitest';
import { type Deaths, NO_DEATHS, nextStart, recordDeath } from './restart-gate.ts';

/** Deaths at the given times, each `lived` ms after its start. */
function after(times: readonly number[], lived = 1000): Deaths {
  return times.reduce((deaths, diedAt) => recordDeath(deaths, { bornAt: diedAt - lived, diedAt }), NO_DEATHS);
}

describe('the restart gate', () => {
  it.each([
    ['nothing died', [], 0, { kind: 'now' }],
    ['once', [1000], 1000, { kind: 'wait', until: 1250 }],
    ['once, a moment later', [1000], 1249, { kind: 'wait', until: 1250 }],
    ['once, waited long enough', [1000], 1250, { kind: 'now' }],
    ['twice', [1000, 2000], 2000, { kind: 'wait', until: 2500 }],
    ['three times', [1000, 2000, 3000], 3000, { kind: 'wait', until: 4000 }],
    ['four times', [1000, 2000, 3000, 4000], 4000, { kind: 'wait', until: 6000 }],
    [
      'five times within two minutes',
      [0, 30_000, 60_000, 90_000, 120_000],
      120_000,
      { kind: 'refused', until: 125_000 },
    ],
    ['five times, five seconds later', [0, 1, 2, 3, 4], 5_004, { kind: 'now' }],
    [
      'five times over more than two minutes',
      [0, 31_000, 62_000, 93_000, 124_000],
      124_000,
      { kind: 'wait', until: 128_000 },
    ],
    ['once more after a crash loop', [0, 1, 2, 3, 4, 200_000], 200_000, { kind: 'refused', until: 205_000 }],
  ])('%s', (_, times, now, next) => {
    expect(nextStart(after(times), now)).toEqual(next);
  });

  it('doubles up to five seconds', () => {
    const rare = Array.from({ length: 60 }, (_, i) => i * 40_000);
    const last = rare.at(-1) ?? 0;
    expect(nextStart(after(rare), last)).toEqual({ kind: 'wait', until: last + 5_000 });
  });

  it('starts anew after a child that lived ten seconds', () => {
    expect(recordDeath(after([0, 1, 2, 3, 4]), { bornAt: 40_000, diedAt: 50_000 })).toEqual(NO_DEATHS);
    expect(recordDeath(after([0]), { bornAt: 40_000, diedAt: 49_999 }).inRow).toBe(2);
  });

  it('remembers a bounded number of deaths', () => {
    expect(after(Array.from({ length: 100 }, (_, i) => i)).recent).toHaveLength(5);
  });
});
