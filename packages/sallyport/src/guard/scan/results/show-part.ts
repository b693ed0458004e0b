/** Characters of a stranger's text that are shown to a person. */
const MAX_SHOWN = 200;
const AROUND = 24;

/** A part of a text and a little around it, harmless to show: nothing in it is invisible or moves a cursor. */
export function showPart(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND);
  const part = text.slice(from, Math.min(text.length, Math.max(end, start) + AROUND, from + MAX_SHOWN));
  return part.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, ' ').slice(0, MAX_SHOWN);
}
