import { describe, expect, it } from 'vitest';
import { mayTake, Shares } from './shares.ts';

/** Takes as often as it may. */
function fill(shares: Shares, caller: string, places: { free: number }): number {
  const share = shares.of(caller);
  while (mayTake(share.held, places.free)) {
    share.held++;
    places.free--;
  }
  return share.held;
}

describe('a share', () => {
  it.each([
    [1, 1],
    [2, 2],
    [7, 7],
    [8, 7],
    [64, 56],
    [80, 70],
    [1_000, 875],
  ])('of %d places one caller gets %d', (places, most) => {
    expect(fill(new Shares(), 'a', { free: places })).toBe(most);
  });

  it('leaves seven eighths of the rest to the next caller', () => {
    const shares = new Shares();
    const places = { free: 80 };
    expect(['a', 'b', 'c'].map((caller) => fill(shares, caller, places))).toEqual([70, 9, 1]);
  });

  it('is remembered while anything of it is held, however many callers come and go', () => {
    const shares = new Shares();
    shares.of('a').held = 1;
    for (let i = 0; i < 5_000; i++) shares.of(`caller ${i}`);
    expect(shares.of('a').held).toBe(1);
  });
});
