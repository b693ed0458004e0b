import type { Prints } from './taint-ports.ts';

const FIRST = 64;

/** Prints as they are made; grows by doubling. */
export class PrintList implements Prints {
  high: Uint32Array;
  low: Uint32Array;
  size = 0;

  constructor(room = FIRST) {
    this.high = new Uint32Array(room);
    this.low = new Uint32Array(room);
  }

  add(high: number, low: number): void {
    if (this.size === this.high.length) {
      const grow = (before: Uint32Array) => {
        const after = new Uint32Array(before.length * 2);
        after.set(before);
        return after;
      };
      this.high = grow(this.high);
      this.low = grow(this.low);
    }
    this.high[this.size] = high;
    this.low[this.size] = low;
    this.size++;
  }
}
