/** The last lines of something endless: bounded in lines, in characters per line and in all. */
export class LineRing {
  readonly #maxLines: number;
  readonly #maxLineLength: number;
  readonly #maxTotal: number;
  readonly #lines: string[] = [];
  #total = 0;

  constructor(limits: { readonly lines: number; readonly lineLength: number; readonly total: number }) {
    this.#maxLines = limits.lines;
    this.#maxLineLength = limits.lineLength;
    this.#maxTotal = limits.total;
  }

  push(line: string): void {
    const kept = line.length > this.#maxLineLength ? `${line.slice(0, this.#maxLineLength - 1)}…` : line;
    this.#lines.push(kept);
    this.#total += kept.length;
    while (this.#lines.length > this.#maxLines || this.#total > this.#maxTotal) {
      this.#total -= this.#lines.shift()?.length ?? 0;
    }
  }

  /** The oldest first. */
  last(count: number = this.#maxLines): string[] {
    return this.#lines.slice(Math.max(0, this.#lines.length - count));
  }
}
