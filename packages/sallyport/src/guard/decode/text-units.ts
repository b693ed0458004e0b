/** Whether this machine keeps the bytes of a unit the other way round than UTF-16LE does. */
export const IS_SWAPPED = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

/**
 * The UTF-16 units of a text, for what passes over all of it: each look into a string asks anew how the string is kept,
 * which costs more than the copy from the second look on.
 */
export function toUnits(text: string): Uint16Array {
  return write(text, Buffer.allocUnsafe(text.length * 2));
}

/** Units of longer texts get memory of their own. */
const MAX_KEPT = 262_144;

/**
 * As {@link toUnits}, in memory that its next call uses again: in fresh memory the copy of 64 KB takes ten times as long, and
 * so does what reads it first.
 */
export function keepUnits(): (text: string) => Uint16Array {
  let kept = Buffer.alloc(0);
  return (text) => {
    if (text.length > MAX_KEPT) return toUnits(text);
    if (kept.length < text.length * 2) kept = Buffer.allocUnsafeSlow(Math.min(2 * MAX_KEPT, text.length * 4));
    return write(text, kept);
  };
}

function write(text: string, bytes: Buffer): Uint16Array {
  bytes.write(text, 'utf16le');
  if (IS_SWAPPED) bytes.subarray(0, text.length * 2).swap16();
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

/** The way back. */
export function fromUnits(units: Uint16Array): string {
  const bytes = Buffer.from(units.buffer, units.byteOffset, units.byteLength);
  return (IS_SWAPPED ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

/** First and last unit of each range. */
export type Ranges = readonly (readonly [number, number])[];

/** What each UTF-16 unit is, as one look into a table. @param ascii says it of a character */
export function classesOf(
  ascii: (character: string) => number,
  others: readonly (readonly [number, Ranges])[],
): Uint8Array {
  const classes = new Uint8Array(65_536);
  for (let code = 0; code < 128; code++) classes[code] = ascii(String.fromCharCode(code));
  for (const [kind, ranges] of others) for (const [first, last] of ranges) classes.fill(kind, first, last + 1);
  return classes;
}
