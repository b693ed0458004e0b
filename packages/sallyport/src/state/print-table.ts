import { CLEAN, joinMarks, type Marks, privacyOf } from '../guard/taint/labels.ts';
import type { Prints } from '../guard/taint/taint-ports.ts';

const KNOWN = 0x8000_0000;
/** Small, since most runs read little and there are many of them. */
const FIRST_SLOTS = 64;
/** Words of a slot: both of the print, and the facts. Side by side, a look-up touches one line of the cache. */
const STRIDE = 3;

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
  /** The facts: bit 31: taken; bits 8 to 30 the source, bits 0 to 7 the marks. */
  #words = new Uint32Array(FIRST_SLOTS * STRIDE);
  #mask = FIRST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False where not all found room. */
  putAll({ high, low, size }: Prints, entry: Entry, limit: number): boolean {
    const fresh = (KNOWN | (entry.source << 8) | entry.marks) >>> 0;
    let isWhole = true;
    this.#reserve(Math.min(this.#size + size, limit));
    const words = this.#words;
    for (let i = 0; i < size; i++) {
      const a = high[i] ?? 0;
      const b = low[i] ?? 0;
      const at = this.#slot(a, b);
      const before = words[at + 2] ?? 0;
      if (before !== 0) {
        words[at + 2] = merge(before, fresh);
        continue;
      }
      if (this.#size >= limit) {
        isWhole = false;
        continue;
      }
      words[at] = a;
      words[at + 1] = b;
      words[at + 2] = fresh;
      this.#size++;
    }
    return isWhole;
  }

  /** The facts of each print; 0: not known. */
  findAll({ high, low, size }: Prints): Uint32Array {
    const found = new Uint32Array(size);
    const words = this.#words;
    for (let i = 0; i < size; i++) found[i] = words[this.#slot(high[i] ?? 0, low[i] ?? 0) + 2] ?? 0;
    return found;
  }

  /** Where the print stands, or would stand. The table is never more than half full, so this ends. */
  #slot(a: number, b: number): number {
    const words = this.#words;
    const mask = this.#mask;
    let slot = (a ^ Math.imul(b, 0x9e37_79b1)) & mask;
    let at = slot * STRIDE;
    while (words[at + 2] !== 0 && (words[at] !== a || words[at + 1] !== b)) {
      slot = (slot + 1) & mask;
      at = slot * STRIDE;
    }
    return at;
  }

  /** The table is never more than half full. */
  #reserve(entries: number): void {
    let slots = this.#mask + 1;
    while (slots < entries * 2) slots *= 2;
    if (slots > this.#mask + 1) this.#grow(slots);
  }

  #grow(slots: number): void {
    const before = this.#words;
    const words = new Uint32Array(slots * STRIDE);
    this.#words = words;
    this.#mask = slots - 1;
    for (let i = 0; i < before.length; i += STRIDE) {
      const known = before[i + 2] ?? 0;
      if (known === 0) continue;
      const a = before[i] ?? 0;
      const b = before[i + 1] ?? 0;
      const at = this.#slot(a, b);
      words[at] = a;
      words[at + 1] = b;
      words[at + 2] = known;
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
