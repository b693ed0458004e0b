import { hashRows } from './hash-rows.ts';
import { FOLDS, type Folded, fold, isAscii } from './normalise.ts';
import type { PrintList } from './print-list.ts';

/**
 * What a print is made of. `value`: a whole text or number, or a distinctive word of one; `gram`: a piece of a text;
 * `id`: a value that a certain server gave under the name of an id; `link`: an address as it stood in a result; `typed`:
 * words of the user; `form`: a deciding value in the one way in which it is compared.
 */
export type PrintKind = 'value' | 'id' | 'link' | 'typed' | 'form';

const KINDS: Readonly<Record<PrintKind | 'gram' | 'piece', number>> = {
  ...{ value: 1, gram: 2, id: 3, link: 4, typed: 5, piece: 6, form: 7 },
};

/** Letters and digits of one piece of text, and how many pieces one is chosen from. */
export const GRAM = 16;
export const WINDOW = 6;
/** Room for a window; a power of two, as `GRAM` is. */
const RING = 8;

export interface Printer {
  add(kind: PrintKind, text: string, into: PrintList): void;
  /** As `add` of kind `typed` for so many words in a row, from each word on; for all of them where there are fewer. */
  addRows(words: readonly string[], row: number, into: PrintList): void;
  /** A value that is folded already. */
  addCodes(codes: Folded, into: PrintList): void;
  /** A part of a private value. */
  addPiece(codes: Folded, into: PrintList): void;
  /**
   * Pieces of a text by winnowing (Schleimer, Wilkerson, Aiken 2003): of every `WINDOW` pieces in a row the one with the
   * smallest hash, so that two texts that share `GRAM + WINDOW - 1` characters share a print, at two prints for seven characters.
   * `all`: every piece, to look a text up with.
   */
  addGrams(codes: Folded, into: PrintList, all?: boolean): void;
}

/**
 * Makes prints under a key that never leaves the process (or the replicas that share it). They are two keyed polynomials
 * with secret bases and a keyed mix, 64 bits; not a cryptographic hash: whoever reads the memory of the process reads the
 * key as well, and whoever reads a store of prints alone learns no text.
 * @param key 32 random bytes
 */
export function createPrinter(key: Uint8Array): Printer {
  const words = new Uint32Array(8);
  const view = new DataView(key.buffer, key.byteOffset, 32);
  for (let i = 0; i < 8; i++) words[i] = view.getUint32(i * 4);
  const word = (index: number) => words[index] ?? 0;
  // Odd, so that no bit is lost when they are multiplied; times eight plus five, so that their powers go all the way round.
  const baseA = (word(0) & ~7) | 5;
  const baseB = (word(1) & ~7) | 5;
  const outA = power(baseA, GRAM);
  const outB = power(baseB, GRAM);
  const letters = makeLetters(word(2), word(3));

  const letterOf = (code: number) => (letters[code & 0xff] ?? 0) ^ Math.imul(code, 0x85eb_ca6b);

  // Written before they are read, and never used by two texts at once.
  const as = new Int32Array(RING);
  const bs = new Int32Array(RING);
  const orders = new Uint32Array(RING);
  const inside = new Int32Array(GRAM);

  function emit(a: number, b: number, kind: number, into: PrintList): void {
    into.add(mix(a ^ word(4), b ^ word(5) ^ kind), mix(b ^ word(6), a ^ word(7) ^ Math.imul(kind, 0x9e37_79b1)));
  }

  function addCodes(kind: number, { codes, size }: Folded, into: PrintList): void {
    let a = kind;
    let b = kind;
    for (let i = 0; i < size; i++) {
      const code = codes[i] ?? 0;
      const letter = letterOf(code);
      a = (Math.imul(a, baseA) + letter) | 0;
      b = (Math.imul(b, baseB) + letter) | 0;
    }
    emit(a, b ^ size, kind, into);
  }

  /** @param folds what each unit becomes; left out: it stays as it is */
  function addText(kind: number, text: string, { into, folds }: { into: PrintList; folds?: Uint16Array }): void {
    let a = kind;
    let b = kind;
    let size = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      const code = folds === undefined ? unit : (folds[unit] ?? 0);
      if (code === 0) continue;
      const letter = letterOf(code);
      a = (Math.imul(a, baseA) + letter) | 0;
      b = (Math.imul(b, baseB) + letter) | 0;
      size++;
    }
    emit(a, b ^ size, kind, into);
  }

  return {
    addRows(words, row, into) {
      const hash = { bases: [baseA, baseB], kind: KINDS.typed, letterOf } as const;
      for (const { a, b } of hashRows(words, row, hash)) emit(a, b, KINDS.typed, into);
    },
    add(kind, text, into) {
      if (kind !== 'value') addText(KINDS[kind], text, { into });
      else if (isAscii(text)) addText(KINDS.value, text, { into, folds: FOLDS });
      else addCodes(KINDS.value, fold(text), into);
    },
    addCodes: (codes, into) => addCodes(KINDS.value, codes, into),
    addPiece: (codes, into) => addCodes(KINDS.piece, codes, into),
    addGrams({ codes, size }, into, all = false) {
      const count = size - GRAM + 1;
      if (count < 1) return;
      let a = 0;
      let b = 0;
      let best = -1;
      for (let i = 0; i < size; i++) {
        const code = codes[i] ?? 0;
        const letter = letterOf(code);
        a = (Math.imul(a, baseA) + letter) | 0;
        b = (Math.imul(b, baseB) + letter) | 0;
        if (i >= GRAM) {
          const gone = inside[i & (GRAM - 1)] ?? 0;
          a = (a - Math.imul(outA, gone)) | 0;
          b = (b - Math.imul(outB, gone)) | 0;
        }
        inside[i & (GRAM - 1)] = letter;
        const at = i - GRAM + 1;
        if (at < 0) continue;
        if (all) {
          emit(a, b, KINDS.gram, into);
          continue;
        }
        const slot = at & (RING - 1);
        as[slot] = a;
        bs[slot] = b;
        orders[slot] = Math.imul(a ^ (a >>> 15), 0x2c1b_3c6d) ^ (b >>> 7);
        if (at < WINDOW - 1 && at < count - 1) continue;
        // The last one of the smallest: neighbouring windows then choose the same piece.
        const from = Math.max(0, at - WINDOW + 1);
        if (best < from) {
          best = at;
          for (let j = at - 1; j >= from; j--)
            if ((orders[j & (RING - 1)] ?? 0) < (orders[best & (RING - 1)] ?? 0)) best = j;
        } else if ((orders[slot] ?? 0) <= (orders[best & (RING - 1)] ?? 0)) best = at;
        else continue;
        emit(as[best & (RING - 1)] ?? 0, bs[best & (RING - 1)] ?? 0, KINDS.gram, into);
      }
    },
  };
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}

/** 256 words from two, by a generator good enough to tell letters apart (Marsaglia, xorshift). */
function makeLetters(seed: number, other: number): Int32Array {
  const letters = new Int32Array(256);
  let x = seed | 1;
  for (let i = 0; i < 256; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    letters[i] = mix(x, other + i);
  }
  return letters;
}

/** The last steps of MurmurHash3, with a second word in between. */
function mix(value: number, other: number): number {
  let h = value ^ Math.imul(other, 0xcc9e_2d51);
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b) ^ other;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
