import { type ByteSource, WINDOW } from '../../core/byte-source.ts';
import type { Span } from '../../core/json-scan.ts';
import type { Pause } from '../../core/pace.ts';
import { countText, type TextSize } from './count-text.ts';

/** A text that is a JSON string in memory, read as the UTF-8 bytes it stands for, a part at a time: it is never decoded as a whole. */
export interface TextSource extends ByteSource {
  readonly text: Readonly<TextSize>;
}

const BACKSLASH = 0x5c;

/** @param span of the string with its quotes */
export async function openText(bytes: Buffer, span: Span, pause: Pause): Promise<TextSource> {
  const [start, end] = [span.start + 1, span.end - 1];
  const text: TextSize = { characters: 0, wide: 0, lines: 0 };
  if (!bytes.subarray(start, end).includes(BACKSLASH)) {
    for (let at = start; at < end; at += WINDOW) {
      countText(bytes.subarray(at, Math.min(at + WINDOW, end)), text);
      await pause();
    }
    return { size: end - start, text, read: (from, to) => bytes.subarray(start + from, Math.min(start + to, end)) };
  }
  /** Where pieces begin: in the string as it is written, and in the bytes it stands for. */
  const written: number[] = [];
  const decoded: number[] = [];
  let size = 0;
  for (let at = start; at < end; ) {
    const next = cutString(bytes, at, Math.min(at + WINDOW, end), end);
    const piece = decodeString(bytes, at, next);
    written.push(at);
    decoded.push(size);
    countText(piece, text);
    size += piece.length;
    at = next;
    await pause();
  }
  written.push(end);
  decoded.push(size);
  const pieceAt = (index: number) => decodeString(bytes, written[index] ?? end, written[index + 1] ?? end);
  return {
    size,
    text,
    read(from, to) {
      const parts: Buffer[] = [];
      for (let i = indexBefore(decoded, from); i < written.length - 1; i++) {
        const begin = decoded[i] ?? size;
        if (begin >= to) break;
        parts.push(pieceAt(i).subarray(Math.max(0, from - begin), to - begin));
      }
      return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    },
  };
}

/** The last index whose number is at most `value`. */
export function indexBefore(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The contents of a JSON string, without quotes, as UTF-8. */
export function decodeString(bytes: Buffer, start: number, end: number): Buffer {
  return Buffer.from(JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string, 'utf8');
}

/**
 * Where a JSON string may be cut at or before `at`, not before `start`: not inside an escape, a character, or a pair of
 * escapes that is one character. @param end of the whole string
 */
export function cutString(bytes: Buffer, start: number, at: number, end: number): number {
  if (at >= end) return end;
  let i = at;
  while (i > start && ((bytes[i] ?? 0) & 0xc0) === 0x80) i--;
  i = beforeEscape(bytes, start, i);
  // Of a pair of surrogates the second half never stands alone.
  if (isSurrogate(bytes, i, 'cdef') && i - 6 >= start && isSurrogate(bytes, i - 6, '89ab')) i -= 6;
  return i > start ? i : Math.min(at, end);
}

/** `i`, or the backslash of the escape that it is inside of. */
function beforeEscape(bytes: Buffer, start: number, i: number): number {
  for (let back = 0; back <= 5; back++) {
    const at = i - back;
    if (at <= start) return i;
    // `at` is the letter of an escape where an odd number of backslashes is before it.
    if (bytes[at - 1] !== BACKSLASH || countBackslashes(bytes, start, at) % 2 === 0) continue;
    const length = bytes[at] === 0x75 ? 5 : 1;
    return back < length ? at - 1 : i;
  }
  return i;
}

function countBackslashes(bytes: Buffer, start: number, at: number): number {
  let i = at;
  while (i > start && bytes[i - 1] === BACKSLASH) i--;
  return at - i;
}

function isSurrogate(bytes: Buffer, at: number, digits: string): boolean {
  const text = bytes.toString('latin1', at, at + 4).toLowerCase();
  return text.startsWith('\\ud') && digits.includes(text.charAt(3));
}
