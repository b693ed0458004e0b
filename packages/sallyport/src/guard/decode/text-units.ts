/** Whether this machine keeps the bytes of a unit the other way round than UTF-16LE does. */
export const IS_SWAPPED = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

/**
 * The UTF-16 units of a text, for what passes over all of it: each look into a string asks anew how the string is kept,
 * which costs more than the copy from the second look on.
 */
export function toUnits(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  if (IS_SWAPPED) bytes.swap16();
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
