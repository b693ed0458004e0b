import type { Sighting } from './pin.ts';

/** Written down together: more would hold the event loop. */
const KEPT_AT_ONCE = 50;

/** What one look at an offer met. */
export class MetSightings {
  readonly all: Sighting[] = [];
  readonly #keep: (some: readonly Sighting[]) => void;
  #kept = 0;

  constructor(keep: (some: readonly Sighting[]) => void) {
    this.#keep = keep;
  }

  add(sighting: Sighting | undefined): void {
    if (sighting !== undefined) this.all.push(sighting);
    if (this.all.length - this.#kept >= KEPT_AT_ONCE) this.keep();
  }

  /** Has what is new written down. */
  keep(): void {
    if (this.all.length > this.#kept) this.#keep(this.all.slice(this.#kept));
    this.#kept = this.all.length;
  }
}
