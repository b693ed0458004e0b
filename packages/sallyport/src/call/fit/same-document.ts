import { createHash } from 'node:crypto';
import { type ByteSource, WINDOW } from '../../core/byte-source.ts';
import type { Pause } from '../../core/pace.ts';

/** Are both the same JSON but for the space between its parts? What one escapes and the other does not is a difference. */
export async function isSameDocument(one: ByteSource, other: ByteSource, pause: Pause): Promise<boolean> {
  return (await digestOf(one, pause)) === (await digestOf(other, pause));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

async function digestOf(source: ByteSource, pause: Pause): Promise<string> {
  const hash = createHash('sha256');
  const kept = Buffer.allocUnsafe(WINDOW);
  let isInString = false;
  let isEscaped = false;
  for (let start = 0; start < source.size; start += WINDOW) {
    const bytes = await source.read(start, Math.min(start + WINDOW, source.size));
    let length = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number; // Within the bounds of the loop.
      if (!isInString && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) continue;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = isInString;
      else if (byte === QUOTE) isInString = !isInString;
      kept[length++] = byte;
    }
    hash.update(kept.subarray(0, length));
    await pause();
  }
  return hash.digest('hex');
}
