import type { Span } from './json-scan.ts';

/** From here on a copy costs more than the trips and writes it saves. Bytes. */
export const LARGE = 16_384;

/**
 * The bytes of a message, and the same as a binary string: one character per byte. Nearly all messages are short and ASCII;
 * their string is made once, to be parsed, cut and searched: each trip into a buffer costs as much as all of that. Of a large
 * one it is not kept.
 */
export class Source {
  readonly bytes: Buffer;
  #text: string | undefined;

  /** @param text the bytes as a binary string, where that is known */
  constructor(bytes: Buffer, text?: string) {
    this.bytes = bytes;
    this.#text = text;
  }

  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const text = this.bytes.toString('latin1');
    if (text.length < LARGE) this.#text = text;
    return text;
  }

  cut({ start, end }: Span): string {
    return this.#text?.slice(start, end) ?? this.bytes.toString('latin1', start, end);
  }

  /** @param word ASCII */
  includes(word: string): boolean {
    return this.#text?.includes(word) ?? this.bytes.includes(word);
  }
}
