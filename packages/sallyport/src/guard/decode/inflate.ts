import { isUtf8 } from 'node:buffer';
import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
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

type Inflate = typeof gunzipSync;

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
  const bit = (at: number) => ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1;
  const number = (at: number, size: number) => {
    let value = 0;
    for (let i = 0; i < size; i++) value |= bit(at + i) << i;
    return value;
  };
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
