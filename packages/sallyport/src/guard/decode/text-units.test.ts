import { expect, test } from 'vitest';
import { fromUnits, keepUnits, toUnits } from './text-units.ts';

test.each<[string, readonly string[]]>([
  ['growing', ['', 'a', 'héllo – 忽略', 'x'.repeat(5_000)]],
  ['shrinking', ['x'.repeat(5_000), 'a longer one than the next', 'b']],
  ['beyond what is kept', ['y'.repeat(300_000), 'z', 'w'.repeat(262_144)]],
])('kept memory holds the units of the last text alone: %s', (_, texts) => {
  const keep = keepUnits();
  for (const text of texts) {
    const units = keep(text);
    expect(fromUnits(units)).toBe(text);
    expect(fromUnits(toUnits(text))).toBe(text);
  }
});

test('two readers keep apart what they read', () => {
  const [one, other] = [keepUnits(), keepUnits()];
  const units = one('first');
  other('other');
  expect(fromUnits(units)).toBe('first');
});
