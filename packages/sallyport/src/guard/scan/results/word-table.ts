/** Room for every length of a word in the bits of one number: those beyond are one. */
const MAX_BIT = 31;

/** A set of lengths per beginning of two letters: most words of a text are none of those looked for, and this tells it. */
export class WordLengths {
  readonly #lengths = new Int32Array(32 * 32);

  add(first: number, second: number, length: number): void {
    const at = (first & 31) * 32 + (second & 31);
    this.#lengths[at] = (this.#lengths[at] ?? 0) | bitOf(length);
  }

  /** One bit per length, from {@link bitOf}. */
  of(first: number, second: number): number {
    return this.#lengths[(first & 31) * 32 + (second & 31)] ?? 0;
  }
}

export function bitOf(length: number): number {
  return 1 << Math.min(MAX_BIT, length);
}

/**
 * Words of ASCII with what is known of them, found by the units of a text: no string is cut out of the text and made lower
 * case for a word that is none of them. Open addressing, never more than a quarter full.
 */
export class WordTable<T> {
  readonly #lengths = new WordLengths();
  readonly #slots: Int32Array;
  readonly #words: readonly string[];
  readonly #values: readonly T[];
  readonly #folds: Uint8Array;

  /** @param words of two letters or more, as they are once folded @param folds what each unit of ASCII is read as */
  constructor(words: ReadonlyMap<string, T>, folds: Uint8Array) {
    this.#folds = folds;
    this.#words = [...words.keys()];
    this.#values = [...words.values()];
    let slots = 64;
    while (slots < words.size * 4) slots *= 2;
    this.#slots = new Int32Array(slots);
    for (const [index, word] of this.#words.entries()) {
      this.#lengths.add(word.charCodeAt(0), word.charCodeAt(1), word.length);
      let hash = word.length;
      for (let i = 0; i < word.length; i++) hash = mix(hash, word.charCodeAt(i));
      let slot = hash & (slots - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
      this.#slots[slot] = index + 1;
    }
  }

  /** Of a word of two units of ASCII or more. */
  find(units: Uint16Array, start: number, end: number): T | undefined {
    const folds = this.#folds;
    const first = folds[units[start] ?? 0] ?? 0;
    const second = folds[units[start + 1] ?? 0] ?? 0;
    if ((this.#lengths.of(first, second) & bitOf(end - start)) === 0) return undefined;
    let hash = end - start;
    for (let i = start; i < end; i++) hash = mix(hash, folds[units[i] ?? 0] ?? 0);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      const word = this.#words[index] ?? '';
      if (word.length === end - start && this.#isAt(word, units, start)) return this.#values[index];
    }
    return undefined;
  }

  #isAt(word: string, units: Uint16Array, start: number): boolean {
    for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== this.#folds[units[start + i] ?? 0]) return false;
    return true;
  }
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x0100_0193);
}
