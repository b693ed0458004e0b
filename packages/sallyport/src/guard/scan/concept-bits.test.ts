import { expect, test } from 'vitest';
import { isEmpty, type Mask, maskOf, meets, NAMED, SentenceBits } from './concept-bits.ts';
import { CONCEPTS, type Concept } from './concepts.ts';

test('each part has a bit of its own', () => {
  const parts = [...(Object.keys(CONCEPTS) as Concept[]), ...NAMED] as const;
  const masks = parts.map((part) => maskOf([part]));
  expect(masks.some(isEmpty)).toBe(false);
  expect(new Set(masks.map(({ low, high, top }: Mask) => `${low} ${high} ${top}`)).size).toBe(parts.length);
});

test('a sentence holds what was added to it, and what stands shortly after counts within reach', () => {
  const bits = new SentenceBits(3);
  bits.add(0, maskOf(['conceal']));
  bits.add(2, maskOf(['gate']));
  expect(meets(bits.at(0), maskOf(['gate', 'send']))).toBe(false);
  expect(meets(bits.at(0, 2), maskOf(['gate']))).toBe(true);
  expect(isEmpty(bits.at(1))).toBe(true);
  const copy = bits.copy();
  copy.add(1, maskOf(['send']));
  expect(isEmpty(bits.at(1))).toBe(true);
});
