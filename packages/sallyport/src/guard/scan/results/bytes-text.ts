import { isUtf8 } from 'node:buffer';

/** What tells a text from a picture. Characters of base64. */
const SAMPLE = 88;
const UTF16 = new TextDecoder('utf-16le');

/**
 * What bytes say that are sent as base64 (`blob`, `data`): a client that knows their type shows the text, whatever they
 * are called. `undefined`: they are no text.
 */
export function textOfBytes(base64: string): string | undefined {
  const sample = Buffer.from(base64.slice(0, SAMPLE), 'base64');
  if (sample.length < 8) return undefined;
  if (sample[0] === 0xff && sample[1] === 0xfe) return UTF16.decode(Buffer.from(base64, 'base64'));
  if (!isReadable(sample)) return undefined;
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Are the first bytes UTF-8 without control characters? A character may be cut at the end. */
export function isReadable(bytes: Uint8Array, length = bytes.length): boolean {
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
  }
  return [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, length - cut)));
}
