import { LABELS, type Label, PRIVACY, type Privacy } from '../../config/taint-section.ts';

/**
 * Marks in one small number, so that a table of fingerprints holds them beside each: bits 0 and 1 the privacy, bit 2 that
 * it came from outside, bit 3 that the user gave it first, bit 4 that a trusted source gave it.
 */
export type Marks = number;

export const PUBLIC: Marks = 0;
export const UNTRUSTED: Marks = 4;
export const CLEAN: Marks = 8;
export const VOUCHED: Marks = 16;

export function toMarks(of: { readonly untrusted: boolean; readonly privacy: Privacy }): Marks {
  return (of.untrusted ? UNTRUSTED : VOUCHED) | PRIVACY.indexOf(of.privacy);
}

export function privacyOf(marks: Marks): number {
  return marks & 3;
}

/** Both together: the more private of two, and every other mark of either. */
export function joinMarks(one: Marks, other: Marks): Marks {
  return ((one | other) & ~3) | Math.max(one & 3, other & 3);
}

/** Does a value or run with these marks bear the label? `internal` is borne by everything at least as private. */
export function bears(marks: Marks, label: Label): boolean {
  return label === 'untrusted' ? (marks & UNTRUSTED) !== 0 : privacyOf(marks) >= PRIVACY.indexOf(label);
}

export function namesOf(marks: Marks): readonly Label[] {
  return LABELS.filter((label) => bears(marks, label));
}
