/** Characters of one text that are looked at. Longer ones are cut, and the run is told that something was left out. */
export const MAX_TEXT = 1_048_576;

/**
 * A text without what changes on the way from a result into an argument: case, white space, punctuation, widths and
 * compositions of letters. Codes of UTF-16 units, `size` of them.
 */
export interface Folded {
  readonly codes: Uint16Array;
  readonly size: number;
}

export function fold(text: string): Folded {
  const plain = ASCII.test(text) ? text : text.normalize('NFKC').toLowerCase();
  const codes = new Uint16Array(plain.length);
  let size = 0;
  for (let i = 0; i < plain.length; i++) {
    const code = FOLDS[plain.charCodeAt(i)] ?? 0;
    if (code !== 0) codes[size++] = code;
  }
  return { codes, size };
}

const ASCII = /^[\0-\x7f]*$/;

/** What each unit becomes; 0: it is left out. */
const FOLDS: Uint16Array = makeFolds();

function makeFolds(): Uint16Array {
  const folds = new Uint16Array(65_536);
  // Signs, spaces and invisible characters between letters say nothing of where a text is from; half a pair is kept.
  const kept = /[\p{L}\p{N}\p{M}\p{Cs}]/u;
  for (let code = 0x30; code < 65_536; code++) {
    const unit = String.fromCharCode(code);
    if (kept.test(unit)) folds[code] = code >= 0x41 && code <= 0x5a ? code + 32 : code;
  }
  return folds;
}
