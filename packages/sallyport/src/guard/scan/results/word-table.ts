/** Lengths from here on share one bit. */
const MAX_BIT = 31;

/** The bit of a length, see {@link WordTable.lengthsOf}. */
export function bitOf(length: number): number {
  return 1 << Math.min(MAX_BIT, length);
}

/**
 * Words with what is known of them, found by the units of a text: no string is cut out of it and made lower case for a word
 * that is none of them, as most are. Open addressing, never more than a quarter full.
 */
export class WordTable<T> {
  /** Most words of a text are told from these by how they begin and how long they are. */
  readonly #lengths = new Int32Array(32 * 32);
  readonly #slots: Int32Array;
  readonly #words: readonly string[];
  readonly #values: readonly T[];
  readonly #folds: Uint16Array;

  /** @param words as they are once folded, of two letters or more @param folds what each unit is read as */
  constructor(words: readonly (readonly [string, T])[], folds: Uint16Array) {
    this.#folds = folds;
    this.#words = words.map(([word]) => word);
    this.#values = words.map(([, value]) => value);
    let slots = 64;
    while (slots < words.length * 4) slots *= 2;
    this.#slots = new Int32Array(slots);
    for (const [index, word] of this.#words.entries()) {
      const at = placeOf(word.charCodeAt(0), word.charCodeAt(1));
      this.#lengths[at] = (this.#lengths[at] ?? 0) | bitOf(word.length);
      let hash = word.length;
      for (let i = 0; i < word.length; i++) hash = mix(hash, word.charCodeAt(i));
      let slot = hash & (slots - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
      this.#slots[slot] = index + 1;
    }
  }

  /** How long the words are that begin with these two, each a bit of {@link bitOf}: none of another length does. */
  lengthsOf(first: number, second: number): number {
    return this.#lengths[placeOf(this.#folds[first] ?? 0, this.#folds[second] ?? 0)] ?? 0;
  }

  /** Of two units or more. */
  find(units: Uint16Array, start: number, end: number): T | undefined {
    const length = end - start;
    if ((this.lengthsOf(units[start] ?? 0, units[start + 1] ?? 0) & bitOf(length)) === 0) return undefined;
    const folds = this.#folds;
    const slots = this.#slots;
    let hash = length;
    for (let i = start; i < end; i++) hash = mix(hash, folds[units[i] ?? 0] ?? 0);
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = (slots[slot] ?? 0) - 1;
      const word = this.#words[index] ?? '';
      if (word.length === length && this.#isAt(word, units, start)) return this.#values[index];
    }
    return undefined;
  }

  #isAt(word: string, units: Uint16Array, start: number): boolean {
    for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== this.#folds[units[start + i] ?? 0]) return false;
    return true;
  }
}

function placeOf(first: number, second: number): number {
  return (first & 31) * 32 + (second & 31);
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x0100_0193);
}
