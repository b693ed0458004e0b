import type { Prints } from './taint-ports.ts';

const FIRST = 64;
/** Lists that wait for their next use: more are out at once only where a shared store is waited for. */
const MAX_SPARE = 8;
const LARGEST_SPARE = 65_536;
const spare: PrintList[] = [];

/** An empty list for the time of one call, instead of new arrays for each. Who borrows it gives it back, or lets go of it. */
export function borrowList(): PrintList {
  const list = spare.pop();
  if (list === undefined) return new PrintList();
  list.size = 0;
  return list;
}

/** The prints that are in it are nobody's from here on. */
export function giveBack(list: PrintList): void {
  if (spare.length < MAX_SPARE && list.high.length <= LARGEST_SPARE) spare.push(list);
}

/** Prints as they are made; grows by doubling. */
export class PrintList implements Prints {
  high: Uint32Array;
  low: Uint32Array;
  size = 0;

  constructor(room = FIRST) {
    this.high = new Uint32Array(room);
    this.low = new Uint32Array(room);
  }

  reserve(room: number): void {
    if (room <= this.high.length) return;
    const { high, low } = this;
    this.high = new Uint32Array(room);
    this.low = new Uint32Array(room);
    this.high.set(high);
    this.low.set(low);
  }

  add(high: number, low: number): void {
    if (this.size === this.high.length) this.reserve(this.size * 2);
    this.high[this.size] = high;
    this.low[this.size] = low;
    this.size++;
  }

  swap(one: number, other: number): void {
    const { high, low } = this;
    const [a, b] = [high[one] ?? 0, low[one] ?? 0];
    high[one] = high[other] ?? 0;
    low[one] = low[other] ?? 0;
    high[other] = a;
    low[other] = b;
  }
}
