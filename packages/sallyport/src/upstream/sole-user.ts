/** Who used something, as far as it matters whether it was more than one. */
export class SoleUser {
  #first: string | undefined;
  #many = false;

  add(user: string): void {
    if (this.#first === undefined) this.#first = user;
    else if (this.#first !== user) this.#many = true;
  }

  get areMany(): boolean {
    return this.#many;
  }

  /** The one user; `undefined` for none and for several. */
  get one(): string | undefined {
    return this.#many ? undefined : this.#first;
  }
}
