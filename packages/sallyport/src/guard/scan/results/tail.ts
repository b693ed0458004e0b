import type { Finding } from '../../../core/finding.ts';
import { findAcross, WINDOW } from './find-across.ts';
import { mayTextHoldDemand } from './may-hold.ts';

/** Messages of which the last characters are kept. */
const MAX_PIECES = 128;
/** Words are shorter. Characters. */
const BORDER = 32;
/** As many of the same are read as a demand has steps. */
const READ_TOGETHER = 8;
/** Members that are remembered, and characters of each. */
const MAX_MEMBERS = 4;
const MAX_CLEAN = 2_048;
const NONE: readonly Finding[] = Object.freeze([]);

/**
 * The last of what a server said in a stream of messages (progress, logs), so that a demand cut into pieces is read whole.
 * Pieces in which nothing can begin or end cost one look.
 */
export class Tail {
  #pieces: string[] = [];
  #size = 0;
  /** So many characters from now a word that may belong to a demand is still in the window. */
  #hot = 0;
  #shape = '';
  #last: string | undefined;
  #repeats = 0;
  /** The last value of members beside the one that is shown, where nothing was found in it. */
  readonly #clean = new Map<string, string>();
  /** What may be the beginning of a word, or of a block of base64. */
  #end = '';

  /**
   * Does it say what those before it said, with other numbers, when that was nothing? Most of thousands do. Not the first
   * of them: what ends one and begins the next may be a demand that neither holds.
   */
  isRepeat(piece: string): boolean {
    const isSame = piece === this.#last || this.#isLike(piece);
    this.#repeats = isSame ? this.#repeats + 1 : 0;
    return this.#repeats >= READ_TOGETHER;
  }

  #isLike(piece: string): boolean {
    const { text, numbers } = toShape(piece);
    const isLike = text === this.#shape && numbers < MIN_CODES;
    this.#shape = text;
    this.#last = piece.length > MAX_CLEAN ? undefined : piece;
    return isLike;
  }

  /** Did this member hold just this the last time, and was there nothing in it? */
  hasRead(member: string, value: string): boolean {
    return this.#clean.get(member) === value;
  }

  noteClean(member: string, value: string): void {
    if (value.length > MAX_CLEAN || (this.#clean.size >= MAX_MEMBERS && !this.#clean.has(member))) return;
    // A slice would keep the whole message alive.
    this.#clean.set(member, Buffer.from(value).toString());
  }

  /** What stands in this message together with those before it. */
  next(piece: string): readonly Finding[] {
    if (piece === '') return NONE;
    const border = `${this.#end}${piece.slice(0, BORDER)}`;
    if (mayTextHoldDemand(piece.slice(0, 2 * WINDOW)) || mayTextHoldDemand(border) || piece.length > 2 * WINDOW)
      this.#hot = 2 * WINDOW;
    const found =
      this.#hot > 0 && this.#pieces.length > 0
        ? findAcross([...this.#pieces, piece])
            .filter(({ last }) => last === this.#pieces.length)
            .map(({ finding }) => finding)
        : NONE;
    // What was told of hides nothing that comes after it.
    if (found.length === 0) this.#keep(piece);
    else {
      this.forget();
    }
    return found;
  }

  /** Something was found: what repeats it is read again. */
  forget(): void {
    this.#pieces = [];
    this.#size = 0;
    this.#shape = '';
    this.#last = undefined;
    this.#repeats = 0;
  }

  #keep(piece: string): void {
    // A slice would keep the whole text alive.
    const kept = piece.length > WINDOW ? Buffer.from(piece.slice(-WINDOW)).toString() : piece;
    this.#hot = Math.max(0, this.#hot - piece.length - 1);
    this.#end = Buffer.from(`${this.#end}${kept}`.slice(-BORDER)).toString();
    this.#pieces.push(kept);
    this.#size += kept.length;
    while (this.#size > WINDOW || this.#pieces.length > MAX_PIECES) this.#size -= this.#pieces.shift()?.length ?? 0;
  }
}

/** Codes of characters in a row are a text. */
const MIN_CODES = 6;
const NUMBER = /(?<![\w.])\d{1,15}(?!\w)/g;

function toShape(piece: string): { readonly text: string; readonly numbers: number } {
  let numbers = 0;
  const text = piece.slice(0, WINDOW * 2).replace(NUMBER, () => {
    numbers++;
    return '0';
  });
  // Longer ones may differ further on.
  return { text, numbers: piece.length > WINDOW * 2 ? MIN_CODES : numbers };
}
