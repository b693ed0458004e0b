/**
 * Memory for large bodies, used again. V8 starts a full collection for every 32 MB of buffers that come and go; with 100 KB
 * results that was several a second.
 *
 * Whoever gives a body back takes it away from everybody: the memory is moved to a new ArrayBuffer, and every view of the old
 * one is empty from then on. A reference kept by mistake can read nothing, least of all another client's result.
 */

/** Bodies are made in multiples of this, so that one fits the next. Bytes. */
const STEP = 65_536;
/** Memory that waits to be used. Bytes. */
const MAX_FREE = 16 * 1024 * 1024;

/** Larger bodies are not worth keeping. Bytes. */
export const LARGEST_BODY = 1024 * 1024;

const free = new Map<number, ArrayBuffer[]>();
let freeBytes = 0;
const taken = new WeakSet<ArrayBufferLike>();

/** Room for `length` bytes, up to {@link LARGEST_BODY}; what it holds is undefined, and the caller overwrites all of it. */
export function takeBody(length: number): Buffer {
  const size = Math.ceil(length / STEP) * STEP;
  const known = free.get(size)?.pop();
  if (known !== undefined) freeBytes -= size;
  const memory = known ?? new ArrayBuffer(size);
  taken.add(memory);
  return Buffer.from(memory, 0, length);
}

/** Nobody needs the body, of which `piece` is a part, any more. Of a buffer that is no such body it does nothing. */
export function giveBody(piece: Buffer): void {
  const memory = piece.buffer;
  if (!(memory instanceof ArrayBuffer) || !taken.delete(memory)) return;
  const size = memory.byteLength;
  const moved = structuredClone(memory, { transfer: [memory] });
  if (freeBytes + size > MAX_FREE) return;
  freeBytes += size;
  const waiting = free.get(size);
  if (waiting === undefined) free.set(size, [moved]);
  else waiting.push(moved);
}
