import { CONCEPTS, type Concept } from './concepts.ts';

/** What a sentence may hold: what it says, and whose tools or parameters it names. */
export type Part = Concept | 'foreignTool' | 'ownTool' | 'unknownTool' | 'ownParameter' | 'offPurpose';

/** Set of parts. Two words of 32 bits: there are more reasons than one holds. */
export interface Mask {
  readonly low: number;
  readonly high: number;
}

const NAMED = ['foreignTool', 'ownTool', 'unknownTool', 'ownParameter', 'offPurpose'] as const;
const INDEX: ReadonlyMap<Part, number> = new Map(
  [...NAMED, ...(Object.keys(CONCEPTS) as Concept[])].map((part, index) => [part, index]),
);
/** A part beyond the last bit would be found and never count. */
if (INDEX.size > 64) throw new Error('more concepts than bits');

/** A part of these. */
export function maskOf(parts: readonly Part[]): Mask {
  let low = 0;
  let high = 0;
  for (const part of parts) {
    const index = INDEX.get(part) ?? 0;
    if (index < 32) low |= 1 << index;
    else high |= 1 << (index - 32);
  }
  return { low, high };
}

/** What each sentence holds. */
export class SentenceBits {
  readonly length: number;
  readonly #words: Int32Array;

  constructor(length: number, words = new Int32Array(2 * length)) {
    this.length = length;
    this.#words = words;
  }

  copy(): SentenceBits {
    return new SentenceBits(this.length, this.#words.slice());
  }

  add(sentence: number, { low, high }: Mask): void {
    this.#words[2 * sentence] = (this.#words[2 * sentence] ?? 0) | low;
    this.#words[2 * sentence + 1] = (this.#words[2 * sentence + 1] ?? 0) | high;
  }

  /** All that stands in that sentence, and in so many after it. */
  at(sentence: number, reach = 0): Mask {
    let low = 0;
    let high = 0;
    const end = Math.min(sentence + reach + 1, this.length);
    for (let i = sentence; i < end; i++) {
      low |= this.#words[2 * i] ?? 0;
      high |= this.#words[2 * i + 1] ?? 0;
    }
    return { low, high };
  }
}

/** Whether they have a part in common. */
export function meets(one: Mask, other: Mask): boolean {
  return (one.low & other.low) !== 0 || (one.high & other.high) !== 0;
}

export function isEmpty({ low, high }: Mask): boolean {
  return low === 0 && high === 0;
}
