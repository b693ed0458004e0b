import { describe, expect, it } from 'vitest';
import { type Slow, Unread } from './unread.ts';

const KIB = 1_024;
const MAX = 1_000 * KIB;

function response(writableLength: number): Slow & { destroyed: boolean; writableLength: number } {
  return {
    destroyed: false,
    writableLength,
    destroy() {
      this.destroyed = true;
    },
  };
}

function fill(unread: Unread, caller: string, sizes: readonly number[]) {
  return sizes.map((size) => {
    const one = response(size * KIB);
    unread.wrote(one, caller, size * KIB);
    return one;
  });
}

describe('what nobody reads', () => {
  it('costs the caller that left the most unread its largest response, and nobody else', () => {
    const unread = new Unread(MAX);
    const [honest] = fill(unread, 'honest', [300]);
    const greedy = fill(unread, 'greedy', [100, 200, 250, 100, 100]);
    expect(honest?.destroyed).toBe(false);
    expect(greedy.map(({ destroyed }) => destroyed)).toEqual([false, false, true, false, false]);
  });

  it('is given up by whom it takes, however many responses it is spread over', () => {
    const unread = new Unread(MAX);
    const [honest] = fill(unread, 'honest', [400]);
    const greedy = fill(
      unread,
      'greedy',
      Array.from({ length: 100 }, () => 66),
    );
    expect(honest?.destroyed).toBe(false);
    const left = greedy
      .filter(({ destroyed }) => !destroyed)
      .reduce((sum, { writableLength }) => sum + writableLength, 0);
    expect(left).toBeLessThanOrEqual(600 * KIB);
  });
});

describe('what is read', () => {
  it('counts no more, and responses that only wait for the network never do', () => {
    const unread = new Unread(MAX);
    for (let i = 0; i < 50; i++) {
      const [one] = fill(unread, 'reader', [900]);
      if (one !== undefined) one.writableLength = 0;
      expect(one?.destroyed).toBe(false);
    }
    const usual = fill(
      unread,
      'reader',
      Array.from({ length: 1_000 }, () => 64),
    );
    expect(usual.some(({ destroyed }) => destroyed)).toBe(false);
  });
});
