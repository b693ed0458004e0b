import { CONCEPTS, type Concept } from './concepts.ts';
import { HINTS } from './hint-words.ts';
import type { Hint } from './lexicon.ts';

/** What a sentence may hold: what it says, and whose tools or parameters it names. */
export type Part = Concept | (typeof NAMED)[number];

/** Set of parts. Three words of 32 bits: there are more reasons than one or two hold. */
export interface Mask {
  readonly low: number;
  readonly high: number;
  readonly top: number;
}

const WORDS = 3;

/** What is known of a sentence without a concept. */
export const NAMED = [
  ...(['foreignTool', 'ownTool', 'unknownTool', 'ownParameter', 'offPurpose'] as const),
  /** What is no business of its own, once and of two kinds; an address; a parameter written as one; its own name. */
  ...(['strangeMatter', 'strangeMatters', 'anyAddress', 'quotedParameter', 'ownName'] as const),
  ...(Object.keys(HINTS) as Hint[]),
] as const;
const INDEX: ReadonlyMap<Part, number> = new Map(
  [...NAMED, ...(Object.keys(CONCEPTS) as Concept[])].map((part, index) => [part, index]),
);
/** A part beyond the last bit would be found and never count. */
if (INDEX.size > WORDS * 32) throw new Error('more concepts than bits');

/** A part of these. */
export function maskOf(parts: readonly Part[]): Mask {
  const words = [0, 0, 0];
  for (const part of parts) {
    const index = INDEX.get(part);
    if (index === undefined) throw new Error(`there is no concept ${part}`);
    words[index >> 5] = (words[index >> 5] ?? 0) | (1 << (index & 31));
  }
  const [low = 0, high = 0, top = 0] = words;
  return { low, high, top };
}

/** What each sentence holds. */
export class SentenceBits {
  readonly length: number;
  readonly #words: Int32Array;

  constructor(length: number, words = new Int32Array(WORDS * length)) {
    this.length = length;
    this.#words = words;
  }

  copy(): SentenceBits {
    return new SentenceBits(this.length, this.#words.slice());
  }

  add(sentence: number, { low, high, top }: Mask): void {
    const at = WORDS * sentence;
    this.#words[at] = (this.#words[at] ?? 0) | low;
    this.#words[at + 1] = (this.#words[at + 1] ?? 0) | high;
    this.#words[at + 2] = (this.#words[at + 2] ?? 0) | top;
  }

  /** All that stands in that sentence, and in so many after it. */
  at(sentence: number, reach = 0): Mask {
    let low = 0;
    let high = 0;
    let top = 0;
    const end = WORDS * Math.min(sentence + reach + 1, this.length);
    for (let at = WORDS * sentence; at < end; at += WORDS) {
      low |= this.#words[at] ?? 0;
      high |= this.#words[at + 1] ?? 0;
      top |= this.#words[at + 2] ?? 0;
    }
    return { low, high, top };
  }
}

/** Whether they have a part in common. */
export function meets(one: Mask, other: Mask): boolean {
  return (one.low & other.low) !== 0 || (one.high & other.high) !== 0 || (one.top & other.top) !== 0;
}

export function isEmpty({ low, high, top }: Mask): boolean {
  return low === 0 && high === 0 && top === 0;
}
