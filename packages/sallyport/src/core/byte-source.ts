/** Bytes that are read a part at a time: of a message in memory, of a file, of rows. */
export interface ByteSource {
  readonly size: number;
  /** @param end at most `size`; what is read is one part of at most {@link WINDOW} bytes by whoever wants flat memory */
  read(start: number, end: number): Buffer | Promise<Buffer>;
}

/** As much as is looked at in one piece: some 100 us of work. Bytes. */
export const WINDOW = 65_536;

/** A part of bytes that are in memory. */
export function toSource(bytes: Buffer, start = 0, end = bytes.length): ByteSource {
  return { size: end - start, read: (from, to) => bytes.subarray(start + from, start + Math.min(to, end - start)) };
}

/** A part of a source, as one of its own. */
export function partOf(source: ByteSource, start: number, end: number): ByteSource {
  return { size: end - start, read: (from, to) => source.read(start + from, start + to) };
}
