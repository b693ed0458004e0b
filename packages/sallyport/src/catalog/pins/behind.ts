/** At a stretch, so that no call waits for long. Milliseconds. */
const STRETCH_MS = 8;

export interface BehindPorts<T> {
  begin(): Iterator<T | undefined>;
  note(one: T): void;
  /** Left out: it is never done. */
  later?: ((work: () => void) => void) | undefined;
}

/** Times it is put off; after that others have been at it for a minute, and may never end. */
const MOST_PUT_OFF = 1200;

/** Work that is done soon, in small parts, and once more when it was asked for meanwhile. */
export class Behind<T> {
  readonly #ports: BehindPorts<T>;
  #running: Iterator<T | undefined> | undefined;
  #isWanted = false;
  #isWaiting = false;
  /** Works under way that this one waits for. */
  #others = 0;
  #putOff = 0;

  constructor(ports: BehindPorts<T>) {
    this.#ports = ports;
  }

  /** Steps of another work that this one waits for. */
  *before(steps: Generator<undefined, void>): Generator<undefined, void> {
    this.#others += 1;
    try {
      yield* steps;
    } finally {
      this.#others -= 1;
    }
  }

  wake(): void {
    if (this.#ports.later === undefined) return;
    this.#isWanted = true;
    this.#plan();
  }

  #plan(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#ports.later?.(() => {
      this.#isWaiting = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#running === undefined && !this.#isWanted) return;
    if (this.#others > 0 && this.#putOff < MOST_PUT_OFF) {
      this.#putOff += 1;
      this.#plan();
      return;
    }
    if (this.#running === undefined) {
      this.#isWanted = false;
      this.#running = this.#ports.begin();
    }
    for (const until = performance.now() + STRETCH_MS; performance.now() < until; ) {
      const next = this.#running.next();
      if (next.done === true) {
        this.#running = undefined;
        this.#putOff = 0;
        break;
      }
      if (next.value !== undefined) this.#ports.note(next.value);
    }
    if (this.#running !== undefined || this.#isWanted) this.#plan();
  }
}
