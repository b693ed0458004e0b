/** A response that somebody reads, or does not. */
export interface Slow {
  readonly destroyed: boolean;
  readonly writableLength: number;
  destroy(): unknown;
}

/** Less than this waits for the network and not for a reader. Bytes. */
const USUAL = 65_536;
/** Unread by all clients together. Bytes. */
const MAX_ALL = 268_435_456;
/** How long a response that was read or closed is remembered at most. Milliseconds. */
const LOOK_MS = 1_000;

/**
 * What all clients together have not read yet. Beyond the bound, the caller that has left the most unread loses its
 * largest response, until there is room again.
 */
export class Unread {
  readonly #max: number;
  /** Responses with much unread, and whose they are. */
  readonly #slow = new Map<Slow, string>();
  /** Never less than what is unread. */
  #estimate = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(max = MAX_ALL) {
    this.#max = max;
  }

  /** So many bytes were written to a response of this caller. */
  wrote(response: Slow, caller: string, bytes: number): void {
    if (response.writableLength <= USUAL) return;
    const isNew = !this.#slow.has(response);
    if (isNew) this.#slow.set(response, caller);
    this.#estimate += isNew ? response.writableLength : bytes;
    this.#lookLater();
    if (this.#estimate > this.#max && this.#look() > this.#max) this.#free();
  }

  #look(): number {
    let sum = 0;
    for (const response of this.#slow.keys()) {
      if (response.destroyed || response.writableLength <= USUAL) this.#slow.delete(response);
      else sum += response.writableLength;
    }
    this.#estimate = sum;
    if (this.#slow.size > 0) this.#lookLater();
    return sum;
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_MS).unref();
  }

  /** An eighth of it, so that not every further write looks again. */
  #free(): void {
    while (this.#estimate > (this.#max / 8) * 7) {
      const worst = this.#worst();
      if (worst === undefined) return;
      this.#slow.delete(worst);
      this.#estimate -= worst.writableLength;
      worst.destroy();
    }
  }

  #worst(): Slow | undefined {
    const byCaller = new Map<string, number>();
    for (const [response, caller] of this.#slow)
      byCaller.set(caller, (byCaller.get(caller) ?? 0) + response.writableLength);
    const most = Math.max(...byCaller.values());
    let worst: Slow | undefined;
    for (const [response, caller] of this.#slow)
      if (byCaller.get(caller) === most && response.writableLength > (worst?.writableLength ?? 0)) worst = response;
    return worst;
  }
}

/** Of this process. */
export const unread = new Unread();
