import { foldCharacter } from '../../core/fold-text.ts';
import { createTextBuilder, type MappedText } from './mapped-text.ts';
import { readHidden } from './unseen.ts';

/**
 * A text as its letters are read, case kept: NFKC, lookalikes and letters in circles as the ASCII ones they stand for,
 * without what is not seen, and with what that spells (tags, selectors). For keys and data; `scan/` folds case as well.
 */
export function unfold(text: string): MappedText {
  const builder = createTextBuilder(text.length);
  for (let i = 0; i < text.length; ) {
    const plain = endOfPlain(text, i);
    if (plain > i) builder.copy(text.slice(i, plain), i);
    i = plain;
    const code = text.codePointAt(i);
    if (code === undefined) break;
    // Where letters go from right to left does not matter: no mark is made of it.
    const hidden = readHidden({ text, at: i, code, hasRightToLeft: false });
    const sign = String.fromCodePoint(code);
    if (hidden === undefined && !UNSEEN.test(sign)) builder.add(toLetter(sign, code), i, code > 0x7f);
    else if (hidden?.mark !== undefined) builder.add(hidden.mark.decoded, i, true);
    i = hidden?.end ?? i + sign.length;
  }
  return builder.finish(text.length);
}

/** What is read as it stands there: ASCII, and the scripts of East Asia, of which texts are full. */
function endOfPlain(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    const isAscii = (code >= 0x20 && code < 0x7f) || code === 0x0a;
    if (!isAscii && !(code >= 0x3041 && code <= 0x9fff && code !== 0x3164) && !(code >= 0xac00 && code <= 0xd7a3))
      break;
  }
  return end;
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

function toLetter(sign: string, code: number): string {
  // Letters in circles, squares and flags are capitals.
  if (code >= 0x1f110 && code <= 0x1f1ff) return foldCharacter(code).toUpperCase();
  if (code >= 0x249c && code <= 0x24b5) return foldCharacter(code);
  if (code < 0x370 || code > 0x4ff) return sign.normalize('NFKC');
  const folded = foldCharacter(code);
  return sign === sign.toLowerCase() ? folded : folded.toUpperCase();
}
