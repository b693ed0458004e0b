/** Lengths from here on share one bit. */
const MAX_BIT = 31;

/** The bit of a length, see {@link WordTable.lengthsOf}. */
export function bitOf(length: number): number {
  return 1 << Math.min(MAX_BIT, length);
}

/** How words begin, end and last, hashed to bits: nearly all other words of a text are told from them by it. */
export class Outlines {
  readonly #bits = new Int32Array(65_536 / 32);

  /** @param word of two letters or more */
  add(word: string): void {
    const { length } = word;
    const head = placeOf(word.charCodeAt(0), word.charCodeAt(1));
    const at = outlineOf(head, placeOf(word.charCodeAt(length - 2), word.charCodeAt(length - 1)), length);
    this.#bits[at >>> 5] = (this.#bits[at >>> 5] ?? 0) | (1 << (at & 31));
  }

  /** @param head its first two letters and @param tail its last two, see {@link placeOf} */
  has(head: number, tail: number, length: number): boolean {
    const at = outlineOf(head, tail, length);
    return (((this.#bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
  }
}

function outlineOf(head: number, tail: number, length: number): number {
  return Math.imul((head << 15) | (tail << 5) | (length & 31), 0x9e37_79b1) >>> 16;
}

/**
 * Words with what is known of them, found by the units of a text: no string is cut out of it and made lower case for a word
 * that is none of them, as most are. Open addressing, never more than a quarter full.
 */
export class WordTable<T> {
  readonly #lengths = new Int32Array(32 * 32);
  readonly #outlines = new Outlines();
  readonly #slots: Int32Array;
  /** Of all words, one behind the other. */
  readonly #letters: Uint16Array;
  /** Where each begins; the last one is the end. */
  readonly #starts: Int32Array;
  readonly #values: readonly T[];
  readonly #folds: Uint16Array;

  /** @param words as they are once folded, of two letters or more @param folds what each unit is read as */
  constructor(words: readonly (readonly [string, T])[], folds: Uint16Array) {
    this.#folds = folds;
    this.#values = words.map(([, value]) => value);
    const all = words.map(([word]) => word).join('');
    this.#letters = Uint16Array.from(all, (letter) => letter.charCodeAt(0));
    this.#starts = new Int32Array(words.length + 1);
    let slots = 64;
    while (slots < words.length * 4) slots *= 2;
    this.#slots = new Int32Array(slots);
    for (const [index, [word]] of words.entries()) {
      const { length } = word;
      this.#starts[index + 1] = (this.#starts[index] ?? 0) + length;
      this.#outlines.add(word);
      const head = placeOf(word.charCodeAt(0), word.charCodeAt(1));
      this.#lengths[head] = (this.#lengths[head] ?? 0) | bitOf(length);
      let hash = length;
      for (let i = 0; i < length; i++) hash = mix(hash, word.charCodeAt(i));
      let slot = hash & (slots - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
      this.#slots[slot] = index + 1;
    }
  }

  /** How long the words are that begin with these two, each a bit of {@link bitOf}: none of another length does. */
  lengthsOf(first: number, second: number): number {
    return this.#lengths[placeOf(this.#folds[first] ?? 0, this.#folds[second] ?? 0)] ?? 0;
  }

  /** False: none of its words begins, ends and lasts like this, of two units or more. */
  mayHave(units: Uint16Array, start: number, end: number): boolean {
    const folds = this.#folds;
    const head = placeOf(folds[units[start] ?? 0] ?? 0, folds[units[start + 1] ?? 0] ?? 0);
    const tail = placeOf(folds[units[end - 2] ?? 0] ?? 0, folds[units[end - 1] ?? 0] ?? 0);
    return this.#outlines.has(head, tail, end - start);
  }

  /** Of two units or more. */
  find(units: Uint16Array, start: number, end: number): T | undefined {
    if (!this.mayHave(units, start, end)) return undefined;
    const length = end - start;
    const folds = this.#folds;
    const slots = this.#slots;
    let hash = length;
    for (let i = start; i < end; i++) hash = mix(hash, folds[units[i] ?? 0] ?? 0);
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = (slots[slot] ?? 0) - 1;
      if (this.#isAt(index, units, start, end)) return this.#values[index];
    }
    return undefined;
  }

  #isAt(index: number, units: Uint16Array, start: number, end: number): boolean {
    const from = this.#starts[index] ?? 0;
    if ((this.#starts[index + 1] ?? 0) - from !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#letters[from + i - start] !== this.#folds[units[i] ?? 0]) return false;
    return true;
  }
}

/** Of two units, of either case, as one number. */
export function placeOf(first: number, second: number): number {
  return (first & 31) * 32 + (second & 31);
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x0100_0193);
}
