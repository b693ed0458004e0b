import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { MAX_UNPACKED } from './bounds.ts';
import { isControl, mayBeFixed } from './fixed-codes.ts';

/** What bytes say once they are unpacked. */
export interface Inflated {
  readonly bytes: Uint8Array;
  /** There is more of it. */
  readonly isCut: boolean;
}

/** Unpacked, so many bytes stay below that whatever they hold. */
const MAX_HEAD = 240;
/** So many bytes tell whether there is text in it. */
const SAMPLE = 96;
const MIN_SAMPLE = 16;
/** Nobody packs twice for a purpose. */
const MAX_DEPTH = 3;

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array;

/**
 * Bytes packed with gzip, zlib or deflate (RFC 1952, 1950, 1951); `undefined`: they are not, or hold no text.
 * @param shortest of what is packed: of fewer bytes chance makes as many
 */
export function inflate(bytes: Uint8Array, shortest = MIN_SAMPLE, depth = 1): Inflated | undefined {
  const unpack = toInflate(bytes, shortest);
  if (unpack === undefined) return undefined;
  const sample = run(unpack, bytes.subarray(0, SAMPLE));
  if (sample === undefined || sample.length < shortest || !isText(sample, depth)) return undefined;
  const whole = run(unpack, bytes);
  const done = whole ?? wholeCharacters(run(unpack, bytes.subarray(0, MAX_HEAD)));
  if (done === undefined) return undefined;
  const inner = depth < MAX_DEPTH && isPacked(done) ? inflate(done, shortest, depth + 1) : undefined;
  return inner ?? { bytes: done, isCut: whole === undefined };
}

/** As `inflate`, where nothing stands behind what is packed, and all of it is read: `undefined` for everything else. */
export function inflateWhole(bytes: Uint8Array, depth = 1): Uint8Array | undefined {
  const unpack = toInflate(bytes, MIN_SAMPLE);
  const done = unpack && run((from, options) => unpack(from, { ...options, info: true } as ZlibOptions), bytes);
  if (done === undefined) return undefined;
  // True: zlib says so with `info`, which its types do not know.
  const { buffer, engine } = done as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
  if (engine.bytesWritten < bytes.length) return undefined;
  return depth < MAX_DEPTH && isPacked(buffer) ? inflateWhole(buffer, depth + 1) : buffer;
}

/**
 * Whether the beginning of a block is packed text in UTF-8: a few microseconds. Of random bytes, one block in 80,000 is:
 * two letters, and copies of them.
 */
export function isInflatable(head: Uint8Array): boolean {
  const unpack = toInflate(head, MIN_SAMPLE);
  const sample = unpack === undefined ? undefined : wholeCharacters(run(unpack, head.subarray(0, SAMPLE)));
  if (sample === undefined || sample.length < MIN_SAMPLE) return false;
  return isPacked(sample) || (isUtf8(sample) && isText(sample, 1));
}

/** Without the character that the end cuts: of a few bytes, only the first of which says how many. */
function wholeCharacters(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (bytes === undefined) return undefined;
  const { length } = bytes;
  for (let i = length - 1; i >= length - 3 && i >= 0; i--) {
    const byte = bytes[i] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return length - i < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.subarray(0, i) : bytes;
  }
  return bytes;
}

/** Bytes packed with brotli (RFC 7932), which has no mark of its own. `undefined`: they are not, or hold no text. */
export function inflateBrotli(bytes: Uint8Array, shortest = MIN_SAMPLE): Uint8Array | undefined {
  if (!mayBeBrotli(bytes)) return undefined;
  const done = run(unpackBrotli, bytes) ?? run(unpackBrotli, bytes.subarray(0, MAX_HEAD));
  return done === undefined || done.length < shortest || !isText(done, MAX_DEPTH) ? undefined : done;
}

const unpackBrotli: Inflate = (bytes, options) =>
  brotliDecompressSync(bytes, { ...options, finishFlush: constants.BROTLI_OPERATION_FLUSH });

/** gzip and zlib begin with a header; deflate with the kind of its first block. */
function toInflate(bytes: Uint8Array, shortest: number): Inflate | undefined {
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return gunzipSync;
  if ((first & 0x8f) === 8 && (first * 256 + second) % 31 === 0) return inflateSync;
  return bytes.length >= shortest && mayBeDeflate(bytes) ? inflateRawSync : undefined;
}

const FIXED = 1;
const DYNAMIC = 2;

/**
 * Trying costs an error of zlib's, some 20 us, and identifiers are tried by the dozen: most of them are told by the first
 * bits (RFC 1951 sections 3.2.6 and 3.2.7). The lengths of the codes that a block brings along fill a tree, neither more nor less.
 */
function mayBeDeflate(bytes: Uint8Array): boolean {
  const number = (at: number, size: number) => numberAt(bytes, at, size);
  const kind = number(1, 2);
  if (kind === FIXED) return mayBeFixed(bytes.subarray(0, SAMPLE), isPacked);
  if (kind !== DYNAMIC || number(3, 5) > 29 || number(8, 5) > 29) return false;
  let filled = 0;
  const count = number(13, 4) + 4;
  for (let i = 0; i < count; i++) {
    const length = number(17 + i * 3, 3);
    if (length > 0) filled += 128 >> length;
  }
  return filled === 128;
}

/**
 * By the first bits (RFC 7932 sections 9.1 and 9.2): one of fifty random blocks goes on, and trying costs as much as with
 * zlib. The first part is as long as it says, at least one byte, and no text becomes so much shorter than that.
 */
function mayBeBrotli(bytes: Uint8Array): boolean {
  const number = (at: number, size: number) => numberAt(bytes, at, size);
  // The size of the window has one bit, four or seven.
  let at = number(0, 1) === 0 ? 1 : number(1, 3) === 0 ? 7 : 4;
  const isLast = number(at, 1) === 1;
  if (isLast && number(at + 1, 1) === 1) return false;
  at += isLast ? 2 : 1;
  const nibbles = 4 + number(at, 2);
  return nibbles < 7 && number(at + 2, nibbles * 4) < 1_024 + bytes.length * 64;
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value |= (((bytes[(at + i) >> 3] ?? 0) >> ((at + i) & 7)) & 1) << i;
  return value;
}

function isPacked([first = 0, second = 0]: Uint8Array): boolean {
  return (first === 0x1f && second === 0x8b) || ((first & 0x8f) === 8 && (first * 256 + second) % 31 === 0);
}

function isText(sample: Uint8Array, depth: number): boolean {
  if (depth < MAX_DEPTH && isPacked(sample)) return true;
  return !sample.subarray(0, 256).some(isControl);
}

/** What is cut off is unpacked as far as it goes. `undefined`: it is not packed so, or is more than may come out. */
function run(unpack: Inflate, bytes: Uint8Array): Uint8Array | undefined {
  try {
    return unpack(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED, chunkSize: 1024 });
  } catch {
    return undefined;
  }
}
