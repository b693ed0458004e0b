/** What was worked out for two objects together, as long as both live. */
export class PairCache<A extends object, B extends object, Value> {
  readonly #values = new WeakMap<A, WeakMap<B, Value>>();

  get(first: A, second: B): Value | undefined {
    return this.#values.get(first)?.get(second);
  }

  set(first: A, second: B, value: Value): void {
    const known = this.#values.get(first);
    if (known === undefined) this.#values.set(first, new WeakMap([[second, value]]));
    else known.set(second, value);
  }
}
