import { type Block, blocksOf } from '../decode/blocks.ts';
import { MAX_PACKED } from '../decode/bounds.ts';
import { toText } from '../decode/bytes-text.ts';
import { inflate } from '../decode/inflate.ts';
import { surveyRuns } from '../decode/survey-runs.ts';

/** A part of a text that says something once decoded. */
export interface Decoded {
  readonly how: Block['how'] | `${Block['how']} packed`;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** There is more of it than is read. */
  readonly isCut?: boolean;
}

/** What one text may cost; more than the longest definition holds of encodings, so that none is hidden behind others. */
const MAX_DECODED = 1024 * 1024;
const MAX_BLOCKS = 16_384;
const MIN_TEXT = 8;

/** Blocks of base64, base32, hexadecimal and character codes that hold readable text. */
export function decodeBlocks(text: string): readonly Decoded[] {
  const found: Decoded[] = [];
  let packed = MAX_PACKED;
  let blocks = MAX_BLOCKS;
  let left = MAX_DECODED;
  for (const { how, start, end, bytes } of blocksOf(text, surveyRuns(text))) {
    if (blocks-- <= 0 || left <= 0) break;
    // A line of a wrapped block, or a part of a path, that was read as a whole.
    const last = found.at(-1);
    if (last !== undefined && start < last.end && start >= last.start) continue;
    left -= end - start;
    const said = readBytes(bytes);
    if (said !== undefined) found.push({ how, start, end, text: said });
    else if (bytes.length >= MIN_TEXT && packed-- > 0) {
      const inside = inflate(bytes);
      const unpacked = inside === undefined ? undefined : readBytes(Buffer.from(inside.bytes));
      if (unpacked !== undefined)
        found.push({ how: `${how} packed`, start, end, text: unpacked, isCut: inside?.isCut === true });
    }
  }
  return found;
}

/** What bytes say, when they are text and not something else that happens to decode. */
function readBytes(bytes: Buffer): string | undefined {
  const text = toText(bytes);
  if (text === undefined || text.length < MIN_TEXT) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what has control characters is no text
  if (/[\0-\x08\x0e-\x1f\x7f\ufffd]/.test(text)) return undefined;
  const isCoded = /^[A-Za-z0-9+/=%\\&#;\s]+$/.test(text);
  return isCoded || countLetters(text) / text.length > 0.5 ? text : undefined;
}

/** Letters and blanks. */
function countLetters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const small = code | 0x20;
    if (code > 0x7f ? LETTER.test(text.charAt(i)) : small === 0x20 || code === 0x0a || (small >= 0x61 && small <= 0x7a))
      count++;
  }
  return count;
}

const LETTER = /[\p{L}\p{Zs}\p{Cs}]/u;
