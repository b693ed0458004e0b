import { CLEAN, joinMarks, type Marks, privacyOf } from '../guard/taint/labels.ts';
import type { Prints } from '../guard/taint/taint-ports.ts';

const KNOWN = 0x8000_0000;
const FIRST_SLOTS = 1_024;

export interface Entry {
  readonly marks: Marks;
  /** From 1; 0: none. Below 2^23. */
  readonly source: number;
}

/**
 * Fingerprints with what they bear, in one open-addressed table: a run keeps hundreds of thousands, and as objects of a Map
 * they would take ten times the memory and the time. Nothing is ever taken out of it; it is dropped as a whole.
 */
export class PrintTable {
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS);
  /** Bit 31: taken; bits 8 to 30 the source, bits 0 to 7 the marks. */
  #facts = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False where not all found room. */
  putAll({ high, low, size }: Prints, entry: Entry, limit: number): boolean {
    const fresh = (KNOWN | (entry.source << 8) | entry.marks) >>> 0;
    let isWhole = true;
    this.#reserve(Math.min(this.#size + size, limit));
    for (let i = 0; i < size; i++) {
      const a = high[i] ?? 0;
      const b = low[i] ?? 0;
      const at = this.#slot(a, b);
      const before = this.#facts[at] ?? 0;
      if (before !== 0) {
        this.#facts[at] = merge(before, fresh);
        continue;
      }
      if (this.#size >= limit) {
        isWhole = false;
        continue;
      }
      this.#high[at] = a;
      this.#low[at] = b;
      this.#facts[at] = fresh;
      this.#size++;
    }
    return isWhole;
  }

  /** The facts of each print; 0: not known. */
  findAll({ high, low, size }: Prints): Uint32Array {
    const found = new Uint32Array(size);
    for (let i = 0; i < size; i++) found[i] = this.#facts[this.#slot(high[i] ?? 0, low[i] ?? 0)] ?? 0;
    return found;
  }

  /** Where the print stands, or would stand. The table is never more than half full, so this ends. */
  #slot(a: number, b: number): number {
    const mask = this.#facts.length - 1;
    let at = (a ^ Math.imul(b, 0x9e37_79b1)) & mask;
    while (this.#facts[at] !== 0 && (this.#high[at] !== a || this.#low[at] !== b)) at = (at + 1) & mask;
    return at;
  }

  /** The table is never more than half full. */
  #reserve(entries: number): void {
    let slots = this.#facts.length;
    while (slots < entries * 2) slots *= 2;
    if (slots > this.#facts.length) this.#grow(slots);
  }

  #grow(slots: number): void {
    const high = this.#high;
    const low = this.#low;
    const facts = this.#facts;
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#facts = new Uint32Array(slots);
    for (let i = 0; i < facts.length; i++) {
      const known = facts[i] ?? 0;
      if (known === 0) continue;
      const at = this.#slot(high[i] ?? 0, low[i] ?? 0);
      this.#high[at] = high[i] ?? 0;
      this.#low[at] = low[i] ?? 0;
      this.#facts[at] = known;
    }
  }
}

/**
 * What the user gave before any result did stays the user's. Else the marks add up, and the source is the one whose data
 * is the more private, since that is the one a stop has to be explained with.
 */
function merge(before: number, fresh: number): number {
  const old = before & 0xff;
  if ((old & CLEAN) !== 0) return before;
  const marks = joinMarks(old, fresh & 0xff);
  const teller = privacyOf(fresh & 0xff) > privacyOf(old) || before >>> 8 === KNOWN >>> 8 ? fresh : before;
  return ((teller & ~0xff) | marks) >>> 0;
}
