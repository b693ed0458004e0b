import type { Mark } from '../decode/unseen.ts';

/** More of them in one text can carry a message by where they stand; what is pasted from a page brings one or two. */
const MAX_STRAY = 4;
/** One character, or the same one twice: nothing is spelled with it. */
const ALONE = /^(.)\1?$/u;
/** What editors and pages put there: places where a line may break or not, the mark of a file's start, directions that turn nothing. */
const PASTED = /^[\u200b\u2060\ufeff\u061c\u200e\u200f]+$/;
/** Selectors that choose between text and picture: no byte is in them. */
const PICTURES = /^[\ufe0e\ufe0f]+$/;
const LETTER = /[\p{L}\p{N}]/u;
/** Writing without blanks: there, a character that nobody sees shows where a line may break. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;

/**
 * Whether what is not seen in a text is left over from pasting: a few characters that spell nothing, split no word and turn
 * no text round. A person may look at it; it is no reason to quarantine a tool.
 */
export function areStray(text: string, marks: readonly Mark[]): boolean {
  return (
    marks.reduce((sum, { start, end }) => sum + end - start, 0) <= MAX_STRAY &&
    marks.every((mark) => isStray(text, mark))
  );
}

function isStray(text: string, { kind, start, end, conceals }: Mark): boolean {
  const said = text.slice(start, end);
  if (conceals !== undefined || !ALONE.test(said)) return false;
  if (kind === 'variation') return PICTURES.test(said);
  return PASTED.test(said) && !splitsWord(text, start, end);
}

function splitsWord(text: string, start: number, end: number): boolean {
  const [before, after] = [text.charAt(start - 1), text.charAt(end)];
  return LETTER.test(before) && LETTER.test(after) && !(WITHOUT_BLANKS.test(before) && WITHOUT_BLANKS.test(after));
}
