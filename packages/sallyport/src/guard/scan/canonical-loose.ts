import { createTextBuilder, type MappedText } from '../decode/mapped-text.ts';

const SWAPPED: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['1', 'i'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['@', 'a'],
  ['$', 's'],
  ['!', 'i'],
]);
/** Letters one by one: `i g n o r e`, `i-g-n-o-r-e`, with wider gaps between words; ideographs as well. */
const SPACED =
  /(?<![a-z0-9])[a-z0-9@$!](?:(?: [a-z0-9@$!]){1,400}|(?:\.[a-z0-9@$!]){1,400}|(?:-[a-z0-9@$!]){1,400}|(?:_[a-z0-9@$!]){1,400}|(?:\*[a-z0-9@$!]){1,400}|(?:\|[a-z0-9@$!]){1,400}|(?:,[a-z0-9@$!]){1,400}|(?:~[a-z0-9@$!]){1,400}|(?:\n[a-z0-9@$!]){2,400}|(?:, [a-z0-9@$!]){2,400})(?![a-z0-9@$!])|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3](?:[ \n.,|*~_-][\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]){2,400}/g;
const WORD = /[a-z0-9@$!]{3,40}/g;

/** A text without spacing and with letters for the digits that stand for them; `undefined`: it has neither. Expects lower case. */
export function loosen(text: string): MappedText | undefined {
  const builder = createTextBuilder(text.length);
  let at = 0;
  let isChanged = false;
  const join = (match: RegExpExecArray) => {
    const gap = text.slice(at, match.index);
    // A wider gap is the space between words that were spaced.
    if (/^(?: {2,16}|\n{2,16})$/.test(gap)) builder.add(' ', at);
    else builder.copy(gap, at);
    const width = match[0].startsWith(', ', 1) ? 3 : 2;
    for (let i = 0; i < match[0].length; i += width)
      builder.add(SWAPPED.get(match[0].charAt(i)) ?? match[0].charAt(i), match.index + i, true);
    at = match.index + match[0].length;
    isChanged = true;
  };
  const swap = (match: RegExpExecArray) => {
    const word = match[0];
    if (!isSwapped(word)) return;
    builder.copy(text.slice(at, match.index), at);
    for (let i = 0; i < word.length; i++) {
      const letter = SWAPPED.get(word.charAt(i));
      builder.add(letter ?? word.charAt(i), match.index + i, letter !== undefined);
    }
    at = match.index + word.length;
    isChanged = true;
  };
  const spaced = text.matchAll(SPACED);
  let next = spaced.next().value;
  for (const word of text.matchAll(WORD)) {
    for (; next !== undefined && next.index < word.index; next = spaced.next().value) join(next);
    if (word.index >= at) swap(word);
  }
  for (; next !== undefined; next = spaced.next().value) join(next);
  if (!isChanged) return undefined;
  builder.copy(text.slice(at), at);
  return builder.finish(text.length);
}

/** More letters than digits, and a digit that no number begins with: `1gn0re`, not `v1`, `sha256` or `b64`. */
function isSwapped(word: string): boolean {
  const letters = word.match(/[a-z]/g)?.length ?? 0;
  return letters >= 2 && letters * 3 >= word.length && /[013457@$!][a-z]|[a-z][@$!][a-z]/.test(word);
}
