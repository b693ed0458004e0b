/**
 * Things by ascending integer id, for tables where every call adds and removes one. A `Map` that churns like this leaves
 * a chain of outgrown tables behind that keeps what they held alive until a full collection: measured at 10 to 25 us of
 * garbage collection per call. Slots of an array leave nothing.
 */
export class IdTable<T> {
  #ids: number[] = new Array<number>(FIRST_SIZE).fill(0);
  #values: (T | undefined)[] = new Array<T | undefined>(FIRST_SIZE).fill(undefined);
  #mask = FIRST_SIZE - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    const slot = id & this.#mask;
    return this.#ids[slot] === id ? this.#values[slot] : undefined;
  }

  /** The next id after `id` whose slot is free; a long request makes ids skip, not the table grow. */
  nextId(id: number): number {
    if (this.#size * 2 > this.#mask) this.#grow();
    let next = id + 1;
    while (this.#ids[next & this.#mask] !== 0) next++;
    return next;
  }

  /** `id` is above 0 and not in the table. */
  set(id: number, value: T): void {
    while (this.#ids[id & this.#mask] !== 0) this.#grow();
    const slot = id & this.#mask;
    this.#ids[slot] = id;
    this.#values[slot] = value;
    this.#size++;
  }

  delete(id: number): void {
    const slot = id & this.#mask;
    if (this.#ids[slot] !== id) return;
    this.#ids[slot] = 0;
    this.#values[slot] = undefined;
    this.#size--;
  }

  ids(): number[] {
    return this.#ids.filter((id) => id !== 0);
  }

  values(): T[] {
    return this.#values.filter((value) => value !== undefined);
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    let size = ids.length;
    do size *= 2;
    while (collides(ids, size - 1));
    this.#ids = new Array<number>(size).fill(0);
    this.#values = new Array<T | undefined>(size).fill(undefined);
    this.#mask = size - 1;
    ids.forEach((id, slot) => {
      if (id === 0) return;
      this.#ids[id & this.#mask] = id;
      this.#values[id & this.#mask] = values[slot];
    });
  }
}

const FIRST_SIZE = 64;

function collides(ids: readonly number[], mask: number): boolean {
  const slots = new Set<number>();
  for (const id of ids) {
    if (id === 0) continue;
    if (slots.has(id & mask)) return true;
    slots.add(id & mask);
  }
  return false;
}
