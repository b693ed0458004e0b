import { CONFUSABLES } from '../../core/confusables.ts';

/** Characters of one text that are looked at. Longer ones are cut, and the run is told that something was left out. */
export const MAX_TEXT = 1_048_576;

/**
 * A text without what changes on the way from a result into an argument: case, white space, punctuation, widths and
 * accents. Codes of UTF-16 units, `size` of them.
 */
export interface Folded {
  readonly codes: Uint16Array;
  readonly size: number;
}

/** @param scratch used for the codes where it is large enough: they hold until its next use */
export function fold(text: string, scratch?: Uint16Array): Folded {
  const { length } = text;
  let codes = scratch !== undefined && scratch.length >= length ? scratch : new Uint16Array(length);
  let size = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 128) {
      const code = FOLDS[unit] ?? 0;
      if (code !== 0) codes[size++] = code;
      continue;
    }
    let end = i + 1;
    while (end < length && text.charCodeAt(end) > 127) end++;
    // Taken apart, so that a letter is the same whether its accent stands within it or behind it.
    const plain = text.slice(i, end).normalize('NFKD').toLowerCase();
    // One character may become eighteen.
    if (size + plain.length + length - end > codes.length) codes = enlarge(codes, size + plain.length + length - end);
    for (let j = 0; j < plain.length; j++) {
      const code = FOLDS[plain.charCodeAt(j)] ?? 0;
      if (code !== 0) codes[size++] = code;
    }
    i = end - 1;
  }
  return { codes, size };
}

const ROOM = 65_536;
const room = new Uint16Array(ROOM);

/** As `fold`, without new memory for a short text: what it gives holds until `wipe`, and one text is folded so at a time. */
export function foldBriefly(text: string): Folded {
  const folded = fold(text, room);
  if (folded.codes !== room) room.fill(0);
  return folded;
}

/** No text stays where the next one is going to be. */
export function wipe({ codes, size }: Folded): void {
  if (codes === room) room.fill(0, 0, size);
}

function enlarge(codes: Uint16Array, room: number): Uint16Array {
  const larger = new Uint16Array(Math.ceil(room * 1.5));
  larger.set(codes);
  return larger;
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** What each unit becomes; 0: it is left out. */
export const FOLDS: Uint16Array = makeFolds();

/** Digits of every script are digits, and letters that look alike are one: data is rewritten in them to be lost sight of. */
function foldLookalikes(folds: Uint16Array): void {
  for (const [letter, codes] of CONFUSABLES)
    for (const code of codes.split(' ').map((hex) => Number.parseInt(hex, 16)))
      if (code > 127 && code < 65_536 && folds[code] !== 0) folds[code] = letter.charCodeAt(0);
  let zero = -1;
  for (let code = 128; code < 65_536; code++) {
    if (!/\p{Nd}/u.test(String.fromCharCode(code))) zero = -1;
    else {
      // Ten in a row, by the stability policy of Unicode.
      if (zero < 0 || code - zero > 9) zero = code;
      folds[code] = 0x30 + (code - zero);
    }
  }
}

function makeFolds(): Uint16Array {
  const folds = new Uint16Array(65_536);
  // Signs, spaces and invisible characters between letters say nothing of where a text is from; half a pair is kept.
  const kept = /[\p{L}\p{N}\p{Cs}]/u;
  for (let code = 0x30; code < 65_536; code++) {
    const unit = String.fromCharCode(code);
    if (kept.test(unit)) folds[code] = code >= 0x41 && code <= 0x5a ? code + 32 : code;
  }
  foldLookalikes(folds);
  return folds;
}
