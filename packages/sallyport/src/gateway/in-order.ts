/** Hands things on in the order they came, although some have to be judged for a while. What is judged at once goes at once. */
export class InOrder<T> {
  #last: Promise<void> | undefined;

  /** Everything that came so far; `undefined`: nothing is under way. Never rejects. */
  get settled(): Promise<void> | undefined {
    return this.#last;
  }

  /** @param judged never rejects; `undefined`: it goes nowhere */
  push(judged: T | undefined | Promise<T | undefined>, deliver: (one: T) => void): void {
    if (this.#last === undefined && !(judged instanceof Promise)) {
      if (judged !== undefined) deliver(judged);
      return;
    }
    const before = this.#last ?? Promise.resolve();
    const mine = Promise.all([judged, before]).then(([one]) => {
      if (this.#last === mine) this.#last = undefined;
      if (one !== undefined) deliver(one);
    });
    this.#last = mine;
  }
}
