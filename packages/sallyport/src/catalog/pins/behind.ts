/** Definitions read in one go: some milliseconds, so that no call waits for long. */
const AT_ONCE = 4;

/** Work that is done soon, in small parts, and once more when it was asked for meanwhile. */
export class Behind<T> {
  readonly #begin: () => Iterator<T | undefined>;
  readonly #note: (one: T) => void;
  readonly #later: ((work: () => void) => void) | undefined;
  #running: Iterator<T | undefined> | undefined;
  #isWanted = false;
  #isWaiting = false;

  constructor(
    begin: () => Iterator<T | undefined>,
    note: (one: T) => void,
    later: ((work: () => void) => void) | undefined,
  ) {
    this.#begin = begin;
    this.#note = note;
    this.#later = later;
  }

  wake(): void {
    if (this.#later === undefined) return;
    this.#isWanted = true;
    this.#plan();
  }

  #plan(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#later?.(() => {
      this.#isWaiting = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#running === undefined && !this.#isWanted) return;
    if (this.#running === undefined) {
      this.#isWanted = false;
      this.#running = this.#begin();
    }
    for (let i = 0; i < AT_ONCE; i++) {
      const next = this.#running.next();
      if (next.done === true) {
        this.#running = undefined;
        break;
      }
      if (next.value !== undefined) this.#note(next.value);
    }
    if (this.#running !== undefined || this.#isWanted) this.#plan();
  }
}
