const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts a byte stream into lines (MCP stdio transport: messages are delimited by newlines). A line that is complete in
 * one chunk is a view of that chunk; one that spans chunks is copied once or twice, however small the chunks are.
 */
export class LineSplitter {
  readonly #maxLine: number;
  readonly #onLine: (line: Buffer) => void;
  #held: Buffer | undefined;
  #length = 0;
  #stopped = false;

  /** `onLine` gets each line without its line ending; a line may be empty. */
  constructor(maxLine: number, onLine: (line: Buffer) => void) {
    this.#maxLine = maxLine;
    this.#onLine = onLine;
  }

  /** What stands after the last newline. */
  get unfinished(): Buffer {
    return this.#held?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  /** No line is cut any more, not even the rest of a chunk in work. */
  stop(): void {
    this.#stopped = true;
    this.#held = undefined;
    this.#length = 0;
  }

  /** False when a line is longer than allowed: the stream cannot be understood any further. */
  push(chunk: Buffer): boolean {
    let start = 0;
    while (!this.#stopped) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) return start === chunk.length || this.#hold(start === 0 ? chunk : chunk.subarray(start));
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (this.#length + piece.length > this.#maxLine) return false;
      this.#emit(this.#held === undefined ? piece : this.#join(piece));
    }
    return true;
  }

  #emit(line: Buffer): void {
    this.#onLine(line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
  }

  /** The first piece is kept as it is; from the second on the pieces go into a buffer that doubles. */
  #hold(piece: Buffer): boolean {
    if (this.#length + piece.length > this.#maxLine) return false;
    if (this.#held === undefined) {
      this.#held = piece;
      this.#length = piece.length;
      return true;
    }
    this.#append(piece, 2 * (this.#length + piece.length));
    return true;
  }

  #join(piece: Buffer): Buffer {
    const held = this.#append(piece, this.#length + piece.length);
    const line = held.subarray(0, this.#length);
    this.#held = undefined;
    this.#length = 0;
    return line;
  }

  #append(piece: Buffer, capacity: number): Buffer {
    let held = this.#held ?? Buffer.alloc(0);
    if (held.length < this.#length + piece.length) {
      const grown = Buffer.allocUnsafe(capacity);
      held.copy(grown, 0, 0, this.#length);
      held = grown;
      this.#held = grown;
    }
    piece.copy(held, this.#length);
    this.#length += piece.length;
    return held;
  }
}
