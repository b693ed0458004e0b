/** A text made from another one, with the way back: findings point at what the stranger wrote. */
export interface MappedText {
  readonly text: string;
  /** Per UTF-16 unit of `text`, and once more for its end: where it began in the original. `undefined`: as in the original. */
  readonly starts: Int32Array | undefined;
  /** Per unit: 1 where a letter was not written as what it is read as. `undefined`: nowhere. */
  readonly disguised: Uint8Array | undefined;
}

export interface TextBuilder {
  /** Appends what stands for the original from `start` on. */
  add(text: string, start: number, isDisguised?: boolean): void;
  /** Appends a part of the original as it stands there, from `start` on. */
  copy(text: string, start: number): void;
  finish(end: number): MappedText;
}

/** Room for every unit of the original; grows when one unit becomes several. */
export function createTextBuilder(size: number): TextBuilder {
  let starts = new Int32Array(size + 1);
  let disguised = new Uint8Array(size);
  let isAnyDisguised = false;
  let length = 0;
  const parts: string[] = [];
  const grow = () => {
    const [oldStarts, oldDisguised] = [starts, disguised];
    starts = new Int32Array(oldStarts.length * 2 + 16);
    starts.set(oldStarts);
    disguised = new Uint8Array(starts.length);
    disguised.set(oldDisguised);
  };
  return {
    add(text, start, isDisguised = false) {
      while (length + text.length >= starts.length - 1) grow();
      for (let i = 0; i < text.length; i++) {
        starts[length] = start;
        if (isDisguised) disguised[length] = 1;
        length += 1;
      }
      if (isDisguised) isAnyDisguised = true;
      parts.push(text);
    },
    copy(text, start) {
      while (length + text.length >= starts.length - 1) grow();
      for (let i = 0; i < text.length; i++) starts[length + i] = start + i;
      length += text.length;
      parts.push(text);
    },
    finish(end) {
      starts[length] = end;
      return {
        text: parts.join(''),
        starts: starts.subarray(0, length + 1),
        disguised: isAnyDisguised ? disguised.subarray(0, length) : undefined,
      };
    },
  };
}

/** Where a part of the mapped text stands in the original. */
export function toOriginal(mapped: MappedText, start: number, end: number): readonly [number, number] {
  const { starts } = mapped;
  if (starts === undefined) return [start, end];
  const from = starts[start] ?? 0;
  return [from, Math.max(from, starts[end] ?? from)];
}

/** The way back of a text made from one that was itself made from the original. */
export function compose(outer: MappedText, inner: MappedText): MappedText {
  const { starts, disguised } = outer;
  if (inner.starts === undefined && inner.disguised === undefined) return outer;
  if (starts === undefined) return { ...inner, text: outer.text };
  const way = starts.map((at) => inner.starts?.[at] ?? at);
  const hidden = new Uint8Array(outer.text.length);
  for (let i = 0; i < hidden.length; i++) hidden[i] = disguised?.[i] || inner.disguised?.[starts[i] ?? 0] || 0;
  return { text: outer.text, starts: way, disguised: hidden };
}

/** How many letters of this part were disguised. */
export function countDisguised({ disguised }: MappedText, start: number, end: number): number {
  if (disguised === undefined) return 0;
  let count = 0;
  for (let i = start; i < end; i++) count += disguised[i] ?? 0;
  return count;
}
