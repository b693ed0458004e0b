import { open } from 'node:fs/promises';

/** One line of a file, without its line feed. */
export interface PlacedLine {
  readonly line: string;
  readonly offset: number;
  readonly bytes: number;
}

const PIECE = 262_144;
/** No record is as long. Bytes. */
const MAX_LINE = 16 * 1_048_576;

/** The whole lines of a file from a place on, piece by piece; half a line at the end is left for the next time. */
export async function* readLines(path: string, from: number): AsyncGenerator<readonly PlacedLine[]> {
  const file = await open(path, 'r');
  try {
    let start = from;
    let room = PIECE;
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(room), 0, room, start);
      const bytes = buffer.subarray(0, bytesRead);
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end === 0) {
        if (bytesRead < room || room >= MAX_LINE) return;
        room *= 4;
        continue;
      }
      yield toLines(bytes.subarray(0, end), start);
      start += end;
      room = PIECE;
    }
  } finally {
    await file.close();
  }
}

function toLines(bytes: Buffer, start: number): PlacedLine[] {
  const lines: PlacedLine[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    lines.push({ line: bytes.toString('utf8', at, end), offset: start + at, bytes: end - at });
    at = end + 1;
  }
  return lines;
}

/** What stands at a place; `undefined`: the file is shorter, or gone, or no record has such a place. */
export async function readPiece(path: string, offset: number, bytes: number): Promise<string | undefined> {
  if (offset < 0 || bytes < 0 || bytes > MAX_LINE) return undefined;
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset);
      return bytesRead === bytes ? buffer.toString('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
